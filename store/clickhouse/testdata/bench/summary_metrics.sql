-- Builds sessions from the events of the range and two days around it. An id whose events are within one day is
-- one session. Window functions split the few other ids.
WITH
  candidates AS (
    SELECT session_id, time, kind, time_on_page
    FROM events
    WHERE subject = {site:String} AND time >= {from:Int64} - 172800000 AND time < {to:Int64} + 172800000
      AND session_id <> '' AND NOT startsWith(name, '$')),
  ids AS (
    SELECT session_id, min(time) AS start, max(time) AS ended, countIf(kind = 0) AS pageviews,
      sumIf(time_on_page, kind = 1) AS on_pages, countIf(kind >= 2) AS deeds
    FROM candidates GROUP BY session_id),
  placed AS (
    SELECT session_id, time, kind, time_on_page, max(opens) OVER (PARTITION BY session_id ORDER BY time) AS start
    FROM (
      SELECT session_id, time, kind, time_on_page,
        if(time - lagInFrame(time, 1, -1000000000000) OVER (PARTITION BY session_id ORDER BY time
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 86400000, time, -1000000000000) AS opens
      FROM candidates
      WHERE session_id IN (SELECT session_id FROM ids WHERE ended - start >= 86400000))),
  visits AS (
    SELECT start, ended, pageviews, on_pages, deeds FROM ids WHERE ended - start < 86400000
    UNION ALL
    SELECT start, max(time), countIf(kind = 0), sumIf(time_on_page, kind = 1), countIf(kind >= 2)
    FROM placed WHERE time < start + 86400000 GROUP BY session_id, start),
  of_sessions AS (
    SELECT count() AS sessions, countIf(pageviews = 1 AND duration < 10000 AND deeds = 0) AS bounces,
      quantileExactInclusive(0.5)(duration) AS median
    FROM (
      SELECT pageviews, deeds, least(28800000, greatest(ended - start, ifNull(on_pages, 0))) AS duration
      FROM visits
      WHERE start >= {from:Int64} AND start < {to:Int64} AND pageviews > 0)),
  of_events AS (
    SELECT countIf(kind = 0) AS pageviews, uniqExactIf(visitor, kind = 0 AND visitor <> '') AS visitors,
      countIf(NOT startsWith(name, '$')) AS total
    FROM events
    WHERE subject = {site:String} AND time >= {from:Int64} AND time < {to:Int64})
SELECT toInt64(e.pageviews), toInt64(e.visitors), toInt64(e.visitors), toInt64(s.sessions), 100 * s.bounces / s.sessions,
  s.median / 1000, e.pageviews / s.sessions, toInt64(e.total)
FROM of_events AS e CROSS JOIN of_sessions AS s
