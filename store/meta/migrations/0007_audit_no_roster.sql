-- Removes the list of chains. The removal of a whole chain can only be detected with heads that are stored
-- elsewhere.
-- +goose Up
DROP TABLE audit_roster;
