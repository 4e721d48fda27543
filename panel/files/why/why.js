// The drawer of a number of the overview: what it counts, its periods, what moved it, the visits behind it, what was noted
// about these days, and its request.
import { annotationsIn } from "./annotations.js";
import { allowed, ask, compiled, described, Fault } from "./api.js";
import { closed } from "./address.js";
import { metrics, totalsOf } from "./chart.js";
import { compareOf, fair } from "./dates.js";
import { button, copied, element, link, replace, select } from "./dom.js";
import { labelOfFilter } from "./filters.js";
import { shown } from "./format.js";
import { explained, fieldOf, moved, valueOf, whyOf } from "./moved.js";
import { curl, goProgram } from "./request.js";
import { changeOf, stacked } from "./tables.js";
import { texts } from "./texts.js";

const words = texts.why;

/** Returns the title and the content of the drawer of a metric, or null if there is none of that name. */
export function whyDrawer(view, act, name) {
  const metric = metrics.find(({ column }) => column === name);
  if (!metric) return null;
  const part = (fill) => {
    const place = element("div", { class: "part", "aria-busy": "true" }, element("p", { class: "soft" }, `${texts.loading} …`));
    fill().then((made) => replace(place, made), (error) => replace(place, failure(error, act))).finally(() => place.removeAttribute("aria-busy"));
    return place;
  };
  const total = ask(view, [totalsOf(view)]).then(({ data: [answer] }) => answer);
  const content = element("div", { class: "why" }, part(() => meaning(metric)), part(() => total.then((answer) => numbers(answer, metric, view, act))),
    section(words.movers, part(() => movers(metric, view, act))),
    element("p", {}, link(words.visits, act.href({ ...closed, list: "sessions" }), () => act.open({ list: "sessions" }), { "data-key": "why visits" })),
    section(words.notes, part(() => total.then((answer) => notes(answer, view)))), section(words.request, requests(metric, view, act)));
  return { title: words.title(metric.title), content };
}

const section = (title, ...inside) => element("section", { "aria-label": title }, element("h3", {}, title), inside);

function failure(error, act) {
  if (!(error instanceof Fault)) throw error;
  if (error.kind === "key") {
    act.close();
    act.fail(error);
  }
  return element("p", { class: "failed" }, error.wait ? texts.faults[error.kind](Math.ceil(error.wait)) : texts.faults.other(error.message));
}

async function meaning({ column }) {
  const { configs } = await described(), found = configs.summary_metrics?.meta.output_fields.find(({ name }) => name === column);
  return element("p", {}, found ? words.counts(found.description) : "");
}

function numbers({ success, error, data, previous, meta }, { column, format, good }, view, act) {
  if (!success) return element("p", { class: "failed" }, texts.faults.other(error));
  const value = data[0]?.[column], before = previous?.[0]?.[column];
  const period = (from, to) => words.period(act.moment(from), act.moment(to));
  const rows = [[words.counted, period(meta.from, meta.until ?? meta.to)], meta.previous && [words.compared, period(meta.previous.from, meta.previous.to)],
    meta.partial && [words.cut, previous ? words.bothCut : words.oneCut], [texts.zone, view.zone.replaceAll("_", " ")], view.filters.length > 0 && [texts.filters, view.filters.map(labelOfFilter).join(" · ")]];
  return [element("p", { class: "number" }, element("strong", {}, shown(value, format)), changeOf(value, before, format, good), before != null && element("span", { class: "soft" }, texts.was(shown(before, format)))),
    element("dl", {}, rows.filter(Boolean).map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", { dir: "auto" }, text))))];
}

async function movers({ column }, view, act) {
  if (!explained.includes(column)) {
    return element("p", {}, words.onlyCounts, explained.map((name) => [" ", link(texts.metrics[name], act.href({ edit: `why:${name}` }), () => act.edit(`why:${name}`), { "data-key": `why of ${name}` })]).flat());
  }
  if (compareOf(view) === "none") return element("p", {}, words.alone, view.preset !== "all_time" && button(words.compare, () => act.go({ compare: fair.compare }), { class: "quiet", "data-key": "why compare" }));
  const { success, error, data, totals } = await moved(column, view);
  if (!success) return element("p", { class: "failed" }, texts.faults.other(error));
  if (data.length === 0) return element("p", {}, totals.current && totals.previous ? words.together : words.nothing);
  const heads = [words.value, words.now, words.before, words.expected, words.weight].map((text, i) => element("th", { scope: "col", class: i === 0 && "name" }, text));
  const rows = data.map((row) => element("tr", {}, element("td", { class: "name" },
    link([element("span", { class: "soft" }, fieldOf(row)), " ", element("bdi", {}, valueOf(row))], act.href(act.filtered(row.dimension, "is", row.value)), () => act.filter(row.dimension, "is", row.value), { "data-key": `why ${row.dimension} ${row.value}` })),
  [row.current, row.previous, row.expected].map((n) => element("td", {}, shown(n, "whole"))), element("td", {}, words.weightOf(row.weight))));
  return [stacked("movers", heads, rows), element("p", { class: "soft" }, words.help)];
}

async function notes({ success, meta }, view) {
  if (!success) return element("p", {}, words.noNotes);
  const found = await annotationsIn(view, [[meta.from, meta.to], meta.previous && [meta.previous.from, meta.previous.to]].filter(Boolean));
  const lists = found.map((all, i) => all.length > 0 && [element("h4", {}, i === 0 ? words.counted : words.compared),
    element("ul", {}, all.map(({ when, text }) => element("li", {}, element("span", { class: "soft" }, `${when}: `), element("bdi", {}, text))))]);
  return lists.some(Boolean) ? lists.flat() : element("p", { class: "soft" }, words.noNotes);
}

// The forms of a request, as functions of the view and its parameter.
const forms = {
  curl: async (view, parameter) => curl(view, parameter),
  go: async (view, parameter) => goProgram(view, parameter),
  sql: async (view, parameter) => {
    const answer = await allowed(compiled(view, [parameter]));
    return answer ? answer.data.flatMap((one) => [one, one.previous]).filter(Boolean).map(statementOf).join("\n\n") : words.noSQL;
  },
};

const statementOf = ({ success, error, sql, args }) => (success ? [sql, ...args.map(({ name, value }) => `-- ${name}: ${JSON.stringify(value)}`)].join("\n") : texts.faults.other(error));

function requests({ column }, view, act) {
  const asked = { number: totalsOf(view), ...(explained.includes(column) && compareOf(view) !== "none" && { why: whyOf(column, view) }) };
  const shownText = element("pre", { tabindex: 0, role: "region", "aria-label": texts.manners.text, dir: "ltr" }), said = element("span", { class: "said", role: "status" });
  let form = "curl", about = "number", turn = 0;
  const buttons = Object.keys(forms).map((name) => button(words.forms[name], () => show(name, about), { "data-form": name }));
  const show = async (...chosen) => {
    [form, about] = chosen;
    const now = ++turn;
    said.textContent = "";
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.form === form));
    const text = await forms[form](view, asked[about]).catch((error) => failure(error, act).textContent);
    if (now === turn) shownText.textContent = text;
  };
  const copy = button(words.copy, async () => {
    said.textContent = (await copied(shownText.textContent)) ? words.copied[form] : words.notCopied;
  });
  const choice = asked.why && select(words.about, "about", Object.keys(asked).map((name) => [name, words.abouts[name]]), about, (name) => show(form, name));
  show(form, about);
  return element("div", { class: "part" }, choice, element("p", { class: "foot", role: "group", "aria-label": words.request }, buttons, copy, said), shownText);
}
