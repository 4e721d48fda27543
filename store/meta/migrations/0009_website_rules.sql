-- rules is JSON: from whom a website takes events. The ids of removed websites stay their owners'.

-- +goose Up
ALTER TABLE websites ADD COLUMN rules TEXT NOT NULL DEFAULT '{}';

CREATE TABLE removed_websites (
    id    TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL
);
