-- The audit trail of keys: see the package auth/audit. MACs and seals are base64, empty
-- where there is none. Nothing here may be changed by hand: it would show as damage.

-- +goose Up
CREATE TABLE audit_entries (
    writer         TEXT   NOT NULL,
    seq            BIGINT NOT NULL,
    at             BIGINT NOT NULL,
    request_id     TEXT   NOT NULL,
    key_id         TEXT   NOT NULL,
    start          TEXT   NOT NULL,
    owner          TEXT   NOT NULL,
    method         TEXT   NOT NULL,
    route          TEXT   NOT NULL,
    resource_kind  TEXT   NOT NULL,
    resource_id    TEXT   NOT NULL,
    resource_owner TEXT   NOT NULL,
    scope          TEXT   NOT NULL,
    outcome        TEXT   NOT NULL,
    status         BIGINT NOT NULL,
    ip             TEXT   NOT NULL,
    user_agent     TEXT   NOT NULL,
    mac            TEXT   NOT NULL,
    PRIMARY KEY (writer, seq)
);
CREATE INDEX audit_entries_by_time ON audit_entries (at, writer, seq);
CREATE INDEX audit_entries_of_key ON audit_entries (key_id, at, writer, seq);
CREATE INDEX audit_entries_of_owner ON audit_entries (owner, at, writer, seq);

-- A chain's newest entry, and up to where its entries were pruned.
CREATE TABLE audit_chains (
    writer    TEXT   NOT NULL PRIMARY KEY,
    head_seq  BIGINT NOT NULL,
    head_mac  TEXT   NOT NULL,
    head_seal TEXT   NOT NULL,
    cut_seq   BIGINT NOT NULL,
    cut_mac   TEXT   NOT NULL,
    cut_seal  TEXT   NOT NULL
);

-- The list of chains, as JSON, in one row.
CREATE TABLE audit_roster (
    id         BIGINT NOT NULL PRIMARY KEY,
    generation BIGINT NOT NULL,
    writers    TEXT   NOT NULL,
    seal       TEXT   NOT NULL
);
