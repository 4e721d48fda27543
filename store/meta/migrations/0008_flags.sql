-- Feature flags: see the package flags. A client's revision counts the commits of its set.
-- definition, flag_before and flag_after are JSON.

-- +goose Up
CREATE TABLE flag_sets (
    client   TEXT   NOT NULL PRIMARY KEY,
    revision BIGINT NOT NULL
);

-- Removed flags too. environment is empty when there is none.
CREATE TABLE flag_definitions (
    client      TEXT NOT NULL,
    id          TEXT NOT NULL,
    environment TEXT NOT NULL,
    flag_key    TEXT NOT NULL,
    definition  TEXT NOT NULL,
    PRIMARY KEY (client, id),
    UNIQUE (client, environment, flag_key)
);

CREATE TABLE flag_groups (
    client     TEXT NOT NULL,
    id         TEXT NOT NULL,
    definition TEXT NOT NULL,
    PRIMARY KEY (client, id)
);

CREATE TABLE flag_changes (
    client      TEXT   NOT NULL,
    flag        TEXT   NOT NULL,
    revision    BIGINT NOT NULL,
    changed_at  BIGINT NOT NULL,
    event       TEXT   NOT NULL,
    actor_type  TEXT   NOT NULL,
    actor_id    TEXT   NOT NULL,
    actor_name  TEXT   NOT NULL,
    flag_before TEXT,
    flag_after  TEXT,
    PRIMARY KEY (client, flag, revision)
);
