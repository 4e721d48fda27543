-- Rejected traffic, counted by reason.

CREATE TABLE blocked(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  reason VARCHAR NOT NULL, bot_name VARCHAR NOT NULL, requests BIGINT NOT NULL);
