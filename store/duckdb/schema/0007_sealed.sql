-- Results computed from the rows of quiet days. See store.Deriver.

CREATE TABLE sealed_sessions(
  subject INTEGER NOT NULL, start BIGINT NOT NULL, rows_from BIGINT NOT NULL, ended BIGINT NOT NULL,
  session_hash BIGINT NOT NULL, visitor_hash BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, visitor VARCHAR NOT NULL, profile_id VARCHAR NOT NULL,
  pageviews BIGINT NOT NULL, events BIGINT NOT NULL, interaction_count BIGINT NOT NULL, page_events BIGINT NOT NULL, exit_time BIGINT NOT NULL,
  entry_page VARCHAR NOT NULL, exit_page VARCHAR NOT NULL,
  referrer_domain VARCHAR NOT NULL,
  utm_source VARCHAR NOT NULL, utm_medium VARCHAR NOT NULL, utm_campaign VARCHAR NOT NULL,
  utm_term VARCHAR NOT NULL, utm_content VARCHAR NOT NULL, gclid VARCHAR NOT NULL,
  country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL,
  os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  language VARCHAR NOT NULL, timezone VARCHAR NOT NULL, screen_resolution VARCHAR NOT NULL);

CREATE TABLE sealed_hits(
  subject INTEGER NOT NULL, time BIGINT NOT NULL, kind UTINYINT NOT NULL, hidden BOOLEAN NOT NULL,
  session_hash BIGINT NOT NULL, visitor_hash BIGINT NOT NULL, path VARCHAR NOT NULL,
  load_time BIGINT, dom_ready_time BIGINT, ttfb BIGINT, time_on_page BIGINT, scroll_depth BIGINT, interactions BIGINT,
  referrer_domain VARCHAR NOT NULL,
  utm_source VARCHAR NOT NULL, utm_medium VARCHAR NOT NULL, utm_campaign VARCHAR NOT NULL,
  utm_term VARCHAR NOT NULL, utm_content VARCHAR NOT NULL, gclid VARCHAR NOT NULL,
  country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL,
  os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  language VARCHAR NOT NULL, timezone VARCHAR NOT NULL, screen_resolution VARCHAR NOT NULL);

-- A day includes the rows of all commits up to version.
CREATE TABLE seals(subject INTEGER NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL);
