-- The size of the entries of each chain in bytes. Every transaction that adds or prunes pages changes it, so that no
-- request has to add them up. It is not authenticated: the server only warns by it of a trail that grows.

-- +goose Up
ALTER TABLE audit_chains ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
UPDATE audit_chains SET bytes =
    (SELECT COALESCE(SUM(octet_length(entries)), 0) FROM audit_pages WHERE audit_pages.writer = audit_chains.writer);
