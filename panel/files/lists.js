// The lists of the page: which query type each one asks, what its rows show, and which filter a row is.
import { country, shown } from "./format.js";
import { drawMap } from "./map.js";
import { texts } from "./texts.js";

const people = ["visitors", "pageviews"];

/** How columns are shown. Columns that are not here are texts. */
export const columnFormats = {
  visitors: "whole", pageviews: "whole", sessions: "whole", percentage: "share", median_time_on_page: "seconds", avg_load_time: "ms", total_events: "whole",
  unique_users: "whole", total_clicks: "whole", count: "whole", users: "whole", samples: "whole", duration: "seconds", page_views: "whole",
  errors: "whole", last_seen: "moment", p75_lcp: "ms", p75_inp: "ms", p75_cls: "decimal", p75_fcp: "ms", p75_ttfb: "ms",
  device_type: "word",
};

/** The formats of columns with texts, which begin on the left. */
export const textFormats = new Set(["word"]);

const place = (row) => [row.name, row.region !== row.name && row.region, row.country_name || country(row.country_code)].filter(Boolean).join(", ");

const pattern = /[\\.+*?()|[\]{}^$]/g, longest = 500; // bytes of a pattern that the server takes

// A filter for the rows whose field has a text, in any case.
function holds(field, text) {
  const value = `(?i)${text.replace(pattern, "\\$&")}`;
  return new TextEncoder().encode(value).length > longest ? { field, op: "contains", value: text } : { field, op: "matches", value };
}
const inSource = (text) => ({ field: "referrer", op: "contains", value: text });
const inPlace = (field) => (text) => ({ or: [holds(field, text), holds("region", text), { field: "country", op: "contains", value: text }] });

/**
 * type is the query type, columns the numbers of a row, the first of which orders the rows. label is the text of a row, field and
 * value make the filter of a row; field can be a function of the row. search is the field of the server's search, or a function that returns its filter.
 * Lists without search are searched here, in all their rows. more is another
 * list about a row, rating rates a row, by the vital rated, and draw shows an answer in a card in place of a table; "See all"
 * opens the list all then. time is the column of the time of a row; with precise only its seconds are shown, not its day. words has functions that return
 * the text of a column.
 */
export const lists = {
  pages: { type: "pages", columns: [...people, "percentage", "median_time_on_page", "avg_load_time"], field: "path", value: (r) => r.path, search: "path" },
  entry: { type: "entry_pages", columns: ["sessions", "visitors", "percentage"], field: "entry_page", value: (r) => r.path, search: "entry_page" },
  exit: { type: "exit_pages", columns: ["sessions", "visitors", "percentage"], field: "exit_page", value: (r) => r.path, search: "exit_page" },
  sources: { type: "traffic", columns: [...people, "percentage"], field: "referrer", value: (r) => r.source, search: inSource },
  referrers: { type: "top_referrers", columns: [...people, "percentage"], label: (r) => r.domain || r.name, field: "referrer", value: (r) => r.source, search: inSource },
  campaigns: { type: "utm_campaigns", columns: [...people, "percentage"], field: "utm_campaign", value: (r) => r.name, search: "utm_campaign" },
  utm_source: { type: "utm_sources", columns: [...people, "percentage"], field: "utm_source", value: (r) => r.name, search: "utm_source" },
  utm_medium: { type: "utm_mediums", columns: [...people, "percentage"], field: "utm_medium", value: (r) => r.name, search: "utm_medium" },
  countries: { type: "countries", columns: [...people, "percentage"], label: (r) => r.country_code ? country(r.country_code) : r.name, field: "country", value: (r) => r.country_code },
  map: { type: "countries", columns: [...people, "percentage"], label: (r) => r.country_code ? country(r.country_code) : r.name, field: "country", value: (r) => r.country_code, limit: 300, draw: drawMap, all: "countries" },
  regions: { type: "region", columns: [...people, "percentage"], label: place, field: "region", value: (r) => r.region, search: inPlace("region") },
  cities: { type: "cities", columns: [...people, "percentage"], label: place, field: "city", value: (r) => r.city, search: inPlace("city") },
  devices: { type: "device_types", columns: [...people, "percentage"], field: "device_type", value: (r) => r.device_type },
  browsers: { type: "browser_name", columns: [...people, "percentage"], field: "browser_name", value: (r) => r.name, search: "browser_name" },
  systems: { type: "os_name", columns: [...people, "percentage"], field: "os_name", value: (r) => r.name, search: "os_name" },
  screens: { type: "screen_resolutions", columns: [...people, "percentage"], field: "screen_resolution", value: (r) => r.name, search: "screen_resolution" },
  languages: { type: "language", columns: [...people, "percentage"], field: "language", value: (r) => r.name, search: "language" },
  events: { type: "custom_events", columns: ["unique_users", "total_events", "percentage"], field: "event", value: (r) => r.name, search: "event_name", internal: (r) => r.name.startsWith("$"), more: (r) => ({ list: "properties", of: r.name }) },
  links: { type: "outbound_links", columns: ["total_clicks", "unique_users", "percentage"], label: (r) => texts.linkOf(r.href.replace(/^https:\/\//, ""), r.text), field: "click", value: (r) => r.href, search: "href" },
  errors: { type: "errors", good: -1, columns: ["count", "users", "percentage", "error_type", "path", "last_seen"], label: (r) => r.message, search: "message", more: (r) => ({ list: "error", of: r.message }) },
  error: { type: "errors_by_page", good: -1, columns: ["errors", "users", "percentage"], field: "path", value: (r) => r.path, search: "path", of: (message) => ({ field: "message", op: "eq", value: message }) },
  vitals: { type: "vitals_overview", columns: ["p75", "samples"], label: (r) => texts.vitals[r.metric_name] ?? r.metric_name, plain: true, format: vital, rating: (r) => rate(r.metric_name, r.p75) },
  speed: { type: "web_vitals_by_page", columns: ["samples", "p75_lcp", "p75_inp", "p75_cls", "p75_fcp", "p75_ttfb"], field: "path", value: (r) => r.path, search: "path", rating: (r) => worst(r)?.rating, rated: (r) => worst(r)?.name },
  properties: { type: "custom_event_properties", columns: ["count"], label: (r) => `${r.property_key} = ${r.property_value}`, field: (r) => `property:${r.property_key}`, value: (r) => r.property_value, of: (name) => ({ field: "event_name", op: "eq", value: name }) },
  sessions: { type: "session_list", columns: ["duration", "page_views", "entry_page", "referrer_name", "country_name", "device_type"], time: "first_visit", plain: true, search: "path", more: (r) => ({ list: "visit", of: r.session_id }) },
  visit: { type: "session_events", columns: ["kind", "path", "name"], time: "timestamp", precise: true, plain: true, words: { kind: (r) => texts.happened[r.kind] ?? r.kind, name: (r) => (["event", "click"].includes(r.kind) ? r.name : "") }, of: (id) => ({ field: "session_id", op: "eq", value: id }) },
};

/** The lists of each card, as tabs. */
export const cards = {
  pages: ["pages", "entry", "exit"],
  sources: ["sources", "referrers", "campaigns", "utm_source", "utm_medium"],
  places: ["countries", "map", "regions", "cities"],
  people: ["devices", "browsers", "systems", "screens", "languages"],
  events: ["events", "links"],
  health: ["errors", "vitals", "speed"],
};

const bounds = { LCP: [2500, 4000], FCP: [1800, 3000], CLS: [0.1, 0.25], INP: [200, 500], TTFB: [800, 1800] };

function vital(n, row) {
  return shown(n, { CLS: "decimal", FPS: "whole" }[row.metric_name] ?? "ms");
}

/** The rating of a web vital by its public thresholds: good, needs, poor, or null if it has none. */
function rate(name, value) {
  const limits = bounds[name];
  if (!limits || value == null) return null;
  return value <= limits[0] ? "good" : value <= limits[1] ? "needs" : "poor";
}

/** The worst of the vitals of a page that search engines look at, as its name and rating, or undefined if it has none. */
function worst(row) {
  const rated = ["LCP", "INP", "CLS"].map((name) => ({ name, rating: rate(name, row[`p75_${name.toLowerCase()}`]) }));
  return ["poor", "needs", "good"].map((one) => rated.find(({ rating }) => rating === one)).find(Boolean);
}

/** Returns the filter of the server's search for a text in a list, or nothing if rows are searched here alone. */
export function searchOf({ search }, text) {
  return typeof search === "string" ? holds(search, text) : search?.(text);
}

/** The parameter that asks for rows of a list. */
export function parameterOf(name, options = {}) {
  const list = lists[name];
  return { name: list.type, id: name, limit: list.limit ?? 8, ...(!list.plain && { sortBy: list.columns[0], sortOrder: "desc" }), ...options };
}
