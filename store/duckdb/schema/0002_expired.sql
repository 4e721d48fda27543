-- The days of which Store.Expire removed rows. version is the version of the day after that. It is 0 while rows may be
-- left.
CREATE TABLE expired(subject INTEGER NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL);
