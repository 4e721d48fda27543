// The page. It asks one question for all that it shows, again each minute, and keeps what was shown until there is something newer.
import { closed, read, write } from "./address.js";
import { askForKey } from "./access.js";
import { ask, Fault, questionPath, question, rememberedKey, token, useKey, websites } from "./api.js";
import { Chart, metrics } from "./chart.js";
import { drawControls } from "./controls.js";
import { compareOf, intervalOf, isDate } from "./dates.js";
import { drawDialog } from "./details.js";
import { byId, element, button, focusOn, replace } from "./dom.js";
import { drawFilters, withFilter } from "./filters.js";
import { clock, moment, shown, span, whole } from "./format.js";
import { cards, parameterOf } from "./lists.js";
import { changeOf, drawCards, tabOf } from "./tables.js";
import { texts } from "./texts.js";

const minute = 60_000, chart = new Chart(byId("chart"));
let view, unknown = [], sites = null, answered = null, turn = 0, retry = 0;

const act = {
  view: () => view,
  go, // to another view, which Back leaves
  stay: (change, typed) => go(change, typed),
  open: (change) => go({ ...closed, ...change }),
  close: () => go(closed),
  tab: (card, name) => go({ tabs: { ...view.tabs, [card]: name } }),
  edit: (edit) => go({ ...closed, edit }),
  remove(i) {
    go({ filters: view.filters.filter((_, n) => n !== i) });
    focusOn(byId("filters"), `remove ${Math.min(i, view.filters.length - 1)}`) || focusOn(byId("filters"), "add filter");
  },
  filter(field, op, value) {
    go({ ...closed, filters: withFilter(view.filters, { field, op, values: [value] }) });
    focusOn(byId("filters"), `chip ${field}`);
  },
  setFilter(at, made) {
    go({ ...closed, filters: at < 0 ? withFilter(view.filters, made) : view.filters.with(at, made) });
    focusOn(byId("filters"), `chip ${made.field}`);
  },
  custom() {
    const { startDate: from, endDate: to } = answered?.meta ?? {};
    if (from) go({ preset: "", from, to });
  },
  dates(from, to, changed) {
    if (!isDate(from) || !isDate(to)) return;
    if (from > to) [from, to] = changed === "from" ? [from, from] : [to, to];
    go({ preset: "", from, to });
  },
  async share() {
    try {
      const address = new URL(location.href);
      address.hash = `${write({ ...view, ...closed })}&token=${encodeURIComponent(await token(view.website))}`;
      await navigator.clipboard.writeText(address.href);
      say(texts.shared);
    } catch (error) {
      fail(error);
    }
  },
  signOut() {
    useKey("", false);
    location.reload();
  },
  visited: () => (answered?.answers.totals.data?.[0]?.pageviews ?? 0) > 0,
  moment: (text) => moment(text, view.zone),
};

/** Changes the view and its address. While somebody types, no steps for Back are made. */
function go(change, typed = false) {
  ({ view, unknown } = read(write({ ...view, ...change })));
  if (typed) history.replaceState(null, "", write(view));
  else if (write(view) !== location.hash) history.pushState(null, "", write(view));
  show();
}

function say(text, failed = false) {
  const status = byId("status");
  byId("bar").hidden = false;
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("failed", failed);
}

/** Says in words what failed, keeps the numbers, and tries again where that may help. */
function fail(error) {
  if (!(error instanceof Fault)) throw error;
  clearInterval(retry);
  byId("answers").classList.add("stale");
  byId("answers").removeAttribute("aria-busy");
  if (error.kind === "key") {
    useKey("", null);
    byId("status").textContent = "";
    return signIn(texts.faults.key);
  }
  if (!error.wait) return say(error.kind === "forbidden" ? texts.faults.forbidden : texts.faults.other(error.message), true);
  let left = Math.ceil(error.wait);
  const tick = () => {
    say(texts.faults[error.kind](left), true);
    if (left-- > 0) return;
    clearInterval(retry);
    show(true);
  };
  tick();
  retry = setInterval(tick, 1000);
}

function signIn(text = "") {
  askForKey(byId("access"), text, (key, stay) => {
    useKey(key, stay);
    sites = null;
    byId("access").hidden = true;
    show(true);
  });
}

const parametersOf = () => [
  { name: "summary_metrics", id: "totals", compare: compareOf(view) }, { name: "summary", id: "series", limit: 10_000, compare: compareOf(view) }, { name: "active_stats", id: "now" },
  ...Object.keys(cards).map((card) => parameterOf(tabOf(view, card), { compare: compareOf(view) })),
];

/** Shows the view. It asks the server if the view needs other rows than those that are there, or if again is true. */
async function show(again = false) {
  const now = ++turn;
  clearInterval(retry);
  byId("notices").replaceChildren(...unknown.map((text) => element("li", {}, text)));
  try {
    sites ??= await websites();
    if (now !== turn) return;
    if (sites.length === 0) return say(texts.faults.noWebsite, true);
    if (!sites.some(({ id }) => id === view.website)) {
      const name = sites[0].name || sites[0].domain;
      if (view.website) byId("notices").append(element("li", {}, texts.unknown(texts.website, view.website, name)));
      view = { ...view, website: sites[0].id };
      history.replaceState(null, "", write(view));
    }
    drawControls(view, sites, answered?.meta, act);
    drawFilters(byId("filters"), view, act);
    drawDialog(view, act, fail);
    const parameters = parametersOf(), asked = questionPath(view) + JSON.stringify(question(view, parameters));
    if (again || asked !== answered?.asked) {
      byId("answers").setAttribute("aria-busy", "true");
      const answer = await ask(view, parameters);
      if (now !== turn) return;
      answered = { asked, at: new Date(), meta: answer.meta, answers: Object.fromEntries(answer.data.map((one) => [one.id, one])) };
    }
    draw();
  } catch (error) {
    if (now === turn) fail(error);
  }
}

function draw() {
  const { answers, meta, at } = answered, parts = byId("answers");
  parts.hidden = false;
  parts.classList.remove("stale");
  parts.removeAttribute("aria-busy");
  byId("access").hidden = true;
  drawControls(view, sites, meta, act);
  replace(byId("tiles"), metrics.map((metric) => tile(metric, answers.totals)));
  chart.show(answers.series, metrics.find(({ column }) => column === view.metric), intervalOf(view));
  drawCards(byId("cards"), view, answers, act);
  const count = answers.now.success ? answers.now.data[0]?.active_users ?? 0 : null, site = sites.find(({ id }) => id === view.website);
  byId("live").replaceChildren(element("span", { class: "now", title: texts.nowLong }, count == null ? "–" : texts.now(whole(count))), ` ${texts.asOf(clock(view.zone, at))}`);
  document.title = `${count == null ? "" : `${texts.now(whole(count))} · `}${site.name || site.domain} – Sightline`;
  const other = answers.totals.meta?.previous, dates = span(meta.startDate, meta.endDate);
  say(other ? texts.compared(dates, span(other.startDate, other.endDate)) : dates);
}

function tile(metric, { success, data, previous, error }) {
  const value = success ? data[0]?.[metric.column] : null, before = previous?.[0]?.[metric.column];
  return button([element("span", { class: "title" }, metric.title), element("strong", {}, success ? shown(value, metric.format) : texts.faults.other(error)),
    changeOf(value, before, metric.format, metric.good) ?? element("span", { class: "change" }, "\u00a0")].filter(Boolean),
  () => go({ metric: metric.column }), { "aria-pressed": String(view.metric === metric.column), "data-key": `tile ${metric.column}` });
}

function open() {
  const asked = read(location.hash);
  ({ view, unknown } = asked);
  if (asked.key) {
    useKey(asked.key, null);
    sites = null;
  }
  history.replaceState(null, "", write(view));
  show();
}

byId("tiles").setAttribute("aria-label", "Metrics");
byId("dialog").addEventListener("cancel", (event) => {
  event.preventDefault();
  act.close();
});
byId("dialog").addEventListener("click", (event) => event.target === byId("dialog") && act.close());
addEventListener("hashchange", open);
const stale = () => answered && !document.hidden && Date.now() - answered.at >= minute - 1000;
setInterval(() => stale() && show(true), minute);
document.addEventListener("visibilitychange", () => stale() && show(true));
const first = read(location.hash).key || rememberedKey();
if (first) {
  useKey(first, null);
  open();
} else {
  ({ view, unknown } = read(location.hash));
  byId("notices").replaceChildren(...unknown.map((text) => element("li", {}, text)));
  signIn();
}
