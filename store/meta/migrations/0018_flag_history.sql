-- A change stores what it changed and not two whole flags. undo is JSON that turns the flag after the change into the
-- one before it; NULL when the change created the flag. flag_after is the flag after the change, as JSON. It is NULL
-- where the next change's undo leads to it. size counts the bytes of both. Changes of older versions are deleted.

-- +goose Up
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
