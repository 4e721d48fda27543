-- The size of each chain in bytes. Every transaction that adds or prunes pages updates it, so that no request
-- has to sum it up. It is not authenticated: the server only uses it to warn about a growing trail.

-- +goose Up
ALTER TABLE audit_chains ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
UPDATE audit_chains SET bytes =
    (SELECT COALESCE(SUM(octet_length(entries)), 0) FROM audit_pages WHERE audit_pages.writer = audit_chains.writer);
