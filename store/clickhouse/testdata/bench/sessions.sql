-- First finds the hundred latest sessions, then reads only their rows.
WITH
  candidates AS (
    SELECT session_id, time, kind
    FROM events
    WHERE subject = {site:String} AND time >= {from:Int64} - 172800000 AND time < {to:Int64} + 172800000
      AND session_id <> '' AND NOT startsWith(name, '$')),
  ids AS (
    SELECT session_id, min(time) AS start, max(time) AS ended, countIf(kind = 0) AS views
    FROM candidates GROUP BY session_id),
  placed AS (
    SELECT *, max(opens) OVER (PARTITION BY session_id ORDER BY time) AS start
    FROM (
      SELECT *, if(time - lagInFrame(time, 1, -1000000000000) OVER (PARTITION BY session_id ORDER BY time
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 86400000, time, -1000000000000) AS opens
      FROM candidates
      WHERE session_id IN (SELECT session_id FROM ids WHERE ended - start >= 86400000))),
  latest AS (
    SELECT session_id, start
    FROM (
      SELECT session_id, start, views FROM ids WHERE ended - start < 86400000
      UNION ALL
      SELECT session_id, start, countIf(kind = 0) FROM placed WHERE time < start + 86400000 GROUP BY session_id, start)
    WHERE start >= {from:Int64} AND start < {to:Int64} AND views > 0
    ORDER BY start DESC, session_id
    LIMIT 100),
  facts AS (
    SELECT t.session_id AS session_id, l.start AS start, max(t.time) AS ended, ifNull(sumIf(t.time_on_page, t.kind = 1), 0) AS on_pages,
      countIf(t.kind = 0) AS views, count() AS happened, countIf(t.kind >= 2) AS deeds,
      argMinIf(t.path, t.place, t.kind = 0) AS entry, argMaxIf(t.path, t.place, t.kind = 0) AS exit,
      argMinIf((t.visitor, t.profile_id, t.country, t.region, t.city, t.referrer_domain, t.device_type, t.browser_name, t.os_name, t.language),
        t.place, t.kind <= 2) AS first,
      least(28800000, greatest(ended - start, on_pages)) AS duration
    FROM (
      SELECT *, concat(reinterpretAsFixedString(byteSwap(toUInt64(time * 4 + least(kind, 2)))), event_id, '\0', char(kind)) AS place
      FROM events
      WHERE subject = {site:String} AND time >= {from:Int64} - 172800000 AND time < {to:Int64} + 172800000
        AND session_id <> '' AND NOT startsWith(name, '$')) AS t
    INNER JOIN latest AS l ON l.session_id = t.session_id AND t.time >= l.start AND t.time < l.start + 86400000
    GROUP BY t.session_id, l.start)
SELECT session_id, start, ended, duration / 1000, toInt64(views), toInt64(happened), views = 1 AND duration < 10000 AND deeds = 0,
  entry, exit, first.1, first.2, transform(first.3, {codes:Array(String)}, {countries:Array(String)}, first.3), first.3,
  transform(first.3, {codes:Array(String)}, {countries:Array(String)}, first.3), first.4, first.5,
  if(first.6 = '', 'direct', concat('https://', first.6)), if(first.6 = '', 'direct', first.6),
  if(first.6 = '', 'direct', transform(first.6, {domains:Array(String)}, {kinds:Array(String)}, 'other')),
  if(first.6 = '', 'Direct', transform(first.6, {domains:Array(String)}, {names:Array(String)}, first.6)),
  first.7, first.8, first.9, first.10
FROM facts
ORDER BY start DESC, session_id
