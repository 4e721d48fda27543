-- The logical tables. Rows are in the order of arrival, until Store.Maintain moves them next to other rows of
-- their subject: clustered is 1 for rows that were moved. keyed is 1 for rows that were sent with an API key,
-- whose event ids are separate from ids of other rows. imports has the ids of the imports that sent the row. The
-- columns with hashes are for comparisons that only test equality.

-- version is the version of the commit that stored the event.
CREATE TABLE events(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, anonymous_id VARCHAR NOT NULL, profile_id VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  kind UTINYINT NOT NULL, name VARCHAR NOT NULL, title VARCHAR NOT NULL,
  referrer VARCHAR NOT NULL, referrer_domain VARCHAR NOT NULL, referrer_letters VARCHAR NOT NULL,
  utm_source VARCHAR NOT NULL, utm_medium VARCHAR NOT NULL, utm_campaign VARCHAR NOT NULL,
  utm_term VARCHAR NOT NULL, utm_content VARCHAR NOT NULL, gclid VARCHAR NOT NULL,
  language VARCHAR NOT NULL, timezone VARCHAR NOT NULL, screen_resolution VARCHAR NOT NULL, viewport_size VARCHAR NOT NULL,
  load_time BIGINT, dom_ready_time BIGINT, ttfb BIGINT, time_on_page BIGINT, scroll_depth BIGINT, interactions BIGINT,
  namespace VARCHAR NOT NULL, source VARCHAR NOT NULL, properties VARCHAR NOT NULL,
  href VARCHAR NOT NULL, text VARCHAR NOT NULL,
  keyed UTINYINT NOT NULL DEFAULT 0, session_hash BIGINT, visitor_hash BIGINT, version BIGINT, clustered UTINYINT DEFAULT 0,
  campaign_kind VARCHAR NOT NULL DEFAULT '',
  imports VARCHAR NOT NULL DEFAULT '');

CREATE TABLE errors(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, anonymous_id VARCHAR NOT NULL, profile_id VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  message VARCHAR NOT NULL, error_type VARCHAR NOT NULL, filename VARCHAR NOT NULL,
  line BIGINT, col BIGINT, stack VARCHAR NOT NULL,
  keyed UTINYINT NOT NULL DEFAULT 0, session_hash BIGINT, visitor_hash BIGINT, clustered UTINYINT DEFAULT 0,
  imports VARCHAR NOT NULL DEFAULT '');

CREATE TABLE vitals(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, anonymous_id VARCHAR NOT NULL, profile_id VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  metric_name VARCHAR NOT NULL, value BIGINT NOT NULL,
  keyed UTINYINT NOT NULL DEFAULT 0, session_hash BIGINT, visitor_hash BIGINT, clustered UTINYINT DEFAULT 0,
  imports VARCHAR NOT NULL DEFAULT '');

-- Activity of visitors on a page, sent when they leave it.
CREATE TABLE spans(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, anonymous_id VARCHAR NOT NULL, profile_id VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  exit_type VARCHAR NOT NULL,
  page_index BIGINT, time_on_page BIGINT, active_time BIGINT, first_interaction BIGINT, max_scroll_depth BIGINT,
  scrolls BIGINT NOT NULL, clicks BIGINT NOT NULL, keys BIGINT NOT NULL, interactions BIGINT NOT NULL, copies BIGINT NOT NULL,
  rage_clicks BIGINT NOT NULL, dead_clicks BIGINT NOT NULL,
  form_fields BIGINT NOT NULL, form_submits BIGINT NOT NULL, errors BIGINT NOT NULL,
  keyed UTINYINT NOT NULL DEFAULT 0, session_hash BIGINT, visitor_hash BIGINT, clustered UTINYINT DEFAULT 0,
  imports VARCHAR NOT NULL DEFAULT '');

CREATE TABLE visits(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  referrer VARCHAR NOT NULL, referrer_domain VARCHAR NOT NULL, referrer_letters VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  clustered UTINYINT DEFAULT 0,
  imports VARCHAR NOT NULL DEFAULT '');

CREATE TABLE checks(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  url VARCHAR NOT NULL, status UTINYINT NOT NULL, http_code BIGINT NOT NULL, ttfb BIGINT, total BIGINT,
  probe_region VARCHAR NOT NULL, ssl_expiry BIGINT, ssl_valid BIGINT, error VARCHAR NOT NULL,
  clustered UTINYINT DEFAULT 0,
  imports VARCHAR NOT NULL DEFAULT '');

-- Rejected traffic, counted by reason.
CREATE TABLE blocked(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  reason VARCHAR NOT NULL, bot_name VARCHAR NOT NULL, requests BIGINT NOT NULL,
  clustered UTINYINT DEFAULT 0,
  imports VARCHAR NOT NULL DEFAULT '');

-- A day includes the rows of all commits up to version.
CREATE TABLE seals(subject INTEGER NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL);

-- States that the engine stores for UTC days, in pieces. See store.StateKeeper.
CREATE TABLE partials(
  subject INTEGER NOT NULL, kind BIGINT NOT NULL, number BIGINT NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL,
  empty BOOLEAN NOT NULL, piece INTEGER NOT NULL, state BLOB USING COMPRESSION uncompressed NOT NULL);

-- Tables for the store itself.

-- The number of every subject that ever had a row.
CREATE TABLE subject_numbers(kind VARCHAR NOT NULL, id VARCHAR NOT NULL, number INTEGER NOT NULL);

-- The key of the hashes. Each file has its own.
CREATE TABLE hash_key(key VARCHAR NOT NULL);
INSERT INTO hash_key SELECT gen_random_uuid()::VARCHAR;

-- Hashes of recently received event ids, in 96 bits. day is the UTC day of receipt, counted from 1970. Receipts
-- are stored in parts, in the order of arrival.
CREATE TABLE receipts(subject INTEGER NOT NULL, day INTEGER NOT NULL, hi BIGINT NOT NULL, lo INTEGER NOT NULL, part INTEGER NOT NULL);

-- A Bloom filter for each full part. Each row has 2048 words of 64 bits in little-endian order. The column word
-- is the number of its first word.
CREATE TABLE receipt_filters(part INTEGER NOT NULL, word INTEGER NOT NULL, bits BLOB USING COMPRESSION uncompressed NOT NULL);

-- One row for each commit, and each subject and UTC day that it changed. The largest version counts.
CREATE TABLE versions(subject INTEGER NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL);

-- The days of which Store.Expire removed rows. version is the version of the day after that. It is 0 while rows may be
-- left.
CREATE TABLE expired(subject INTEGER NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL);
