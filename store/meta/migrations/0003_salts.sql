-- day is the number of UTC days since 1970. salt has 32 random bytes in hexadecimal.

-- +goose Up
CREATE TABLE salts (
    day  BIGINT NOT NULL PRIMARY KEY,
    salt TEXT   NOT NULL
);
