// The section "Funnels": how many go from one step to the next, and where they leave.
import { compareOf } from "./dates.js";
import { askAll, filtersOf, isAction, nameOfStep, notesOf, parsed, savedOf } from "./definitions.js";
import { button, element, replace, select } from "./dom.js";
import { country, seconds, shown } from "./format.js";
import { funnelDialog } from "./funnel-form.js";
import { maySave } from "./self.js";
import { changeOf } from "./tables.js";
import { texts } from "./texts.js";

const words = texts.asking, groups = 10; // of a breakdown
let drawn = null; // the elements of the section, while it is shown

const isFunnel = (one) => one !== null && typeof one === "object" && typeof one.name === "string" && one.name !== "" && Array.isArray(one.steps) && one.steps.every(isAction);

/** Returns the funnels of the address, which are not saved, or null if it has something else. */
export const triedFunnels = ({ drafts }) => (drafts ? parsed(drafts, (all) => Array.isArray(all) && all.every(isFunnel)) : []);

/** The fields that a funnel can be divided by: those of visits. */
const fields = Object.keys(texts.fields).filter((field) => !["path", "event", "click", "segment"].includes(field));

/** See sections.js. */
export const funnels = {
  own: ["funnel", "drafts", "by"],

  async load(view) {
    const saved = (await savedOf(view.website, "funnel")).map(({ name, body }) => ({ name, ...body })), tried = triedFunnels(view) ?? [];
    const isTried = ({ name }) => tried.some((one) => one.name === name), all = [...saved.filter((funnel) => !isTried(funnel)), ...tried];
    const chosen = all.find(({ name }) => name === view.funnel) ?? all[0], by = fields.includes(view.by) && view.by;
    const entries = all.map((funnel) => ({ funnel, tried: isTried(funnel), saved: saved.some(({ name }) => name === funnel.name) }));
    if (!chosen) return { all: entries, answers: [] };
    const { name: _, ...body } = chosen, parameter = { name: "funnel", id: "funnel", ...body, filters: filtersOf(view), compare: compareOf(view) };
    const answers = await askAll(view, [parameter, by && { ...parameter, id: "groups", groupBy: [by], limit: groups }]);
    return { all: entries, chosen, by, answers };
  },

  draw(parent, view, { loaded }, act) {
    if (!drawn || drawn.head.parentElement !== parent) {
      drawn = { head: element("div", { class: "head" }), notes: element("div", {}), card: element("section", { class: "card" }), groups: element("div", { class: "card groups", hidden: true }) };
      parent.replaceChildren(drawn.head, drawn.notes, drawn.card, drawn.groups);
    }
    const { all, chosen, by, answers } = loaded, wrong = [];
    if (triedFunnels(view) === null) wrong.push([words.tried, view.drafts, words.savedFunnels]);
    if (view.funnel && chosen?.name !== view.funnel) wrong.push([words.funnel, view.funnel, chosen?.name ?? words.noFunnels]);
    if (view.by && !by && chosen) wrong.push([words.breakdown, view.by, words.noBreakdown]);
    replace(drawn.head, element("h2", {}, texts.sections.funnels), element("div", { class: "choices", role: "group", "aria-label": texts.sections.funnels },
      all.map(({ funnel }) => button(funnel.name, () => act.go({ funnel: funnel.name }), { dir: "auto", "aria-pressed": String(funnel === chosen), "data-key": `funnel ${funnel.name}` }))),
    button(words.newFunnel, () => act.edit("funnel:"), { "data-key": "new funnel" }));
    replace(drawn.notes, notesOf(view, wrong), !maySave() && element("p", { class: "note" }, words.mayNotSave.funnel));
    drawn.groups.hidden = !by;
    if (!chosen) {
      const make = button(words.newFunnel, () => act.edit("funnel:"), { class: "main", "data-key": "first funnel" });
      return replace(drawn.card, element("p", {}, words.noFunnels), element("p", { class: "soft" }, words.noFunnelsHelp), element("p", {}, make));
    }
    const [whole, divided] = answers, drawnOr = (answer, draw) => (answer.success ? draw() : element("p", { class: "failed" }, texts.faults.other(answer.error)));
    replace(drawn.card, headOf(all.find(({ funnel }) => funnel === chosen), by, act), drawnOr(whole, () => drawing(whole, chosen)));
    if (divided) replace(drawn.groups, element("h3", {}, words.by(texts.fields[by])), drawnOr(divided, () => groupTable(divided, chosen, by, act)));
  },

  dialog: (view, _, act) => (view.edit.startsWith("funnel:") ? funnelDialog(view, view.edit.slice("funnel:".length), act) : null),
};

const counted = ({ within }) => (within === "session" ? "sessions" : "visitors");

function headOf({ funnel, tried, saved }, by, act) {
  const bounds = [funnel.window ? words.windowOf(funnel.window) : words.noWindow, words.withins[funnel.within ?? "visitor"]].join(", ");
  const title = element("div", {}, element("h3", { dir: "auto" }, funnel.name, " ", tried && element("span", { class: "rating needs" }, saved ? words.changed : words.unsaved)), element("p", { class: "soft" }, bounds));
  const choices = [["", words.noBreakdown], ...fields.map((field) => [field, texts.fields[field]])], chooser = select(words.breakdown, "by", choices, by || "", (value) => act.go({ by: value }));
  chooser.lastChild.dataset.key = "by";
  return element("div", { class: "head" }, title, chooser, button(words.edit, () => act.edit(`funnel:${funnel.name}`), { "aria-label": words.changeFunnel(funnel.name), "data-key": `edit ${funnel.name}` }));
}

function drawing({ data, previous }, funnel) {
  const column = counted(funnel), rows = data.map((row, i) => ({ row, before: previous?.[i] }));
  if (data[0][column] === 0) return [element("p", {}, words.nobody), stepsOf(rows, funnel, column)];
  const { row: last, before } = rows.at(-1);
  return [element("p", { class: "whole" }, element("strong", {}, shown(last.conversion_rate, "percent")), ` ${words.wholeWay(shown(last[column], "whole"), shown(data[0][column], "whole"), words.counted[column])} `,
    changeOf(last.conversion_rate, before?.conversion_rate, "percent", 1)), stepsOf(rows, funnel, column)];
}

function stepsOf(rows, funnel, column) {
  return element("ol", { class: "funnel" }, rows.map(({ row, before }, i) => {
    const bar = element("div", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", `${row.conversion_rate ?? 0}%`);
    const lost = i > 0 && row.dropoff > 0 && element("p", { class: "lost" }, words.lost(shown(row.dropoff, "whole"), shown(100 - row.step_rate, "percent")));
    const name = element("div", { class: "step" }, element("span", { class: "name", dir: "auto" }, nameOfStep(funnel.steps[i])), element("strong", {}, shown(row[column], "whole")),
      element("span", { class: "soft" }, words.counted[column]), changeOf(row[column], before?.[column], "whole", 1));
    const shares = i > 0 && row.conversion_rate != null && element("p", { class: "soft" }, words.ofFirst(shown(row.conversion_rate, "percent")),
      row.step_rate != null && ` · ${words.ofBefore(shown(row.step_rate, "percent"))} `, changeOf(row.step_rate, before?.step_rate, "percent", 1),
      row.median_seconds != null && ` · ${words.after(seconds(row.median_seconds))}`);
    return element("li", {}, lost, name, bar, shares);
  }));
}

// The funnel of each value, as a row: the rate of the whole, and its people at each step.
function groupTable({ data, previous, meta }, { steps }, by, act) {
  const column = "visitors" in (data[0] ?? {}) ? "visitors" : "sessions", count = steps.length, rows = [];
  if (data.length === 0) return element("p", { class: "soft" }, texts.noRows);
  for (let i = 0; i < data.length; i += count) {
    const value = data[i][by], label = (by === "country" && value ? country(value) : value) || texts.none, last = data[i + count - 1];
    const name = value ? button(label, () => act.filter(by, "is", value), { dir: "auto", "data-key": `group ${value}` }) : element("span", {}, label);
    const rate = element("td", {}, shown(last.conversion_rate, "percent"), changeOf(last.conversion_rate, previous?.[i + count - 1]?.conversion_rate, "percent", 1));
    rows.push(element("tr", {}, element("td", { class: "name" }, name), rate, data.slice(i, i + count).map((row) => element("td", {}, shown(row[column], "whole")))));
  }
  const heads = [texts.fields[by], words.columns.conversion_rate, ...steps.map(nameOfStep)];
  const table = element("table", { class: "wide steps-of" }, element("thead", {}, element("tr", {}, heads.map((text) => element("th", { scope: "col", title: text }, element("span", {}, text))))), element("tbody", {}, rows));
  table.style.setProperty("--columns", heads.length - 1);
  return [element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words.by(texts.fields[by]) }, table), meta.hasMore && element("p", { class: "soft" }, words.firstGroups(groups))];
}
