-- States that the engine keeps of UTC days, in pieces; see store.StateKeeper.

CREATE TABLE partials(
  subject INTEGER NOT NULL, name BIGINT NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL,
  piece INTEGER NOT NULL, state BLOB USING COMPRESSION uncompressed NOT NULL);
