-- What senders told of people. traits is JSON; keyed: somebody with a key did.

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
