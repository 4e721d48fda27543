-- The version of the commit that stored an event; null where that was before there was this column,
-- so that no seal may be older than such a row.

ALTER TABLE events ADD COLUMN version BIGINT;
DELETE FROM seals USING versions AS v
  WHERE v.subject = seals.subject AND v.day BETWEEN seals.day - 3 AND seals.day + 1 AND v.version > seals.version;
