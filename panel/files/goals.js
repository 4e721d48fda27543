// The section "Goals": who reached what the website is for, and how that went over time.
import { ask, Fault } from "./api.js";
import { Chart } from "./chart.js";
import { compareOf, intervalOf } from "./dates.js";
import { describe, filtersOf, isAction, maySave, notesOf, parsed, savedOf } from "./definitions.js";
import { button, element, replace } from "./dom.js";
import { shown } from "./format.js";
import { goalDialog } from "./goal-form.js";
import { changeOf } from "./tables.js";
import { texts } from "./texts.js";

const words = texts.asking, most = 20; // goals of a parameter
const measures = { visitors: "whole", conversions: "whole", value: "decimal" };
const columns = [["visitors", "whole"], ["conversions", "whole"], ["conversion_rate", "percent"], ["value", "decimal"]];
let drawn = null; // the elements of the section, while it is shown

const isGoal = (one) => isAction(one) && typeof one.name === "string" && one.name !== "";

/** Returns the goals of the address, which are not saved, or null if it has something else. */
export const triedGoals = ({ tried }) => (tried ? parsed(tried, (all) => Array.isArray(all) && all.length <= most && all.every(isGoal)) : []);

/** Returns the parameter that asks for the trend of a goal. */
const trendOf = (view, goal) => ({ name: "goals_trends", id: "trend", limit: 10_000, goals: [goal], filters: filtersOf(view), compare: compareOf(view) });

/** See sections.js. */
export const goals = {
  own: ["goal", "tried", "measure"],

  async load(view) {
    const saved = (await savedOf(view.website, "goal")).map(({ name, body }) => ({ name, ...body })), tried = triedGoals(view) ?? [];
    const isTried = ({ name }) => tried.some((one) => one.name === name), all = [...saved.filter((goal) => !isTried(goal)), ...tried];
    const chosen = all.find(({ name }) => name === view.goal) ?? all[0], parameters = [];
    for (let i = 0; i < all.length - tried.length; i += most) {
      parameters.push({ name: "goals", id: `goals ${i}`, goals: all.slice(i, Math.min(i + most, all.length - tried.length)), filters: filtersOf(view), compare: compareOf(view) });
    }
    if (chosen && !isTried(chosen)) parameters.push(trendOf(view, chosen));
    const [ofSaved, ofTried] = await Promise.all([parameters.length > 0 ? ask(view, parameters) : { data: [] }, tried.length > 0 ? askTried(view, tried, chosen) : []]);
    const answers = [...ofSaved.data, ...ofTried];
    const rows = answers.filter(({ id }) => id !== "trend").flatMap((answer) => (answer.success ? answer.data.map((row, i) => ({ row, before: answer.previous?.[i] })) : []));
    return {
      all: all.map((goal) => ({ goal, tried: isTried(goal), saved: saved.some(({ name }) => name === goal.name), ...rows.find(({ row }) => row.name === goal.name) })), chosen,
      trend: answers.find(({ id }) => id === "trend"), failed: answers.filter(({ success, id }) => !success && id !== "trend").map(({ error }) => error), answers,
    };
  },

  draw(parent, view, { loaded }, act) {
    if (!drawn || drawn.head.parentElement !== parent) {
      drawn = { head: element("div", { class: "head" }), figure: element("figure", {}), table: element("div", { class: "card" }), notes: element("div", {}) };
      drawn.trend = element("section", { "aria-labelledby": "trend-title" }, drawn.measures = element("div", { class: "head" }), drawn.figure);
      parent.replaceChildren(drawn.head, drawn.notes, drawn.trend, drawn.table);
      drawn.chart = new Chart(drawn.figure);
    }
    const { all, chosen, trend, failed } = loaded, wrong = [];
    if (triedGoals(view) === null) wrong.push([words.tried, view.tried, words.savedGoals]);
    if (view.goal && chosen?.name !== view.goal) wrong.push([words.goal, view.goal, chosen?.name ?? words.noGoals]);
    if (view.measure && !(view.measure in measures)) wrong.push([texts.metric, view.measure, texts.metrics.visitors]);
    replace(drawn.head, element("h2", {}, texts.sections.goals), button(words.newGoal, () => act.edit("goal:"), { "data-key": "new goal" }));
    replace(drawn.notes, notesOf(view, wrong), !maySave() && element("p", { class: "note" }, words.mayNotSave.goal), failed.map((error) => element("p", { class: "failed" }, texts.faults.other(error))));
    drawn.trend.hidden = all.length === 0;
    replace(drawn.table, all.length === 0 ? [element("p", {}, words.noGoals), element("p", { class: "soft" }, words.noGoalsHelp), element("p", {}, button(words.newGoal, () => act.edit("goal:"), { class: "main", "data-key": "first goal" }))]
      : tableOf(all, chosen, act));
    if (!chosen) return;
    const fits = Object.keys(measures).filter((name) => name !== "value" || chosen.value), measure = fits.includes(view.measure) ? view.measure : "visitors";
    replace(drawn.measures, element("h3", { id: "trend-title", dir: "auto" }, chosen.name), element("div", { class: "choices", role: "group", "aria-label": texts.metricsOf },
      fits.map((name) => button(titleOf(name, chosen), () => act.go({ measure: name }), { "aria-pressed": String(name === measure), "data-key": `measure ${name}` }))));
    if (trend) drawn.chart.show(trend, { column: measure, format: measures[measure], title: `${chosen.name}: ${titleOf(measure, chosen)}` }, intervalOf(view));
  },

  dialog: (view, _, act) => (view.edit.startsWith("goal:") ? goalDialog(view, view.edit.slice("goal:".length), act) : null),
};

// Goals of an address may be wrong. Then they fail, and the saved ones are shown.
async function askTried(view, tried, chosen) {
  const parameters = [{ name: "goals", id: "tried", goals: tried, filters: filtersOf(view), compare: compareOf(view) }, ...(tried.includes(chosen) ? [trendOf(view, chosen)] : [])];
  try {
    return (await ask(view, parameters)).data;
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== "other") throw error;
    return parameters.map(({ id }) => ({ id, success: false, error: error.message }));
  }
}

const titleOf = (name, goal) => (name === "value" ? words.valueOf(goal.value) : words.columns[name]);

function tableOf(all, chosen, act) {
  const fits = columns.filter(([name]) => name !== "value" || all.some(({ goal }) => goal.value));
  const body = all.map(({ goal, tried, saved, row, before }) => {
    const name = element("td", { class: "name" }, button(goal.name, () => act.go({ goal: goal.name, measure: "" }), { dir: "auto", "aria-pressed": String(goal === chosen), "data-key": `goal ${goal.name}` }),
      element("span", { class: "what", dir: "auto" }, describe(goal)), tried && element("span", { class: "rating needs" }, saved ? words.changed : words.unsaved),
      button(words.change, () => act.edit(`goal:${goal.name}`), { class: "more", "aria-label": words.changeGoal(goal.name), "data-key": `edit ${goal.name}` }));
    name.style.setProperty("--share", `${row?.conversion_rate ?? 0}%`);
    return element("tr", {}, name, fits.map(([column, format]) => element("td", {}, shown(row?.[column], format), column === "value" && goal.value && element("span", { class: "unit" }, goal.value),
      row && changeOf(row[column], before?.[column], format, 1))));
  });
  return element("table", { class: "goals" }, element("thead", {}, element("tr", {}, [words.goal, ...fits.map(([name]) => words.columns[name])].map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, body));
}
