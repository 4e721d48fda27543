-- States that the engine stores for UTC days, in pieces. See store.StateKeeper.

CREATE TABLE partials(
  subject INTEGER NOT NULL, name BIGINT NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL,
  piece INTEGER NOT NULL, state BLOB USING COMPRESSION uncompressed NOT NULL);
