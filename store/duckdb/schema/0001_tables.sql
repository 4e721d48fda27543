-- The logical tables. Rows are in the order of arrival.

CREATE TABLE events(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, anonymous_id VARCHAR NOT NULL, profile_id VARCHAR NOT NULL, visitor VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  kind UTINYINT NOT NULL, name VARCHAR NOT NULL, title VARCHAR NOT NULL,
  referrer VARCHAR NOT NULL, referrer_domain VARCHAR NOT NULL,
  utm_source VARCHAR NOT NULL, utm_medium VARCHAR NOT NULL, utm_campaign VARCHAR NOT NULL,
  utm_term VARCHAR NOT NULL, utm_content VARCHAR NOT NULL, gclid VARCHAR NOT NULL,
  language VARCHAR NOT NULL, timezone VARCHAR NOT NULL, screen_resolution VARCHAR NOT NULL, viewport_size VARCHAR NOT NULL,
  load_time BIGINT, dom_ready_time BIGINT, ttfb BIGINT, time_on_page BIGINT, scroll_depth BIGINT, interactions BIGINT,
  namespace VARCHAR NOT NULL, source VARCHAR NOT NULL, properties VARCHAR NOT NULL,
  href VARCHAR NOT NULL, text VARCHAR NOT NULL);

CREATE TABLE errors(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, anonymous_id VARCHAR NOT NULL, profile_id VARCHAR NOT NULL, visitor VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  message VARCHAR NOT NULL, error_type VARCHAR NOT NULL, filename VARCHAR NOT NULL,
  line BIGINT, col BIGINT, stack VARCHAR NOT NULL);

CREATE TABLE vitals(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, anonymous_id VARCHAR NOT NULL, profile_id VARCHAR NOT NULL, visitor VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  metric_name VARCHAR NOT NULL, value BIGINT NOT NULL);

CREATE TABLE visits(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  referrer VARCHAR NOT NULL, referrer_domain VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL);

CREATE TABLE checks(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  url VARCHAR NOT NULL, status UTINYINT NOT NULL, http_code BIGINT NOT NULL, ttfb BIGINT, total BIGINT,
  probe_region VARCHAR NOT NULL, ssl_expiry BIGINT, ssl_valid BIGINT, error VARCHAR NOT NULL);

-- Tables for the store itself.

-- The number of every subject that ever had a row.
CREATE TABLE subject_numbers(kind VARCHAR NOT NULL, id VARCHAR NOT NULL, number INTEGER NOT NULL);

-- Hashes of recently received event ids. day is the UTC day of receipt, counted from 1970.
CREATE TABLE receipts(subject INTEGER NOT NULL, day INTEGER NOT NULL, hi BIGINT NOT NULL, lo BIGINT NOT NULL);

-- One row for each commit, and each subject and UTC day that it changed. The largest version counts.
CREATE TABLE versions(subject INTEGER NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL);
