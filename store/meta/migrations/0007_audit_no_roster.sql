-- The list of chains: that one went together with its head shows by kept heads alone now.
-- +goose Up
DROP TABLE audit_roster;
