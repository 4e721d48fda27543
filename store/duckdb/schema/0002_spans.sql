-- Activity of visitors on a page, sent when they leave it.

CREATE TABLE spans(
  subject INTEGER NOT NULL, event_id VARCHAR NOT NULL, time BIGINT NOT NULL,
  session_id VARCHAR NOT NULL, anonymous_id VARCHAR NOT NULL, profile_id VARCHAR NOT NULL, visitor VARCHAR NOT NULL,
  browser_name VARCHAR NOT NULL, browser_version VARCHAR NOT NULL, os_name VARCHAR NOT NULL, os_version VARCHAR NOT NULL,
  device_type VARCHAR NOT NULL, country VARCHAR NOT NULL, region VARCHAR NOT NULL, city VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  exit_type VARCHAR NOT NULL,
  page_index BIGINT, time_on_page BIGINT, active_time BIGINT, first_interaction BIGINT, max_scroll_depth BIGINT,
  scrolls BIGINT NOT NULL, clicks BIGINT NOT NULL, keys BIGINT NOT NULL, interactions BIGINT NOT NULL, copies BIGINT NOT NULL,
  rage_clicks BIGINT NOT NULL, dead_clicks BIGINT NOT NULL,
  form_fields BIGINT NOT NULL, form_submits BIGINT NOT NULL, errors BIGINT NOT NULL);
