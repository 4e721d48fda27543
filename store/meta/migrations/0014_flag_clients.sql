-- Sets of flags belong to a kind and an id, because a website and an organisation may have the same id. If both
-- exist, the flags go to the one that was created first, or to the website if the organisation owns it, as
-- before.

-- +goose Up
CREATE TABLE client_kinds (
    id   TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL
);
INSERT INTO client_kinds (id, kind) SELECT o.id, 'organization' FROM owners o WHERE NOT EXISTS
    (SELECT 1 FROM websites w WHERE w.id = o.id AND (w.owner = o.id OR w.created_at < o.created_at));

CREATE TABLE new_flag_sets (
    client_kind TEXT   NOT NULL,
    client      TEXT   NOT NULL,
    revision    BIGINT NOT NULL,
    PRIMARY KEY (client_kind, client)
);
INSERT INTO new_flag_sets (client_kind, client, revision)
    SELECT COALESCE((SELECT kind FROM client_kinds c WHERE c.id = client), 'website'), client, revision FROM flag_sets;
DROP TABLE flag_sets;
ALTER TABLE new_flag_sets RENAME TO flag_sets;

CREATE TABLE new_flag_definitions (
    client_kind TEXT NOT NULL,
    client      TEXT NOT NULL,
    id          TEXT NOT NULL,
    environment TEXT NOT NULL,
    flag_key    TEXT NOT NULL,
    definition  TEXT NOT NULL,
    PRIMARY KEY (client_kind, client, id),
    UNIQUE (client_kind, client, environment, flag_key)
);
INSERT INTO new_flag_definitions (client_kind, client, id, environment, flag_key, definition)
    SELECT COALESCE((SELECT kind FROM client_kinds c WHERE c.id = client), 'website'), client, id, environment, flag_key, definition
    FROM flag_definitions;
DROP TABLE flag_definitions;
ALTER TABLE new_flag_definitions RENAME TO flag_definitions;

CREATE TABLE new_flag_groups (
    client_kind TEXT NOT NULL,
    client      TEXT NOT NULL,
    id          TEXT NOT NULL,
    definition  TEXT NOT NULL,
    PRIMARY KEY (client_kind, client, id)
);
INSERT INTO new_flag_groups (client_kind, client, id, definition)
    SELECT COALESCE((SELECT kind FROM client_kinds c WHERE c.id = client), 'website'), client, id, definition FROM flag_groups;
DROP TABLE flag_groups;
ALTER TABLE new_flag_groups RENAME TO flag_groups;

-- A change stores only the difference, not two whole flags. undo is JSON that turns the flag after the change
-- into the flag before it. It is NULL if the change created the flag. flag_after is the flag after the change,
-- as JSON. It is NULL if the undo of the next change leads to it. size is the number of bytes of both. Changes
-- stored by older versions are deleted.
DROP TABLE flag_changes;
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

DROP TABLE client_kinds;
