-- rules is JSON and defines which events a website accepts. The id of a removed website stays reserved for its
-- owner.

-- +goose Up
ALTER TABLE websites ADD COLUMN rules TEXT NOT NULL DEFAULT '{}';

CREATE TABLE removed_websites (
    id    TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL
);
