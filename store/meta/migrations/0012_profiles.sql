-- Profiles of people, as set by senders. traits is JSON. keyed is true if a sender with a key set the profile.

-- +goose Up
CREATE TABLE profiles (
    website    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    traits     TEXT    NOT NULL,
    keyed      BOOLEAN NOT NULL,
    changed_at BIGINT  NOT NULL,
    PRIMARY KEY (website, id)
);
