-- Instants are whole milliseconds since 1970 in UTC. All types exist in SQLite and in PostgreSQL. Never change
-- a released file. Add a new one instead.

-- +goose Up
CREATE TABLE websites (
    id         TEXT    NOT NULL PRIMARY KEY,
    owner      TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    domain     TEXT    NOT NULL,
    is_public  BOOLEAN NOT NULL,
    created_at BIGINT  NOT NULL,
    UNIQUE (id, owner)
);
CREATE INDEX websites_of_owner ON websites (owner, created_at, id);

CREATE TABLE links (
    id         TEXT   NOT NULL PRIMARY KEY,
    owner      TEXT   NOT NULL,
    slug       TEXT,
    target_url TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (owner, slug)
);
CREATE INDEX links_of_owner ON links (owner, created_at, id);

CREATE TABLE monitors (
    id         TEXT   NOT NULL PRIMARY KEY,
    owner      TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    url        TEXT   NOT NULL,
    website_id TEXT,
    created_at BIGINT NOT NULL,
    FOREIGN KEY (website_id, owner) REFERENCES websites (id, owner)
);
CREATE INDEX monitors_of_owner ON monitors (owner, created_at, id);
CREATE INDEX monitors_of_website ON monitors (website_id, owner);
