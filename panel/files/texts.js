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
    goal: "Goal", newGoal: "New goal", goalNamed: (name) => `Goal ${name}`, changeGoal: (name) => `Edit the goal ${name}`,
    funnel: "Funnel", newFunnel: "New funnel", funnelNamed: (name) => `Funnel ${name}`, changeFunnel: (name) => `Edit the funnel ${name}`,
    columns: { visitors: "Visitors", conversions: "Conversions", conversion_rate: "Rate", value: "Value" }, valueOf: (property) => `Sum of ${property}`,
    edit: "Edit", save: "Save", try: "Try without saving", remove: "Remove", discard: "Discard the change", name: "Name",
    removeAgain: "It is saved for everybody who reads this website. Press Remove again to remove it.",
    unsaved: "not saved", changed: "changed, not saved", tried: "not saved, in the address", savedGoals: "the saved goals", savedFunnels: "the saved funnels",
    noGoals: "There are no goals yet.", noGoalsHelp: "A goal is an event, a page or a link that you want visitors to reach. Make one to see how many do.",
    noFunnels: "There are no funnels yet.", noFunnelsHelp: "A funnel is 2 to 10 steps, such as a page, another page and an event. Make one to see how many visitors go on, and where they leave.",
    isGone: { goal: "There is no goal of this name. It may have been removed.", funnel: "There is no funnel of this name. It may have been removed." },
    mayNotSave: {
      goal: "This key cannot save or remove goals: it lacks the scope manage:definitions. You can try goals. They stay in the address of this page only.",
      funnel: "This key cannot save or remove funnels: it lacks the scope manage:definitions. You can try funnels. They stay in the address of this page only.",
    },
    notSaved: "The server does not answer now. Nothing was changed. Try again.", taken: "is taken. Choose another one.",
    madeElsewhere: "This was made with the API, and has conditions that this form cannot show:",
    mistake: (label, text) => (/^(is|must|has|may|cannot|would) /.test(text) ? `${label} ${text}` : `${text[0].toUpperCase()}${text.slice(1)}`),
    pageFilter: "The filter by page means visits in which the page was seen.",
    kind: "What", kinds: { event: "Event", page: "Page", click: "Outgoing link" }, anything: "any page or event", anyChoice: "Any page or event",
    texts: { event: "Name of the event", page: "Path of the page", click: "Address of the link", matches: "Pattern (RE2)" },
    examples: { event: "signup", page: "/pricing", click: "https://example.com/" },
    operator: "Condition",
    operators: {
      eq: "is", ne: "is not", starts_with: "starts with", not_starts_with: "does not start with", ends_with: "ends with", not_ends_with: "does not end with",
      contains: "contains", not_contains: "does not contain", matches: "matches", not_matches: "does not match", in: "is one of", not_in: "is none of",
      gt: "is more than", gte: "is at least", lt: "is less than", lte: "is at most", exists: "is there", not_exists: "is not there",
    },
    property: "Property", filterFields: { path: "Page", href: "Address of the link", text: "Text of the link" },
    addCondition: "+ Only if …", removeCondition: "Remove this condition", conditionOn: "Only if", key: "Name of the property", value: "Value",
    onlyIf: (text) => `, if ${text}`, and: " and ",
    valueProperty: "Property to add up (optional)", valueHelp: "A property of the event that is a number, such as the total of an order.",
    steps: "Steps", step: (n) => `Step ${n}`, addStep: "+ Add step", stepName: "Name to show (optional)", stepUp: (n) => `Move step ${n} up`, stepDown: (n) => `Move step ${n} down`, stepRemove: (n) => `Remove step ${n}`,
    window: "Time from the first step to the last (optional)", windowHelp: "Without it the steps may be any time apart within the range.", unit: "Unit", units: { m: "minutes", h: "hours", d: "days" },
    within: "Steps belong to", withins: { visitor: "the same visitor", session: "the same visit" },
    windowOf: (text) => `Within ${Number.parseInt(text, 10)} ${{ m: "min", h: "h", d: "d" }[text.at(-1)]}`, noWindow: "Any time in the range",
    counted: { visitors: "visitors", sessions: "visits" }, wholeWay: (last, first, what) => `went all the way: ${last} of ${first} ${what}`,
    lost: (count, share) => `↓ ${count} left (${share})`, ofFirst: (share) => `${share} of the first step`, ofBefore: (share) => `${share} of the step before`, after: (time) => `median ${time} after the first step`,
    nobody: "Nobody did the first step in this range.",
    breakdown: "Break down by", noBreakdown: "Nothing", by: (field) => `By ${field.toLowerCase()}`, firstGroups: (count) => `The ${count} with the most at the first step.`,
    started: "New visitors are those who first did", returned: "They came again when they did", changeRetention: "Who is new, and who came again", editRetention: "Edit who is new, and who came again", cohorts: "Length of the periods", cohort: "First came", size: "Visitors",
    retentionOf: (start, back) => `New visitors: ${start}. Came again: ${back}.`,
    noCohorts: "Nobody came first in this range.", gridOf: "Share of visitors who came again",
    cohortCell: (count, size) => `${count} of ${size}`, notOver: " (not over yet)", begunBefore: " (began before the range)",
    legend: "* The period is not over, or the range ends before it does.", legendCut: "† Began before the range; only visitors since its first day count.",
    period: { daily: (n) => `Day ${n}`, weekly: (n) => `Week ${n}`, monthly: (n) => `Month ${n}` },
    dailyIds: "Visitors of this website get new ids each day, so they are not recognised when they come again. Send a profileId with the events, or turn daily ids off, to see who comes back.",
    startAt: "Start at a page", show: "Show", allPages: "All pages", pathsOf: (page) => `Paths through ${page}`, cameFrom: (page) => `Before ${page}`, wentTo: (page) => `After ${page}`,
    entry: "Came to the website", exit: "Left the website", times: "Times", shareHelp: "The share is of all that went on from the same page.", fromHere: (page) => `${page}: paths from here`, noPaths: "Nobody went this way in this range.", firstPaths: (count) => `The ${count} most frequent. Click on a page to see all of its paths.`,
  },

  // Short links, uptime and flags.
  others: {
  },

  // Websites, keys and the audit trail.
  settings: {
  },

  // Shortcuts, annotations and exports.
  manners: {
  },
};
