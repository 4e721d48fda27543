-- The ids of removed links and monitors stay reserved for their owners, like the ids of websites.

-- +goose Up
CREATE TABLE removed_subjects (
    kind  TEXT NOT NULL,
    id    TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (kind, id)
);
INSERT INTO removed_subjects (kind, id, owner) SELECT 'website', id, owner FROM removed_websites;
DROP TABLE removed_websites;
