// A dashboard that asks the public API as any client does: one request for everything it shows. Texts of
// answers are only ever set as text.

const form = document.getElementById("form");
const field = form.elements;
const parts = Object.fromEntries(["filters", "status", "answers", "totals", "series", "tables"].map((id) => [id, document.getElementById(id)]));
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const language = "en";

const whole = (n) => n.toLocaleString(language, { maximumFractionDigits: 0 });
const percent = (n) => `${n.toLocaleString(language, { maximumFractionDigits: 1 })} %`;
const seconds = (n) => (n < 60 ? `${Math.round(n)} s` : `${Math.floor(n / 60)} min ${Math.round(n % 60)} s`);
const vital = (n, row) => ({ CLS: n.toLocaleString(language, { maximumFractionDigits: 3 }), FPS: whole(n) })[row.metric_name] ?? `${whole(n)} ms`;

// Whether more is better, or less: null says neither.
const tiles = [
  { title: "Visitors", column: "visitors", text: whole, good: 1 },
  { title: "Sessions", column: "sessions", text: whole, good: 1 },
  { title: "Pageviews", column: "pageviews", text: whole, good: 1 },
  { title: "Bounce rate", column: "bounce_rate", text: percent, good: -1 },
  { title: "Median session", column: "median_session_duration", text: seconds, good: 1 },
];

// value is what a filter on a row asks for; without field, rows are no filters.
const tables = [
  { title: "Pages", type: "pages", label: "path", column: "pageviews", unit: "Views", field: "path", value: (r) => r.path },
  { title: "Sources", type: "traffic_sources", label: "name", column: "visitors", unit: "Visitors", field: "referrer", value: (r) => r.source },
  { title: "Countries", type: "countries", label: "name", column: "visitors", unit: "Visitors", field: "country", value: (r) => r.country_code },
  { title: "Browsers", type: "browser_name", label: "name", column: "visitors", unit: "Visitors", field: "browser_name", value: (r) => r.name },
  { title: "Devices", type: "device_types", label: "name", column: "visitors", unit: "Visitors", field: "device_type", value: (r) => r.device_type },
  { title: "Custom events", type: "custom_events", label: "name", column: "total_events", unit: "Events" },
  { title: "Outgoing links", type: "outbound_domains", label: "domain", column: "total_clicks", unit: "Clicks" },
  { title: "Errors", type: "errors", label: "message", column: "count", unit: "Count" },
  { title: "Web vitals", type: "vitals_overview", label: "metric_name", column: "p75", unit: "p75", text: vital, plain: true },
];

let filters = []; // {field, value, label}
let asked = 0; // so that a late answer does not take the place of a later one

const graphics = ["svg", "path", "rect", "line", "title"];

/** An element with a text or children. */
function element(name, inside = [], attributes = {}) {
  const made = graphics.includes(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...[inside].flat());
  return made;
}

/** The JSON of an answer; what went wrong is an error with the API's own words. */
async function call(path, body) {
  const response = await fetch(path, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${field.key.value.trim()}`, ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok || answer.success === false) throw new Error(`${answer.code ?? response.status}: ${answer.error ?? response.statusText}`);
  return answer;
}

async function listWebsites() {
  const before = field.website.value || wanted.get("website");
  const { websites } = await call("/v1/query/websites");
  field.website.replaceChildren(...websites.map((site) => element("option", site.name || site.domain, { value: site.id })));
  if (websites.length === 0) throw new Error("This key sees no website.");
  field.website.value = websites.some((site) => site.id === before) ? before : websites[0].id;
}

async function show() {
  const turn = ++asked;
  tell("Asking …");
  try {
    if (field.website.dataset.key !== field.key.value) {
      await listWebsites();
      field.website.dataset.key = field.key.value;
      sessionStorage.setItem("key", field.key.value);
    }
    const hourly = ["today", "yesterday"].includes(field.preset.value);
    const address = new URLSearchParams({ website_id: field.website.value, timezone: field.timezone.value });
    const answer = await call(`/v1/query?${address}`, {
      preset: field.preset.value, granularity: hourly ? "hourly" : "daily",
      filters: filters.map(({ field, value }) => ({ field, op: "eq", value })),
      parameters: [{ name: "summary_metrics", compare: "previous_period" }, { name: "events_by_date", limit: 1000 },
        ...tables.map(({ type, column, plain }) => ({ name: type, limit: 8, ...(!plain && { sortBy: column, sortOrder: "desc" }) }))],
    });
    if (turn !== asked) return;
    const [totals, series, ...rest] = answer.data;
    parts.totals.replaceChildren(...tiles.map((tile) => totalOf(tile, totals)));
    parts.series.replaceChildren(...chart(series.data ?? []));
    parts.tables.replaceChildren(...tables.map((table, i) => tableOf(table, rest[i])));
    parts.answers.hidden = false;
    tell(`${answer.meta.startDate} to ${answer.meta.endDate}, ${answer.meta.timezone}; changes are against the period before.`);
  } catch (error) {
    if (turn !== asked) return;
    parts.answers.hidden = true;
    tell(error.message, true);
  }
  listFilters();
}

function tell(text, failed = false) {
  parts.status.textContent = text;
  parts.status.classList.toggle("failed", failed);
}

function totalOf({ title, column, text, good }, { data, changes }) {
  const value = data?.[0]?.[column], change = changes?.[0]?.[column];
  const inside = [value == null ? "–" : text(value)];
  if (change != null) {
    const judged = change === 0 ? "" : Math.sign(change) === good ? "better" : "worse";
    inside.push(" ", element("small", `${change > 0 ? "+" : ""}${percent(change)}`, { class: judged }));
  }
  return element("div", [element("dt", title), element("dd", inside)]);
}

const width = 1000, height = 200;

/** Pageviews and visitors as lines, with a caption. */
function chart(rows) {
  const most = Math.max(4, ...rows.map((row) => row.pageviews));
  const step = width / Math.max(1, rows.length), x = (i) => (i + 0.5) * step, y = (n) => height - (n / most) * height;
  const line = (column) => element("path", [], {
    class: column, d: rows.map((row, i) => `${i ? "L" : "M"}${x(i).toFixed(1)},${y(row[column]).toFixed(1)}`).join(""),
  });
  const grid = [0, 0.5, 1].map((share) => element("line", [], { class: "grid", x1: 0, x2: width, y1: y(most * share), y2: y(most * share), "vector-effect": "non-scaling-stroke" }));
  const hits = rows.map((row, i) => element("rect",
    element("title", `${row.date}: ${whole(row.pageviews)} pageviews, ${whole(row.visitors)} visitors`),
    { class: "hit", x: x(i) - step / 2, y: 0, width: step, height }));
  const drawn = element("svg", [...grid, line("pageviews"), line("visitors"), ...hits], {
    viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
    "aria-label": rows.length ? `Pageviews and visitors from ${rows[0].date} to ${rows.at(-1).date}` : "No rows",
  });
  const ends = rows.length ? `${rows[0].date} to ${rows.at(-1).date}, highest ${whole(most)}` : "";
  return [drawn, element("figcaption", [element("span", "Pageviews", { class: "key pageviews" }), element("span", "Visitors", { class: "key visitors" }), ends])];
}

function tableOf(table, answer) {
  const head = element("h2", table.title);
  if (!answer.success) return element("section", [head, element("p", answer.error, { class: "failed" })]);
  if (answer.data.length === 0) return element("section", [head, element("p", "Nothing in this range.")]);
  const most = Math.max(...answer.data.map((row) => row[table.column] ?? 0));
  const rows = answer.data.map((row) => {
    const label = row[table.label] || "(none)", value = row[table.column];
    const first = element("td", table.field && table.value(row) ? filterButton(table, label, table.value(row)) : label, { title: label });
    if (!table.plain) first.style.setProperty("--share", `${(100 * (value ?? 0)) / (most || 1)}%`);
    return element("tr", [first, element("td", value == null ? "–" : (table.text ?? whole)(value, row))]);
  });
  const names = element("tr", [element("th", "Name", { scope: "col" }), element("th", table.unit, { scope: "col" })]);
  return element("section", [head, element("table", [element("thead", names), element("tbody", rows)])]);
}

function filterButton({ field, title }, label, value) {
  const made = element("button", label, { type: "button" });
  made.addEventListener("click", () => {
    filters = [...filters.filter((one) => one.field !== field), { field, value, label: `${title}: ${label}` }];
    show();
  });
  return made;
}

function listFilters() {
  parts.filters.replaceChildren(...filters.map((one) => {
    const remove = element("button", `${one.label} ✕`, { type: "button", "aria-label": `Remove the filter ${one.label}` });
    remove.addEventListener("click", () => {
      filters = filters.filter((other) => other !== one);
      show();
    });
    return element("li", remove);
  }));
}

// The address may have a key and a website behind its #, which no server sees. The key is then kept
// for this tab alone, and leaves the address.
const wanted = new URLSearchParams(location.hash.slice(1));
if (location.hash) history.replaceState(null, "", location.pathname);
field.key.value = wanted.get("key") ?? sessionStorage.getItem("key") ?? "";
field.timezone.append(...[...new Set([zone, "UTC", ...Intl.supportedValuesOf("timeZone")])].map((name) => element("option", name)));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
for (const name of ["website", "preset", "timezone"]) field[name].addEventListener("change", show);
if (field.key.value) show();
