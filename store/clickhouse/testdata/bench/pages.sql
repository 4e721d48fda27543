SELECT path, path, toInt64(countIf(kind = 0)) AS pageviews, toInt64(uniqExactIf(visitor, kind = 0 AND visitor <> '')) AS visitors,
  100 * visitors / sum(visitors) OVER (),
  quantileExactInclusiveIf(0.5)(time_on_page, kind = 1 AND time_on_page > 1000 AND time_on_page < 3600000) / 1000,
  avgIf(load_time, kind = 0)
FROM events
WHERE subject = {site:String} AND time >= {from:Int64} AND time < {to:Int64} AND kind <= 1
GROUP BY path
HAVING pageviews > 0
ORDER BY visitors DESC, path
LIMIT 100
