-- Creates an owner for every owner id in use. The name is the id.

-- +goose Up
CREATE TABLE owners (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
INSERT INTO owners (id, name, created_at)
SELECT owner, owner, min(created_at) FROM (
    SELECT owner, created_at FROM websites
    UNION ALL SELECT owner, created_at FROM links
    UNION ALL SELECT owner, created_at FROM monitors
    UNION ALL SELECT owner, created_at FROM api_keys
) AS owned GROUP BY owner;
