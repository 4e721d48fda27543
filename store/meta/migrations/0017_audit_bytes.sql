-- How many bytes the entries of each chain have, so that nobody has to add them up. Whoever adds or prunes pages
-- changes it in the same transaction. It is not authenticated: it only warns of a trail that grows.

-- +goose Up
ALTER TABLE audit_chains ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
UPDATE audit_chains SET bytes =
    (SELECT COALESCE(SUM(octet_length(entries)), 0) FROM audit_pages WHERE audit_pages.writer = audit_chains.writer);
