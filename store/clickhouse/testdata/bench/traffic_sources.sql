-- The source of a session is the source of its first page event. Pageviews are counted by session first, so
-- that no row needs a look-up of its session.
WITH
  candidates AS (
    SELECT session_id, time, kind, event_id, referrer_domain, visitor, kind = 0 AND time >= {from:Int64} AND time < {to:Int64} AS counts,
      concat(reinterpretAsFixedString(byteSwap(toUInt64(time * 4 + least(kind, 2)))), event_id, '\0', char(kind)) AS place
    FROM events
    WHERE subject = {site:String} AND time >= {from:Int64} - 172800000 AND time < {to:Int64} + 172800000
      AND session_id <> '' AND NOT startsWith(name, '$')),
  ids AS (
    SELECT session_id, min(time) AS start, max(time) AS ended, argMinIf(referrer_domain, place, kind <= 2) AS domain,
      countIf(counts) AS views, groupUniqArrayIf(visitor, counts AND visitor <> '') AS visitors
    FROM candidates GROUP BY session_id),
  placed AS (
    SELECT *, max(opens) OVER (PARTITION BY session_id ORDER BY time) AS start
    FROM (
      SELECT *, if(time - lagInFrame(time, 1, -1000000000000) OVER (PARTITION BY session_id ORDER BY time
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 86400000, time, -1000000000000) AS opens
      FROM candidates
      WHERE session_id IN (SELECT session_id FROM ids WHERE ended - start >= 86400000))),
  visits AS (
    SELECT domain, views, visitors FROM ids WHERE ended - start < 86400000 AND views > 0
    UNION ALL
    SELECT argMinIf(referrer_domain, place, kind <= 2), countIf(counts) AS seen, groupUniqArrayIf(visitor, counts AND visitor <> '')
    FROM placed WHERE time < start + 86400000 GROUP BY session_id, start HAVING seen > 0
    UNION ALL
    SELECT referrer_domain, count(), groupUniqArrayIf(visitor, visitor <> '')
    FROM placed WHERE time >= start + 86400000 AND counts GROUP BY referrer_domain
    UNION ALL
    SELECT referrer_domain, count(), groupUniqArrayIf(visitor, visitor <> '')
    FROM events
    WHERE subject = {site:String} AND time >= {from:Int64} AND time < {to:Int64} AND kind = 0 AND session_id = ''
    GROUP BY referrer_domain)
SELECT if(domain = '', 'Direct', transform(domain, {domains:Array(String)}, {names:Array(String)}, domain)) AS name,
  toInt64(sum(views)) AS pageviews, toInt64(uniqExactArray(visitors)) AS people, 100 * people / sum(people) OVER (),
  if(domain = '', 'direct', concat('https://', domain)), if(domain = '', 'direct', domain), domain,
  if(domain = '', 'direct', transform(domain, {domains:Array(String)}, {kinds:Array(String)}, 'other'))
FROM visits
GROUP BY domain
ORDER BY people DESC, name, domain
LIMIT 100
