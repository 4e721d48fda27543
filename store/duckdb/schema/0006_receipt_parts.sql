-- Receipts lie in parts, in the order of arrival, and a part that takes no more has its filter in the file.

ALTER TABLE receipts RENAME TO old_receipts;
CREATE TABLE receipts(subject INTEGER NOT NULL, day INTEGER NOT NULL, hi BIGINT NOT NULL, lo BIGINT NOT NULL, part INTEGER NOT NULL);
INSERT INTO receipts SELECT subject, day, hi, lo, (rowid // 262144)::INTEGER FROM old_receipts;
DROP TABLE old_receipts;

-- Bloom filters of parts: a row is 2048 words of 64 bits, the least byte first, from word on.
CREATE TABLE receipt_filters(part INTEGER NOT NULL, word INTEGER NOT NULL, bits BLOB USING COMPRESSION uncompressed NOT NULL);
