-- Feature flags: see package flags. The revision of a client is the number of commits to its set of flags.
-- definition, flag_before and flag_after are JSON.

-- +goose Up
CREATE TABLE flag_sets (
    client   TEXT   NOT NULL PRIMARY KEY,
    revision BIGINT NOT NULL
);

-- Includes removed flags. environment is empty for a flag without an environment.
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
