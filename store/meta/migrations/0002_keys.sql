-- Digests are hexadecimal HMACs. The secrets are not stored. scopes, resources, filters, types and limits are
-- JSON, and null if a key has none.

-- +goose Up
CREATE TABLE api_keys (
    id              TEXT    NOT NULL PRIMARY KEY,
    owner           TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    prefix          TEXT    NOT NULL,
    start           TEXT    NOT NULL,
    scopes          TEXT    NOT NULL,
    all_resources   BOOLEAN NOT NULL,
    resources       TEXT    NOT NULL,
    filters         TEXT    NOT NULL,
    types           TEXT    NOT NULL,
    limits          TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    expires_at      BIGINT,
    revoked_at      BIGINT,
    disabled        BOOLEAN NOT NULL,
    digest          TEXT    NOT NULL UNIQUE,
    previous_digest TEXT    UNIQUE,
    previous_until  BIGINT
);
CREATE INDEX api_keys_of_owner ON api_keys (owner, created_at, id);
