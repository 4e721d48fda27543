-- The number of profiles of each website: anonymous profiles, which only senders without a key have set, and
-- keyed profiles. Every transaction that adds or removes profiles updates the row, so that no request has to
-- count profiles.

-- +goose Up
CREATE TABLE profile_counts (
    website   TEXT   NOT NULL PRIMARY KEY,
    anonymous BIGINT NOT NULL,
    keyed     BIGINT NOT NULL
);
INSERT INTO profile_counts (website, anonymous, keyed)
    SELECT website, SUM(CASE WHEN keyed THEN 0 ELSE 1 END), SUM(CASE WHEN keyed THEN 1 ELSE 0 END) FROM profiles GROUP BY website;
