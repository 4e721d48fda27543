-- The version of the commit that stored an event. It is null if the row is older than this column. Therefore
-- seals that are older than such a row are deleted.

ALTER TABLE events ADD COLUMN version BIGINT;
DELETE FROM seals USING versions AS v
  WHERE v.subject = seals.subject AND v.day BETWEEN seals.day - 3 AND seals.day + 1 AND v.version > seals.version;
