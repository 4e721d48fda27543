-- The audit trail of keys: see package auth/audit. MACs and seals are base64, or empty. Do not change rows by
-- hand: verification would report them as damaged.

-- A page has some hundred entries, one line of JSON each. A row per entry, with its place in every index, would
-- cost more than the request that the entry records.
-- +goose Up
CREATE TABLE audit_pages (
    writer    TEXT   NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq  BIGINT NOT NULL,
    first_at  BIGINT NOT NULL,
    last_at   BIGINT NOT NULL,
    entries   TEXT   NOT NULL,
    PRIMARY KEY (writer, first_seq)
);
CREATE INDEX audit_pages_by_time ON audit_pages (last_at, first_at);

-- The keys in the entries of each page, for queries.
CREATE TABLE audit_uses (
    writer    TEXT   NOT NULL,
    first_seq BIGINT NOT NULL,
    key_id    TEXT   NOT NULL,
    owner     TEXT   NOT NULL,
    first_at  BIGINT NOT NULL,
    last_at   BIGINT NOT NULL,
    PRIMARY KEY (writer, first_seq, key_id, owner)
);
CREATE INDEX audit_uses_of_key ON audit_uses (key_id, last_at, first_at);
CREATE INDEX audit_uses_of_owner ON audit_uses (owner, last_at, first_at);

-- The newest entry of a chain, and the position up to which its entries were pruned.
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
