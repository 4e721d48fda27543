-- day counts UTC days since 1970; salt is 32 random bytes in hexadecimal.

-- +goose Up
CREATE TABLE salts (
    day  BIGINT NOT NULL PRIMARY KEY,
    salt TEXT   NOT NULL
);
