// This dashboard uses the public API like any client. It sends one request for everything it shows, and never parses texts
// of answers as HTML.

const form = document.getElementById("form");
const field = form.elements;
const parts = Object.fromEntries(["filters", "status", "answers", "totals", "series", "tables"].map((id) => [id, document.getElementById(id)]));
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const language = "en-GB";

const whole = (n) => n.toLocaleString(language, { maximumFractionDigits: 0 });
const percent = (n) => `${n.toLocaleString(language, { maximumFractionDigits: 1 })} %`;
const change = (n) => `${n > 0 ? "+" : n < 0 ? "−" : "±"}${percent(Math.abs(n))}`;
const seconds = (n) => (Math.round(n) < 60 ? `${Math.round(n)} s` : `${Math.floor(Math.round(n) / 60)} min ${Math.round(n) % 60} s`);
const fault = ({ code, error }) => `${code}: ${error}`;

/** Formats the bucket of a series: a day or an hour. */
function bucket(date) {
  const [day, hour] = date.split(" ");
  return hour ? hour.slice(0, 5) : new Date(`${day}T00:00Z`).toLocaleDateString(language, { day: "numeric", month: "short", timeZone: "UTC" });
}
const vital = (n, row) => ({ CLS: n.toLocaleString(language, { maximumFractionDigits: 3 }), FPS: whole(n) })[row.metric_name] ?? `${whole(n)} ms`;

// good says whether a higher value is better (1), worse (-1) or neither (null).
const tiles = [
  { title: "Visitors", column: "visitors", text: whole, good: 1 },
  { title: "Sessions", column: "sessions", text: whole, good: 1 },
  { title: "Pageviews", column: "pageviews", text: whole, good: 1 },
  { title: "Bounce rate", column: "bounce_rate", text: percent, good: -1 },
  { title: "Median session", column: "median_session_duration", text: seconds, good: 1 },
];

// value returns the filter value of a row. Tables without a field have no filters.
const tables = [
  { title: "Pages", type: "pages", label: "path", column: "pageviews", unit: "Views", field: "path", value: (r) => r.path },
  { title: "Sources", type: "traffic", label: "name", column: "visitors", unit: "Visitors", field: "referrer", value: (r) => r.source },
  { title: "Countries", type: "countries", label: "name", column: "visitors", unit: "Visitors", field: "country", value: (r) => r.country_code },
  { title: "Browsers", type: "browser_name", label: "name", column: "visitors", unit: "Visitors", field: "browser_name", value: (r) => r.name },
  { title: "Devices", type: "device_types", label: "name", column: "visitors", unit: "Visitors", field: "device_type", value: (r) => r.device_type },
  { title: "Custom events", type: "custom_events", label: "name", column: "total_events", unit: "Events" },
  { title: "Outgoing links", type: "outbound_domains", label: "domain", column: "total_clicks", unit: "Clicks" },
  { title: "Errors", type: "errors", label: "message", column: "count", unit: "Count" },
  { title: "Web vitals", type: "vitals_overview", label: "metric_name", column: "p75", unit: "p75", text: vital, plain: true },
];

let filters = []; // {field, value, label}
let asked = 0; // number of the latest request: older answers are ignored

const graphics = ["svg", "path", "rect", "line", "title"];

/** Creates an element with a text or children. */
function element(name, inside = [], attributes = {}) {
  const made = graphics.includes(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...[inside].flat());
  return made;
}

/** Returns the JSON of an answer, or throws an error with the API's message. */
async function call(path, body) {
  const response = await fetch(path, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${field.key.value.trim()}`, ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok || answer.success === false) throw new Error(fault({ code: response.status, error: response.statusText, ...answer }));
  return answer;
}

async function listWebsites() {
  const before = wanted || field.website.value;
  const { websites } = await call("/v1/query/websites");
  field.website.replaceChildren(...websites.map((site) => element("option", site.name || site.domain, { value: site.id })));
  if (websites.length === 0) throw new Error("This key sees no website.");
  field.website.value = websites.some((site) => site.id === before) ? before : websites[0].id;
  wanted = "";
}

async function show() {
  const turn = ++asked;
  tell("Asking …");
  parts.answers.setAttribute("aria-busy", "true");
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
      parameters: [{ name: "summary_metrics", compare: "previous_period" }, { name: "summary", limit: 1000 },
        ...tables.map(({ type, column, plain }) => ({ name: type, limit: 8, ...(!plain && { sortBy: column, sortOrder: "desc" }) }))],
    });
    if (turn !== asked) return;
    const [totals, series, ...rest] = answer.data;
    parts.totals.replaceChildren(...tiles.map((tile) => totalOf(tile, totals)));
    parts.series.replaceChildren(...(series.success ? chart(series) : [failed(series)]));
    parts.tables.replaceChildren(...tables.map((table, i) => tableOf(table, rest[i])));
    parts.answers.hidden = false;
    const { startDate, endDate, timezone } = answer.meta;
    tell(`${startDate === endDate ? startDate : `${startDate} to ${endDate}`}, ${timezone}; changes are against the period before.`);
    writeAddress();
  } catch (error) {
    if (turn !== asked) return;
    parts.answers.hidden = true;
    tell(error.message, true);
  }
  parts.answers.setAttribute("aria-busy", "false");
  listFilters();
}

const failed = (answer) => element("p", fault(answer), { class: "failed" });

function tell(text, failed = false) {
  parts.status.textContent = text;
  parts.status.classList.toggle("failed", failed);
}

function totalOf({ title, column, text, good }, answer) {
  if (!answer.success) return element("div", [element("dt", title), element("dd", failed(answer))]);
  const value = answer.data[0]?.[column], changed = answer.changes?.[0]?.[column];
  const inside = [value == null ? "–" : text(value)];
  if (changed != null) {
    const judged = changed === 0 ? "" : Math.sign(changed) === good ? "better" : "worse";
    inside.push(" ", element("small", change(changed), { class: judged }));
  }
  return element("div", [element("dt", title), element("dd", inside)]);
}

const width = 1000, height = 200;

/** Returns a round even number that is at least value. */
function topOf(value) {
  const unit = Math.max(1, 10 ** Math.floor(Math.log10(value)) / 5);
  return Math.ceil(value / (2 * unit)) * 2 * unit;
}

/** Draws pageviews and visitors up to now as lines, with a scale and a caption. */
function chart({ data, meta }) {
  const begun = meta.partialFrom ? data.slice(0, data.findIndex((row) => row.date === meta.partialFrom)) : data;
  const top = topOf(Math.max(4, ...begun.map((row) => row.pageviews)));
  const step = width / Math.max(1, data.length), x = (i) => (i + 0.5) * step, y = (n) => height - (n / top) * height;
  const solid = meta.partial ? begun.length - 1 : begun.length; // the unfinished part is dashed
  const line = (column, from, to, kind = "") => element("path", [], {
    class: `${column} ${kind}`,
    d: begun.slice(from, to).map((row, i) => `${i ? "L" : "M"}${x(from + i).toFixed(1)},${y(row[column]).toFixed(1)}`).join(""),
  });
  const lines = ["pageviews", "visitors"].flatMap((column) => [line(column, 0, solid), line(column, Math.max(0, solid - 1), begun.length, "open")]);
  const grid = [0, 0.5, 1].map((share) => element("line", [], { class: "grid", x1: 0, x2: width, y1: y(top * share), y2: y(top * share) }));
  const hits = begun.map((row, i) => element("rect",
    element("title", `${bucket(row.date)}: ${whole(row.pageviews)} pageviews, ${whole(row.visitors)} visitors`),
    { class: "hit", x: x(i) - step / 2, y: 0, width: step, height }));
  const drawn = element("svg", [...grid, ...lines, ...hits], {
    viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
    "aria-label": `Pageviews and visitors, at most ${whole(Math.max(0, ...begun.map((row) => row.pageviews)))} pageviews`,
  });
  const scale = element("div", [top, top / 2, 0].map((n) => element("span", whole(n))), { class: "scale" });
  const days = element("div", [0, 0.25, 0.5, 0.75, 1].map((share) => data[Math.round(share * (data.length - 1))]).filter(Boolean).map((row) => bucket(row.date))
    .filter((text, i, all) => all.indexOf(text) === i).map((text) => element("span", text)), { class: "days" });
  const note = meta.partial ? "Dashed: not over yet" : "";
  return [scale, drawn, days, element("figcaption", [element("span", "Pageviews", { class: "key pageviews" }), element("span", "Visitors", { class: "key visitors" }), note])];
}

function tableOf(table, answer) {
  const head = element("h2", table.title);
  if (!answer.success) return element("section", [head, failed(answer)]);
  if (answer.data.length === 0) return element("section", [head, element("p", "Nothing in this range.")]);
  const most = Math.max(...answer.data.map((row) => row[table.column] ?? 0));
  const rows = answer.data.map((row) => {
    const label = row[table.label] || "(none)", value = row[table.column];
    const first = element("td", table.field && table.value(row) ? filterButton(table, label, table.value(row)) : element("span", label), { title: label });
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

// The part of the address after # holds the view; browsers do not send it to servers. It may have a key, which is removed
// immediately and stored only for this tab.
let wanted = ""; // the website of the address, until the list is there

function readAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  field.key.value = address.get("key") ?? (field.key.value || sessionStorage.getItem("key") || "");
  wanted = address.get("website") ?? "";
  for (const name of ["website", "preset", "timezone"]) {
    if ([...field[name].options].some(({ value }) => value === address.get(name))) field[name].value = address.get(name);
  }
  address.delete("key");
  history.replaceState(null, "", `#${address}`);
  if (field.key.value) show();
}

function writeAddress() {
  history.replaceState(null, "", `#${new URLSearchParams(["website", "preset", "timezone"].map((name) => [name, field[name].value]))}`);
}

field.timezone.append(...[...new Set([zone, "UTC", ...Intl.supportedValuesOf("timeZone")])].map((name) => element("option", name)));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
for (const name of ["website", "preset", "timezone"]) field[name].addEventListener("change", show);
addEventListener("hashchange", readAddress);
readAddress();
