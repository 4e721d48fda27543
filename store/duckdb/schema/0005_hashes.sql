-- Hashes of ids, for comparisons that only test equality. Existing rows get theirs in steps when the file is
-- opened.

CREATE TABLE hash_key(key VARCHAR NOT NULL);
INSERT INTO hash_key SELECT gen_random_uuid()::VARCHAR;
ALTER TABLE events ADD COLUMN session_hash BIGINT;
ALTER TABLE events ADD COLUMN visitor_hash BIGINT;
ALTER TABLE errors ADD COLUMN session_hash BIGINT;
ALTER TABLE errors ADD COLUMN visitor_hash BIGINT;
ALTER TABLE vitals ADD COLUMN session_hash BIGINT;
ALTER TABLE vitals ADD COLUMN visitor_hash BIGINT;
ALTER TABLE spans ADD COLUMN session_hash BIGINT;
ALTER TABLE spans ADD COLUMN visitor_hash BIGINT;
