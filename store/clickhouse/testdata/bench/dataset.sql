-- Events of one website: {sessions} sessions of about five events over 90 days from {from}, by {visitors}
-- visitors. Every value is a hash of the session number and a word, so the same rows are generated each time.
INSERT INTO events (subject, event_id, time, receipt, session_id, anonymous_id, profile_id, visitor, browser_name,
  browser_version, os_name, os_version, device_type, country, region, city, path, kind, name, title, referrer,
  referrer_domain, utm_source, utm_medium, utm_campaign, language, timezone, screen_resolution, viewport_size,
  load_time, dom_ready_time, ttfb, time_on_page, scroll_depth, interactions, properties, href)
WITH
  (salt -> cityHash64(n, {subject:String}, salt) / 18446744073709551616.0) AS u,
  -- More people are active at noon.
  toInt64({from:Int64} + intDiv(n * 90, {sessions:UInt64}) * 86400000 + (u('day') + u('night')) / 2 * 86399999) AS start,
  cityHash64(n, {subject:String}, 'who') % {visitors:UInt64} AS person,
  multiIf(u('views') < 0.45, 1, u('views') < 0.65, 2, u('views') < 0.8, 3, u('views') < 0.9, 4, 5 + toUInt8(u('more') * 3)) AS views,
  arrayMap(v -> 800 + toInt64(pow(cityHash64(n, v, 'stay') % 10000 / 10000, 3) * 300000), range(1, views + 1)) AS stays,
  -- Two sessions in a thousand continue after a day or more, in a tab that was left open.
  if(u('tab') < 0.002, 100000000, 0) AS away,
  arrayMap(v -> start + arraySum(arraySlice(stays, 1, v - 1)) + if(v > intDiv(views, 2), away, 0), range(1, views + 1)) AS seen,
  -- For each event: kind, time, page, time on page.
  arrayConcat(
    arrayMap(v -> (0, seen[v], v, 0), range(1, views + 1)),
    arrayMap(v -> (1, seen[v] + stays[v], v, stays[v]), range(1, views + 1)),
    if(u('custom') < 0.3, [(3, seen[1] + 700, 1, 0)], []),
    if(u('click') < 0.1, [(4, seen[1] + 750, 1, 0)], [])) AS happened,
  ['', '', '', '', 'google.com', 'google.com', 'google.com', 'bing.com', 'duckduckgo.com', 'chatgpt.com', 'linkedin.com', 'x.com',
   'reddit.com', 'github.com', 'news.ycombinator.com', 'blog.example.org', 'partner.example.net', 'weekly.example.com'] AS sources,
  sources[1 + toUInt32(pow(u('source'), 1.5) * length(sources))] AS domain,
  ['US', 'DE', 'GB', 'IN', 'FR', 'BR', 'CA', 'NL', 'ES', 'JP', 'AU', 'PL', 'SE', 'NP', 'IT'] AS countries,
  countries[1 + toUInt32(pow(cityHash64(person, 'land') % 10000 / 10000, 2) * length(countries))] AS land,
  cityHash64(person, 'device') % 10 AS machine,
  lower(hex(sipHash128(person, {subject:String}))) AS anonymous,
  if(person % 20 = 0, concat('customer-', toString(person)), '') AS profile,
  -- 2 000 pages. A few of them get most of the views.
  toUInt32(pow(cityHash64(n, e.3, 'page') % 100000 / 100000, 3) * 2000) AS page
SELECT {subject:String}, toString(reinterpretAsUUID(sipHash128(n, i, {subject:String}))), e.2, 1, toString(reinterpretAsUUID(sipHash128(n, {subject:String}))),
  anonymous, profile, if(profile = '', anonymous, profile),
  ['Chrome', 'Safari', 'Firefox', 'Edge'][1 + machine % 4], toString(100 + person % 30),
  ['Windows', 'macOS', 'Android', 'iOS', 'Linux'][1 + machine % 5], toString(person % 12),
  ['desktop', 'desktop', 'mobile', 'mobile', 'tablet'][1 + machine % 5],
  land, concat(land, '-', toString(person % 8)), concat('City ', toString(person % 300)),
  if(page = 0, '/', concat('/section-', toString(page % 20), '/page-', toString(page))) AS path,
  e.1, ['screen_view', 'page_exit', '', concat('action_', toString(n % 12)), ''][e.1 + 1], if(e.1 = 0, concat('Page ', toString(page)), ''),
  if(domain = '', '', concat('https://', domain, '/')), domain,
  if(n % 7 = 0, 'newsletter', ''), if(n % 7 = 0, 'email', ''), if(n % 7 = 0, concat('week-', toString(n % 13)), ''),
  ['en-US', 'de-DE', 'fr-FR'][1 + person % 3], ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'][1 + person % 3], '1920x1080', '1600x900',
  if(e.1 = 0, 200 + cityHash64(n, i, 'load') % 3000, NULL), if(e.1 = 0, 100 + cityHash64(n, i, 'ready') % 2000, NULL), if(e.1 = 0, cityHash64(n, i, 'ttfb') % 800, NULL),
  if(e.1 = 1, e.4, NULL), if(e.1 = 1, cityHash64(n, i, 'scroll') % 101, NULL), if(e.1 = 1, cityHash64(n, i, 'deeds') % 9, NULL),
  if(e.1 = 3, concat('{"plan":"', ['free', 'pro', 'team'][1 + n % 3], '","seats":', toString(n % 40), '}'), ''),
  if(e.1 = 4, concat('https://elsewhere.example/', toString(n % 50)), '')
FROM (
  SELECT toInt64(number) AS n FROM numbers({sessions:UInt64})
)
ARRAY JOIN happened AS e, arrayEnumerate(happened) AS i
