// The section "Overview": tiles and chart, which one question fills, and cards, each of which asks for its own rows.
import { annotate, annotationsDialog } from "./annotations.js";
import { Chart, metrics, totalsOf } from "./chart.js";
import { compareOf, fair, intervalOf } from "./dates.js";
import { button, element, replace } from "./dom.js";
import { brief, changed, shown, span } from "./format.js";
import { labelOfFilter } from "./filters.js";
import { interrupt } from "./lanes.js";
import { firstSteps, neverUsed } from "./install.js";
import { changeOf, tabOf } from "./tables.js";
import { askRows, drawCards } from "./cards.js";
import { drawChanges } from "./changes.js";
import { texts } from "./texts.js";
import { whyDrawer } from "./why.js";

let drawn = null; // the elements of the section, while it is shown
let first = null; // what it shows in their place while a website never had an event: its id, and the card

/** See sections.js. */
export const overview = {
  parameters: (view) => [
    totalsOf(view), { name: "summary", id: "series", limit: 10_000, compare: compareOf(view) },
  ],
  also: (view) => askRows(view, true),
  draw(parent, view, answered, act) {
    const { answers } = answered;
    const { success, data } = answers.totals, empty = success && view.filters.length === 0 && !data[0]?.pageviews && !data[0]?.sessions;
    if (empty && first?.website === view.website && first.card.parentElement === parent) return;
    first = null;
    if (!drawn || drawn.tiles.parentElement !== parent) {
      const figure = element("figure", { id: "chart" });
      drawn = { tiles: element("div", { id: "tiles", role: "group", "aria-label": texts.metricsOf }), fault: element("p"), figure, none: element("div"), changes: element("div"), cards: element("div", { id: "cards", class: "packed" }) };
      parent.replaceChildren(drawn.tiles, drawn.fault, drawn.none, figure, drawn.changes, drawn.cards);
      drawn.chart = new Chart(figure);
    }
    replace(drawn.tiles, metrics.map((metric) => tile(metric, answers.totals, view, act)));
    drawn.fault.className = success ? "" : "failed";
    drawn.fault.textContent = success ? "" : texts.faults.other(answers.totals.error);
    const nobody = success && view.filters.length > 0 && !data[0]?.pageviews && !data[0]?.sessions && !data[0]?.total_events;
    replace(drawn.none, nobody && noMatch(view, act), empty && view.preset === fair.preset && element("p", { class: "note" }, texts.noDays, " ", button(texts.toToday, toToday(act), { class: "quiet", "data-key": "today" })));
    drawn.figure.hidden = drawn.changes.hidden = drawn.cards.hidden = nobody;
    if (nobody) return;
    annotate(drawn.chart, view, answered, act);
    interrupt(drawn.chart, view, answered);
    drawn.chart.show(answers.series, metrics.find(({ column }) => column === view.metric), intervalOf(view), act.dates);
    drawCards(drawn.cards, view, act);
    drawChanges(drawn.changes, view, act);
    if (empty) showInstall(parent, view, act);
  },

  dialog(view, _, act) {
    const [name, of] = view.edit.split(":");
    if (name === "why") return whyDrawer(view, act, of);
    return name === "annotations" ? annotationsDialog(view, act, of) : null;
  },
};

const toToday = (act) => () => act.go({ preset: "today", from: "", to: "" });

// What is shown if no visit matches the filters: a button for each that removes it.
const noMatch = ({ filters }, act) => element("section", { class: "card none", "aria-label": texts.noVisits }, element("h2", {}, texts.noVisits),
  element("p", { class: "choices" }, filters.map((filter, i) => button(texts.removeShort(labelOfFilter(filter)), () => act.remove(i), { dir: "auto", "data-key": `none ${i}` }))));

async function showInstall(parent, view, act) {
  const never = await neverUsed(view).catch(() => false), now = act.view(); // after a fault the numbers stay
  if (!never || now.website !== view.website || now.section !== view.section || drawn.tiles.parentElement !== parent) return;
  first = { website: view.website, card: firstSteps(view, act, () => {
    first = null;
    toToday(act)();
  }) };
  parent.replaceChildren(first.card);
}

// A sign and a colour say a change to the eye; screen readers get words.
const inWords = (by, before, dates) => (by ? texts.changeInWords(by, before, dates) : texts.beforeIn(before, dates));

// The first button draws the metric, and lies below all of the tile. That of the number opens the drawer "Why".
function tile(metric, { success, data, previous, meta }, view, act) {
  const { column, title, format, good } = metric, value = success ? data[0]?.[column] : null, before = previous?.[0]?.[column], by = changed(value, before, format);
  const change = changeOf(value, before, format, good) ?? element("span", { class: "change" });
  return element("div", { class: "tile" }, button([title, element("span", { class: "hidden" }, ` ${shown(value, format)}`, before != null && ` ${inWords(by, shown(before, format), span(meta.previous.startDate, meta.previous.endDate))}`)], () => act.go({ metric: column }), { class: "title", "aria-pressed": String(view.metric === column), "data-key": `tile ${column}` }),
    button([element("strong", {}, brief(value, format)), element("span", { class: "hidden" }, texts.why.open(title))], () => act.edit(`why:${column}`), { class: "number", title: texts.why.hint(shown(value, format)), disabled: !success, "data-key": `why ${column}` }),
    element("span", { class: "against", "aria-hidden": "true" }, change, before != null && element("span", { class: "soft" }, texts.was(brief(before, format)))));
}
