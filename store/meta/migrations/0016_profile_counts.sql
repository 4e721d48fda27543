-- How many profiles a website has, so that nobody has to count them: those that only senders without a key told of,
-- and those that a sender with a key did. Whoever adds or removes profiles changes the row in the same transaction.

-- +goose Up
CREATE TABLE profile_counts (
    website   TEXT   NOT NULL PRIMARY KEY,
    anonymous BIGINT NOT NULL,
    keyed     BIGINT NOT NULL
);
INSERT INTO profile_counts (website, anonymous, keyed)
    SELECT website, SUM(CASE WHEN keyed THEN 0 ELSE 1 END), SUM(CASE WHEN keyed THEN 1 ELSE 0 END) FROM profiles GROUP BY website;
