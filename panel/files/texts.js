// All texts of the page, so that a translation is a copy of this file. Functions put values into texts.

export const texts = {
  website: "Website", range: "Range", from: "From", to: "To", before: "Earlier period", after: "Later period", options: "Options",
  compare: "Compare with", interval: "Interval", zone: "Time zone", signOut: "Sign out", close: "Close", apply: "Apply", custom: "Choose dates",
  section: "Section", sectionsOf: "Sections", metricsOf: "Metrics",
  sections: {
    overview: "Overview", goals: "Goals", funnels: "Funnels", retention: "Retention", paths: "Paths", links: "Short links", uptime: "Uptime", flags: "Flags", settings: "Settings",
  },
  presets: {
    today: "Today", yesterday: "Yesterday", last_7d: "Last 7 days", last_14d: "Last 14 days", last_30d: "Last 30 days", last_90d: "Last 90 days",
    last_180d: "Last 180 days", last_365d: "Last 365 days", this_week: "This week", last_week: "Last week", this_month: "This month",
    last_month: "Last month", last_6m: "Last 6 months", last_12m: "Last 12 months", this_year: "This year", last_year: "Last year", all_time: "All time",
  },
  compares: { previous_period: "Period before", previous_year: "Year before", none: "Nothing" },
  intervals: { auto: "Automatic", hourly: "Hours", daily: "Days", weekly: "Weeks", monthly: "Months" },
  metrics: {
    visitors: "Visitors", sessions: "Sessions", pageviews: "Pageviews", bounce_rate: "Bounce rate", median_session_duration: "Median visit", pages_per_session: "Pages per visit",
  },
  cards: { pages: "Pages", sources: "Sources", places: "Places", people: "Technology", events: "Actions", health: "Quality" },
  lists: {
    pages: "Pages", entry: "Entry", exit: "Exit", sources: "Sources", referrers: "Referrers", campaigns: "Campaigns", utm_source: "UTM source", utm_medium: "UTM medium",
    countries: "Countries", map: "Map", regions: "Regions", cities: "Cities", devices: "Devices", browsers: "Browsers", systems: "Systems", screens: "Screens",
    languages: "Languages", events: "Events", links: "Outgoing links", errors: "Errors", vitals: "Web vitals", speed: "Vitals by page", error: "Pages with an error", properties: "Properties", sessions: "Visits", visit: "Events of a visit",
  },
  columns: {
    visitors: "Visitors", pageviews: "Views", sessions: "Sessions", percentage: "Share", change: "Change", median_time_on_page: "Time on page",
    avg_load_time: "Load time", total_events: "Events", unique_users: "Visitors", total_clicks: "Clicks", count: "Count", users: "Visitors",
    p75: "75th percentile", samples: "Samples", rating: "Rating", name: "Name", property_value: "Value", duration: "Duration", page_views: "Views",
    entry_page: "Entry page", referrer_name: "Source", country_name: "Country", device_type: "Device", timestamp: "Time", kind: "Kind", path: "Page", text: "Text", first_visit: "Time",
    errors: "Count", error_type: "Type", last_seen: "Last seen", p75_lcp: "LCP", p75_inp: "INP", p75_cls: "CLS", p75_fcp: "FCP", p75_ttfb: "TTFB",
  },
  fields: {
    path: "Page", referrer: "Source", utm_source: "UTM source", utm_medium: "UTM medium", utm_campaign: "Campaign", country: "Country", region: "Region", city: "City",
    device_type: "Device", browser_name: "Browser", os_name: "System", screen_resolution: "Screen", language: "Language", event: "Event", click: "Outgoing link",
  },
  operators: { is: "is", is_not: "is not", contains: "contains", contains_not: "does not contain" },
  or: ", ",
  filters: "Filters", addFilter: "Add filter", editFilter: "Filter", field: "Field", operator: "Condition", values: "Values, one on each line",
  edit: (label) => `Change the filter ${label}`, remove: (label) => `Remove the filter ${label}`,
  ratings: { good: "good", needs: "needs work", poor: "poor" },
  none: "(none)", all: "See all", allOf: (title) => `See all: ${title}`, search: "Search", earlierRows: "Rows before", laterRows: "Rows after", rows: (from, to) => `Rows ${from} to ${to}`,
  noRows: "Nothing in this range.", noMatch: "Nothing matches.", fresh: "new", more: (limit) => `over ${limit}`,
  noPlaces: "Countries, regions and cities are not known. To get them, start the server with --geoip and a database of addresses.",
  listsOf: { properties: (name) => `Properties of ${name}`, error: (message) => `Pages with the error ${message}` }, mores: { properties: "Properties", error: "Pages" }, visits: "Visits", points: (text) => `${text} pts`,
  csv: "CSV", json: "JSON", curl: "Copy as curl", copied: "Copied. Put your key in the place of KEY.", share: "Copy a link to share", shared: "Link copied. It opens this website, read-only, for 24 hours.",
  now: (count) => `${count} now`, nowLong: "Visitors in the last five minutes", asOf: (time) => `As of ${time}`,
  loading: "Loading", compared: (from, dates) => `${from}, compared with ${dates}`, unfinished: "Dashed: not over yet", 
  chart: (metric) => `${metric} by date. Use the arrow keys to read the values.`, bucket: (date, metric, value) => `${date}: ${value} ${metric}`, bucketOther: (date, value) => `${date}: ${value}`,
  signIn: "Sign in", key: "Key or panel token", stay: "Stay signed in on this device", enter: "Sign in",
  signInHelp: "You get a key from the person who runs this server.",
  faults: {
    key: "This key is not valid. It may have expired or been revoked. Sign in with another one.",
    forbidden: "This key may not read this website.", noWebsite: "This key sees no website. To add one, open Settings with a key that may do so.",
    busy: (seconds) => `Too many requests with this key. Trying again in ${seconds} s.`,
    gone: (seconds) => `The server does not answer. Trying again in ${seconds} s.`,
    failed: (seconds) => `The server has a fault. Trying again in ${seconds} s.`,
    other: (text) => `The server cannot answer: ${text}`,
  },
  metric: "Metric", list: "List", tab: "Tab", start: "the first one",
  unknown: (name, value, instead) => `The address asks for “${value}” (${name.toLowerCase()}), which is not known here. Shown instead: ${instead}.`,
  unknownFilter: (value) => `The address has a filter that is not known here: ${value}.`,
  tooLong: "Hours are shown for at most 30 days. Shown instead: Automatic.",

  // Goals, funnels, retention and paths.
  asking: {
  },

  // Short links, uptime, flags and the map.
  others: {
    chosen: "Choice", columns: { clicks: "Clicks" },
    map: "Map of countries by visitors. Use the arrow keys to go from the most visitors to the fewest, and Enter to show one country only.",
    visitorsOf: (place, count) => `${place}: ${count} visitors`, tapAgain: (text) => `${text}. Tap again to filter.`, between: (from, to) => (from === to ? from : `${from}–${to}`),
    notOnMap: (countries) => `Not on the map: ${countries}.`, noMap: "The map could not be loaded.",
    links: {
      title: "Short links", link: "Link", clicks: "Clicks", clicksOf: (name) => `Clicks on ${name}`,
      none: "This key can read no short link. Somebody with access to the server creates links with this command; a key needs the scope read:links to read them. The document keys.md tells more.",
      command: "sightline links add --slug spring --target https://shop.example/spring",
    },
    uptime: {
      title: "Monitors", monitor: "Monitor", now: "Now", uptime: "Uptime", p50: "p50", p95: "p95", mean: "Mean", region: "Region", regions: "Regions",
      times: (name) => `Response times of ${name}, in ms`, median: "median (p50)", slowest: "95th percentile (p95)",
      statuses: [["down", "worse"], ["up", "better"], ["checking again", "soft"], ["maintenance", "soft"]], noCheck: "no checks", since: (time) => `no check since ${time}`,
      outages: "Outages", began: "Began", lasted: "Lasted", failed: "Failed", open: (time) => `${time}, not over yet`, noOutage: "No outage in this range.",
      downtime: (time) => `Downtime in this range: ${time}.`, latestDays: (count) => `Only outages of the latest ${count} days with downtime are listed.`,
      certificate: "Certificate", valid: "The certificate is valid.", invalid: "The certificate is not valid.", expires: (time) => `It expires on ${time}.`, noCertificate: "No check tested a certificate.",
      none: "This key can read no monitor. Somebody with access to the server creates monitors with this command, and a program of yours sends the checks to /uptime-checks.",
      command: "sightline monitors add --name Shop --url https://shop.example/",
    },
    flags: {
      title: "Flags and experiments", flag: "Flag", variants: "Variants", variant: "Variant", exposures: "Exposures", exposuresOf: (count) => `${count} exposures`, converted: "Converted", of: (count, all) => `${count} of ${all}`, rate: "Conversion",
      statuses: { active: "active", inactive: "inactive", archived: "archived" }, rollout: (share) => `on for ${share}`,
      resultsOf: (flag) => `Results of ${flag}`, outcome: "What counts as a conversion", ownOutcomes: "Outcome events of the flag", base: "the others are compared with this one",
      interval: (low, high) => `${low} to ${high}`, unseen: "Nobody saw this flag in this range.", single: "Only one variant was seen. There is nothing to compare it with.",
      noVisitors: (name) => `Nobody saw ${name}.`,
      better: (name, base, by, low, high) => `${name} converts better than ${base}: by ${by}; the true difference is probably between ${low} and ${high}.`,
      worse: (name, base, by, low, high) => `${name} converts worse than ${base}: by ${by}; the true difference is probably between ${low} and ${high}.`,
      undecided: (name, base, low, high) => `${name} compared with ${base}: not yet decided. It may convert up to ${low} worse, or up to ${high} better.`,
      once: "Intervals are 95 % intervals. Decide how long an experiment runs before it starts, and read the result at its end: it is not valid if you stop as soon as it looks good.",
      none: "Nobody was shown a flag of this website in this range. Create a flag with this command; clients send an event $flag_evaluated when they evaluate one. The document flags.md tells more.",
      command: "sightline flags add --help",
    },
  },

  // Websites, keys and the audit trail.
  settings: {
    copy: "Copy", wasCopied: "Copied.", copyYourself: "Selected. Press Ctrl or ⌘ and C to copy it.", save: "Save",
    mistake: (text) => `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`,
    kinds: { website: "Website", link: "Short link", schedule: "Monitor", organization: "Organisation", key: "Key" },
    scopes: {
      "read:data": ["Read statistics", "of websites, links and monitors"], "read:links": ["Read short links", "their statistics alone"], "read:monitors": ["Read monitors", "their statistics alone"],
      "track:events": ["Send events", "from servers, apps and link or uptime checkers"], "manage:flags": ["Manage flags", "create, change and delete feature flags"],
      "manage:definitions": ["Save goals and funnels", "for everybody who reads the website"], "manage:websites": ["Manage websites", "add, change and remove them"],
      "manage:keys": ["Manage keys", "that may do no more than this key"], "read:audit": ["Read the audit trail", "every use of every key"],
      "export:data": ["Export raw rows", "with the ids of visitors"], "erase:data": ["Erase visitors", "all rows and the profile of a person"],
    },
    websites: {
      title: "Websites", add: "Add website", change: "Change website", none: "There is no website yet.", tag: "Script tag", tagOf: (name) => `Script tag of ${name}`, tagTitle: "Script tag",
      denied: "With this key you cannot add, change or remove websites. It lacks “Manage websites” (manage:websites), or it sees only a part of the rows.", cannotAdd: "With this key you cannot add websites, because it is limited to these.",
      remove: "Remove", removeOf: (name) => `Remove ${name}`, removeTitle: "Remove website",
      removeAsk: (name) => `The server no longer takes events of “${name}” and no longer shows its statistics. Its feature flags, goals, funnels and profiles are deleted. Its events stay stored, but only the operator of the server can show them again.`,
      senders: "Who may send events", storage: "How long rows are kept",
      fields: {
        domain: "Domain", name: "Name", allowedOrigins: "Further pages", allowedAddresses: "Only these addresses", blockedAddresses: "Blocked addresses", keyedEvents: "Custom events need a key.", monthlyEvents: "Events in a month",
        paused: "Paused:", retentionDays: "Days", keepTotals: "Keep the totals of removed days.",
      },
      helps: {
        domain: "Its pages and those of its subdomains may send events.", name: "By default the domain.", allowedOrigins: "One on each line: a host, *.host for its subdomains too, or * for all. With an entry, events without an origin are rejected.",
        allowedAddresses: "Addresses or networks such as 203.0.113.0/24, one on each line. Empty: all may send events.", blockedAddresses: "Addresses or networks that may not send events, one on each line.",
        monthlyEvents: "Further events are rejected. Empty: no limit.", paused: "all events are rejected, also those with a key.", retentionDays: "Older rows are removed and do not come back. At least 7; empty keeps all.", keepTotals: "They count in answers without filters.",
      },
      rules: {
        paused: "paused", keyed: "custom events need a key", origins: (list) => `also ${list}`, allowed: (count) => (count === 1 ? "1 allowed network" : `${count} allowed networks`), blocked: (count) => (count === 1 ? "1 blocked network" : `${count} blocked networks`),
        quota: (count) => `${count} events a month`, days: (count) => `rows for ${count} days`, totals: (count) => `rows for ${count} days, then totals`,
      },
    },
    install: {
      title: "Count the first visit", where: (domain) => `Put this element into the head of every page of ${domain}:`, anywhere: "Put this element into the head of every page:", tag: "Script tag",
      pin: "Only this version of the script", pinHelp: "Browsers check it. After an upgrade of the server that changes the script, replace the element.", rest: "Visits of robots, and visits to localhost, do not count.",
      waiting: "Waiting for the first event. Numbers appear here as soon as it arrives.", none: "This server does not take events at a known address. Ask the person who runs it for the script tag.",
    },
    keys: {
      title: "Keys", create: "Create key", change: "Change key", denied: "With this key you cannot manage keys. It lacks “Manage keys” (manage:keys), and panel tokens never have it.",
      name: "Name", nameHelp: "What uses the key, so that you know it again.", scopes: "What it may do", scopesHelp: "A key can give at most what it may do itself.", noScope: "Choose at least one", noDate: "Choose a date",
      reach: "Websites", everything: "Everything, also what is added later", some: "Only these websites", nothing: "nothing", others: (count) => (count === 1 ? "1 link or monitor" : `${count} links and monitors`),
      expiry: "Ends", expiryDate: "On a date", never: "Never", days: (count) => (count === 1 ? "In a day" : count === 365 ? "In a year" : `In ${count} days`), disabled: "Switched off: requests with this key are refused until you clear this",
      states: { disabled: "switched off", revoked: "revoked", expired: "expired" }, used: (time) => `last used ${time}`, unused: "never used", expires: (time) => `ends ${time}`, filtered: "sees a part of the rows", old: (time) => `the replaced secret works until ${time}`,
      current: "this session", created: (time) => `Created ${time}`, over: (count) => (count === 1 ? "1 key that no longer works" : `${count} keys that no longer work`),
      rotate: "Rotate", rotateOf: (name) => `Rotate ${name}`, rotateTitle: "Rotate key", rotateAsk: (name) => `“${name}” gets a new secret. Put it wherever the key is used.`,
      grace: "The present secret works", graces: { "": "no longer", "1h": "for another hour", "24h": "for another day", "168h": "for another week" }, graceHelp: "Time to replace it without a gap.",
      revoke: "Revoke", revokeOf: (name) => `Revoke ${name}`, revokeTitle: "Revoke key", revokeAsk: (name) => `Everything that uses “${name}” stops within a second, also its panel tokens. This cannot be undone.`,
      revokeOwn: "You are signed in with this key. You will be signed out.",
      secret: "Secret", secretOf: (name) => `This is the secret of “${name}”:`, once: "Copy it now. It is shown once and cannot be read again.",
    },
    audit: {
      title: "Audit trail", entries: "Entries", denied: "With this key you cannot see the audit trail. It needs “Read the audit trail” (read:audit), for everything and without filters.", of: "Key", all: "All keys", none: "No entries.", nobody: "Nobody", allowed: "Allowed",
      refused: (status) => `Refused (${status})`, newest: "Newest entries", older: "Older entries", times: (text, count) => `${text}, ${count} times`,
      columns: { time: "Time", key: "Key", action: "What", resource: "Of", outcome: "Outcome", from: "From" },
      actions: {
        "GET /v1/keys": "Listed keys", "POST /v1/keys": "Created a key", "GET /v1/keys/{id}": "Read a key", "PATCH /v1/keys/{id}": "Changed a key", "DELETE /v1/keys/{id}": "Revoked a key", "POST /v1/keys/{id}/rotate": "Rotated a key",
        "GET /v1/websites": "Listed websites", "GET /v1/websites/{website_id}": "Read a website", "GET /v1/websites/{website_id}/analytics": "Read statistics", "GET /v1/websites/{website_id}/definitions": "Listed goals and funnels",
        "POST /v1/websites/{website_id}/definitions": "Saved a goal, funnel or segment", "DELETE /v1/websites/{website_id}/definitions": "Removed a goal, funnel or segment",
        "POST /public/v1/flags": "Created a flag", "PATCH /public/v1/flags/{id}": "Changed a flag", "DELETE /public/v1/flags/{id}": "Removed a flag", "GET /public/v1/flags/definitions": "Listed flags",
        "POST /v1/websites": "Added a website", "PATCH /v1/websites/{website_id}": "Changed a website", "DELETE /v1/websites/{website_id}": "Removed a website",
        "GET /v1/query/websites": "Listed websites", "POST /v1/query": "Read statistics", "GET /v1/query": "Read statistics", "GET /v1/audit": "Read the audit trail", "POST /v1/tokens": "Created a panel token", "GET /v1/export": "Exported rows", "DELETE /v1/visitors/{id}": "Erased a visitor",
      },
    },
  },

  // Shortcuts, annotations and exports.
  manners: {
  },
};
