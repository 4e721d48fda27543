-- Instants are whole milliseconds since 1970 in UTC. All types exist in SQLite and in PostgreSQL. Never change
-- a released file. Add a new one instead.

-- +goose Up

-- What the records know about their installation: marks of its pepper, and what the host stores under a name.
CREATE TABLE facts (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- The directory: owners, and their websites, links and monitors.

CREATE TABLE owners (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);

-- rules is JSON and defines which events a website accepts.
CREATE TABLE websites (
    id         TEXT    NOT NULL PRIMARY KEY,
    owner      TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    domain     TEXT    NOT NULL,
    is_public  BOOLEAN NOT NULL,
    created_at BIGINT  NOT NULL,
    rules      TEXT    NOT NULL DEFAULT '{}',
    UNIQUE (id, owner)
);
CREATE INDEX websites_of_owner ON websites (owner, created_at, id);

-- Goals, funnels, segments, annotations, notices and reports that people saved by name. body is JSON.
CREATE TABLE definitions (
    website    TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (website, kind, name)
);

-- What is known of a notice or report from one evaluation to the next. about is a website, a monitor or a flag. state is
-- JSON.
CREATE TABLE notice_states (
    website TEXT NOT NULL,
    kind    TEXT NOT NULL,
    name    TEXT NOT NULL,
    about   TEXT NOT NULL,
    state   TEXT NOT NULL,
    PRIMARY KEY (website, kind, name, about)
);

-- Messages of notices and reports. They stay until they are delivered, and some of them longer. message is JSON, and seq
-- is the place among the messages of a notice to a target.
CREATE TABLE deliveries (
    id         TEXT   NOT NULL PRIMARY KEY,
    website    TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    target     TEXT   NOT NULL,
    shown      TEXT   NOT NULL,
    message    TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    seq        BIGINT NOT NULL,
    due_at     BIGINT NOT NULL,
    tries      BIGINT NOT NULL,
    tried_at   BIGINT,
    fault      TEXT   NOT NULL,
    status     TEXT   NOT NULL,
    UNIQUE (website, kind, name, target, seq)
);
CREATE INDEX deliveries_due ON deliveries (status, due_at);
CREATE INDEX deliveries_of_website ON deliveries (website, created_at);

-- Targets of mail that do not want that of a notice or report any more.
CREATE TABLE mail_ends (
    website TEXT NOT NULL,
    kind    TEXT NOT NULL,
    name    TEXT NOT NULL,
    target  TEXT NOT NULL,
    PRIMARY KEY (website, kind, name, target)
);

-- Which of several servers does something alone, until a time.
CREATE TABLE leases (
    name   TEXT   NOT NULL PRIMARY KEY,
    holder TEXT   NOT NULL,
    until  BIGINT NOT NULL
);

-- Imports of events, as people list them: which rows came from an import stands in the rows. others and files are JSON.
CREATE TABLE imports (
    id         TEXT   NOT NULL PRIMARY KEY,
    website    TEXT   NOT NULL,
    others     TEXT   NOT NULL,
    files      TEXT   NOT NULL,
    more_files BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    stored     BIGINT NOT NULL,
    repeated   BIGINT NOT NULL
);
CREATE INDEX imports_of_website ON imports (website, created_at);

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

-- The ids of removed websites, links and monitors stay reserved for their owners.
CREATE TABLE removed_subjects (
    kind  TEXT NOT NULL,
    id    TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (kind, id)
);
CREATE INDEX removed_subjects_of_owner ON removed_subjects (owner, kind);

-- Feature flags belong to a website or to an owner, by id. Therefore a website and an owner never have the same
-- id. Ids of removed records stay in this table.
CREATE TABLE client_ids (
    id   TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL
);

-- Digests are hexadecimal HMACs. The secrets are not stored. scopes, resources, filters, types, limits and
-- shares are JSON, and null if a key has none. old_secrets has the secrets that were replaced by a rotation and are still
-- valid. It is a JSON list with digest, start and until, newest first.
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
    last_used_at    BIGINT,
    old_secrets     TEXT    NOT NULL DEFAULT 'null',
    shares          TEXT    NOT NULL DEFAULT 'null'
);
CREATE INDEX api_keys_of_owner ON api_keys (owner, created_at, id);

-- The keys of the digests in old_secrets.
CREATE TABLE old_digests (
    digest  TEXT NOT NULL PRIMARY KEY,
    api_key TEXT NOT NULL
);
CREATE INDEX old_digests_of_key ON old_digests (api_key);

-- day is the number of UTC days since 1970. salt has 32 random bytes in hexadecimal.
CREATE TABLE salts (
    day  BIGINT NOT NULL PRIMARY KEY,
    salt TEXT   NOT NULL
);

-- The audit trail of keys: see package auth/audit. MACs and seals are base64, or empty. Do not change rows by
-- hand: verification would report them as damaged.

-- A page has some hundred entries, one line of JSON each. A row per entry, with its place in every index, would
-- cost more than the request that the entry records.
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

-- The newest entry of a chain, and the position up to which its entries were pruned. bytes is the size of the
-- entries of the chain. Every transaction that adds or prunes pages updates it, so that no request has to sum it
-- up. It is not authenticated: the server only uses it to warn about a growing trail.
CREATE TABLE audit_chains (
    writer    TEXT   NOT NULL PRIMARY KEY,
    head_seq  BIGINT NOT NULL,
    head_mac  TEXT   NOT NULL,
    head_seal TEXT   NOT NULL,
    cut_seq   BIGINT NOT NULL,
    cut_mac   TEXT   NOT NULL,
    cut_seal  TEXT   NOT NULL,
    bytes     BIGINT NOT NULL DEFAULT 0
);

-- Profiles of people, as set by senders. traits is JSON. keyed is true if a sender with a key set the profile.
CREATE TABLE profiles (
    website    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    traits     TEXT    NOT NULL,
    keyed      BOOLEAN NOT NULL,
    changed_at BIGINT  NOT NULL,
    PRIMARY KEY (website, id)
);

-- Digests of the ids of persons who were erased: imports leave these persons out.
CREATE TABLE erased (
    website   TEXT   NOT NULL,
    digest    TEXT   NOT NULL,
    erased_at BIGINT NOT NULL,
    PRIMARY KEY (website, digest)
);
CREATE INDEX erased_by_age ON erased (website, erased_at);

-- The number of profiles of each website: anonymous profiles, which only senders without a key have set, and
-- keyed profiles. Every transaction that adds or removes profiles updates the row, so that no request has to
-- count profiles.
CREATE TABLE profile_counts (
    website   TEXT   NOT NULL PRIMARY KEY,
    anonymous BIGINT NOT NULL,
    keyed     BIGINT NOT NULL
);

-- Feature flags: see package flags. The revision of a client is the number of commits to its set of flags. A
-- client has a kind and an id. definition is JSON.

CREATE TABLE flag_sets (
    client_kind TEXT   NOT NULL,
    client      TEXT   NOT NULL,
    revision    BIGINT NOT NULL,
    PRIMARY KEY (client_kind, client)
);

-- Includes removed flags. environment is empty for a flag without an environment.
CREATE TABLE flag_definitions (
    client_kind TEXT NOT NULL,
    client      TEXT NOT NULL,
    id          TEXT NOT NULL,
    environment TEXT NOT NULL,
    flag_key    TEXT NOT NULL,
    definition  TEXT NOT NULL,
    PRIMARY KEY (client_kind, client, id),
    UNIQUE (client_kind, client, environment, flag_key)
);

CREATE TABLE flag_groups (
    client_kind TEXT NOT NULL,
    client      TEXT NOT NULL,
    id          TEXT NOT NULL,
    definition  TEXT NOT NULL,
    PRIMARY KEY (client_kind, client, id)
);

-- A change stores only the difference, not two whole flags. undo is JSON that turns the flag after the change
-- into the flag before it. It is NULL if the change created the flag. flag_after is the flag after the change,
-- as JSON. It is NULL if the undo of the next change leads to it. size is the number of bytes of both.
CREATE TABLE flag_changes (
    client_kind TEXT   NOT NULL,
    client      TEXT   NOT NULL,
    flag        TEXT   NOT NULL,
    revision    BIGINT NOT NULL,
    changed_at  BIGINT NOT NULL,
    event       TEXT   NOT NULL,
    actor_type  TEXT   NOT NULL,
    actor_id    TEXT   NOT NULL,
    actor_name  TEXT   NOT NULL,
    undo        TEXT,
    flag_after  TEXT,
    size        BIGINT NOT NULL,
    PRIMARY KEY (client_kind, client, flag, revision)
);
CREATE INDEX flag_changes_by_age ON flag_changes (client_kind, client, changed_at, size);
