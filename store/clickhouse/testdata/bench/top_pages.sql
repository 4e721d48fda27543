SELECT path, path, toInt64(count()) AS pageviews, toInt64(uniqExactIf(visitor, visitor <> '')) AS visitors,
  100 * visitors / sum(visitors) OVER ()
FROM events
WHERE subject = {site:String} AND time >= {from:Int64} AND time < {to:Int64} AND kind = 0
GROUP BY path
ORDER BY visitors DESC, path
LIMIT 100
