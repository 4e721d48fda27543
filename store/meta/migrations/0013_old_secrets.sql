-- Secrets that were replaced by a rotation and are still valid. old_secrets is a JSON list with digest, start
-- and until, newest first. old_digests maps such a digest to its key. The columns previous_digest and
-- previous_until are no longer used.

-- +goose Up
ALTER TABLE api_keys ADD COLUMN old_secrets TEXT NOT NULL DEFAULT 'null';
CREATE TABLE old_digests (
    digest TEXT NOT NULL PRIMARY KEY,
    api_key TEXT NOT NULL
);
CREATE INDEX old_digests_of_key ON old_digests (api_key);
INSERT INTO old_digests (digest, api_key)
    SELECT previous_digest, id FROM api_keys WHERE previous_digest IS NOT NULL AND previous_until IS NOT NULL;
UPDATE api_keys SET old_secrets = '[{"digest":"' || previous_digest || '","until":' || CAST(previous_until AS TEXT) || '}]'
    WHERE previous_digest IS NOT NULL AND previous_until IS NOT NULL;
UPDATE api_keys SET previous_digest = NULL, previous_until = NULL;
