-- Receipts are stored in parts, in the order of arrival. The file has a filter for each full part.

ALTER TABLE receipts RENAME TO old_receipts;
CREATE TABLE receipts(subject INTEGER NOT NULL, day INTEGER NOT NULL, hi BIGINT NOT NULL, lo BIGINT NOT NULL, part INTEGER NOT NULL);
INSERT INTO receipts SELECT subject, day, hi, lo, (rowid // 262144)::INTEGER FROM old_receipts;
DROP TABLE old_receipts;

-- Bloom filters of parts. Each row has 2048 words of 64 bits in little-endian order. The column word is the
-- number of its first word.
CREATE TABLE receipt_filters(part INTEGER NOT NULL, word INTEGER NOT NULL, bits BLOB USING COMPRESSION uncompressed NOT NULL);
