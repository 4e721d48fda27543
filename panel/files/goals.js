// The section "Goals": who reached what the website is for, and how that went over time.
import { Chart } from "./chart.js";
import { compareOf, intervalOf } from "./dates.js";
import { askAll, describe, filtersOf, isAction, notesOf, parsed, savedOf } from "./definitions.js";
import { button, element, link, replace } from "./dom.js";
import { shown } from "./format.js";
import { goalDialog } from "./goal-form.js";
import { maySave } from "./self.js";
import { changeOf, stacked } from "./tables.js";
import { texts } from "./texts.js";

const words = texts.asking, most = 20; // goals of a parameter
const measures = { visitors: "whole", conversions: "whole", value: "decimal" };
const columns = [["visitors", "whole"], ["conversions", "whole"], ["conversion_rate", "percent"], ["value", "decimal"]];
let drawn = null; // the elements of the section, while it is shown

const isGoal = (one) => isAction(one) && typeof one.name === "string" && one.name !== "";

/** Returns the goals of the address, which are not saved, or null if it has something else. */
export const triedGoals = ({ tried }) => (tried ? parsed(tried, (all) => Array.isArray(all) && all.every(isGoal)) : []);

const parameterOf = (view, name, id, all) => ({ name, id, goals: all, limit: 10_000, filters: filtersOf(view), compare: compareOf(view) });

/** See sections.js. */
export const goals = {
  own: ["goal", "tried", "measure"],

  async load(view) {
    const saved = (await savedOf(view.website, "goal")).map(({ name, body }) => ({ name, ...body })), tried = triedGoals(view) ?? [];
    const has = (list, { name }) => list.some((one) => one.name === name), unchanged = saved.filter((goal) => !has(tried, goal));
    const all = [...unchanged, ...tried], chosen = all.find(({ name }) => name === view.goal) ?? all[0];
    const trend = chosen && parameterOf(view, "goals_trends", "trend", [chosen]), parameters = [];
    for (let i = 0; i < unchanged.length; i += most) parameters.push(parameterOf(view, "goals", `goals ${i}`, unchanged.slice(i, i + most)));
    const [ofSaved, ofTried] = await Promise.all([
      askAll(view, [...parameters, unchanged.includes(chosen) && trend]),
      askAll(view, [tried.length > 0 && parameterOf(view, "goals", "tried", tried), tried.includes(chosen) && trend]),
    ]);
    const answers = [...ofSaved, ...ofTried], tables = answers.filter(({ id }) => id !== "trend");
    const rows = tables.filter(({ success }) => success).flatMap(({ data, previous }) => data.map((row, i) => ({ row, before: previous?.[i] })));
    return {
      all: all.map((goal) => ({ goal, tried: has(tried, goal), saved: has(saved, goal), ...rows.find(({ row }) => row.name === goal.name) })), chosen,
      trend: answers.find(({ id }) => id === "trend"), failed: tables.filter(({ success }) => !success).map(({ error }) => error), answers,
    };
  },

  draw(parent, view, { loaded }, act) {
    if (!drawn || drawn.head.parentElement !== parent) {
      const figure = element("figure", {}), measures = element("div", { class: "head" });
      const trend = element("section", { "aria-labelledby": "trend-title" }, measures, figure);
      drawn = { head: element("div", { class: "head" }), notes: element("div", {}), trend, measures, table: element("div", { class: "card" }) };
      parent.replaceChildren(drawn.head, drawn.notes, trend, drawn.table);
      drawn.chart = new Chart(figure);
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

const titleOf = (name, goal) => (name === "value" ? words.valueOf(goal.value) : words.columns[name]);

function tableOf(all, chosen, act) {
  const fits = columns.filter(([name]) => name !== "value" || all.some(({ goal }) => goal.value));
  const body = all.map(({ goal, tried, saved, row, before }) => {
    const name = element("td", { class: "name" }, link(goal.name, act.href({ goal: goal.name, measure: "" }), () => act.go({ goal: goal.name, measure: "" }), { dir: "auto", "aria-current": goal === chosen && "true", "data-key": `goal ${goal.name}` }),
      element("span", { class: "what", dir: "auto" }, describe(goal)), tried && element("span", { class: "rating needs" }, saved ? words.changed : words.unsaved),
      button(words.edit, () => act.edit(`goal:${goal.name}`), { class: "more", "aria-label": words.changeGoal(goal.name), "data-key": `edit ${goal.name}` }));
    name.style.setProperty("--share", `${row?.conversion_rate ?? 0}%`);
    return element("tr", {}, name, fits.map(([column, format]) => element("td", {}, shown(row?.[column], format), column === "value" && goal.value && element("span", { class: "unit", title: goal.value }, goal.value),
      row && changeOf(row[column], before?.[column], format, 1))));
  });
  const heads = [element("th", { scope: "col", class: "page" }, words.goal), ...fits.map(([name]) => element("th", { scope: "col" }, words.columns[name]))];
  return stacked("goals", heads, body);
}
