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
    countries: "Countries", regions: "Regions", cities: "Cities", devices: "Devices", browsers: "Browsers", systems: "Systems", screens: "Screens",
    languages: "Languages", events: "Events", links: "Outgoing links", errors: "Errors", vitals: "Web vitals", properties: "Properties", sessions: "Visits", visit: "Events of a visit",
  },
  columns: {
    visitors: "Visitors", pageviews: "Views", sessions: "Sessions", percentage: "Share", change: "Change", median_time_on_page: "Time on page",
    avg_load_time: "Load time", total_events: "Events", unique_users: "Visitors", total_clicks: "Clicks", count: "Count", users: "Visitors",
    p75: "75th percentile", samples: "Samples", rating: "Rating", name: "Name", property_value: "Value", duration: "Duration", page_views: "Views",
    entry_page: "Entry page", referrer_name: "Source", country_name: "Country", device_type: "Device", timestamp: "Time", kind: "Kind", path: "Page", text: "Text", first_visit: "Time",
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
  propertiesOf: (name) => `Properties of ${name}`, properties: "Properties", visits: "Visits", points: (text) => `${text} pts`,
  csv: "CSV", json: "JSON", curl: "Copy as curl", copied: "Copied. Put your key in the place of KEY.", share: "Share a link",
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

  // Short links, uptime and flags.
  others: {
  },

  // Websites, keys and the audit trail.
  settings: {
  },

  // Shortcuts, annotations and exports.
  manners: {
    theme: "Appearance", themes: { system: "As the system", light: "Light", dark: "Dark" }, print: "Print",
    shortcuts: "Keyboard shortcuts", useShortcuts: "Use shortcuts on this device", changeCompare: "Compare with another period", changeTheme: "Change the appearance",
    searchPages: "Search pages", escape: "Esc", chartKeys: "In the chart, the arrow keys, Home and End read its values. Drag over it with the mouse to choose its dates.",
    shareHelp: "The link opens this view for everybody who has it. It is read-only and shows no other website.",
    shareEnd: "The link ends after", shareEnds: { hour: "1 hour", day: "24 hours", week: "7 days", month: "30 days" }, shareOnly: (filters) => `Show only visits with these filters: ${filters}`,
    keyName: "Link of the panel", makeLink: "Make the link", link: "Link", copy: "Copy",
    linkMade: (until) => `The link works until ${until}.`, linkCopied: "It is copied.", linkNotCopied: "The browser did not allow to copy it.",
    firstRows: "First rows", lastRows: "Last rows", searchVisits: "Search visits by page", text: "Text to copy", copyYourself: "The browser did not allow to copy. Copy the text below.",
    go: "Copy as Go", goCopied: "Copied. The program takes its key from SIGHTLINE_KEY.", place: (site, section) => `${section} of ${site}`,
    mayNotShare: "You are not allowed to make this link. Panel tokens cannot make links. Links for more than 24 hours need a key with manage:keys.",
  },
};
