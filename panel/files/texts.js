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
    forbidden: "This key may not read this website.", noWebsite: "This key sees no website.",
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
  },

  // Shortcuts, annotations and exports.
  manners: {
  },
};
