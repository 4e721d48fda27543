-- States that the engine keeps of UTC days; see store.StateKeeper. They are packed already.

CREATE TABLE partials(
  subject INTEGER NOT NULL, name BIGINT NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL,
  state BLOB USING COMPRESSION uncompressed NOT NULL);
