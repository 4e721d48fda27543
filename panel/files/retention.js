// The section "Retention": how many of those who came first in a week, day or month came again in the ones after it.
import { actionFields, alertPlace, suggestions, tell } from "./asking-form.js";
import { ask } from "./api.js";
import { addDays, compareOf, lengthOf, today } from "./dates.js";
import { describe, filtersOf, isAction, mistakesIn, mistakesOf, notesOf, parsed } from "./definitions.js";
import { button, element, replace } from "./dom.js";
import { bucket, shown } from "./format.js";
import { changeOf } from "./tables.js";
import { texts } from "./texts.js";

const words = texts.asking, most = 60; // cohorts
const days = { daily: 1, weekly: 7, monthly: 30 };

// Whether the range of a view has few enough periods. The length of all time is not known here: the server says if it has too many.
const fits = (view, interval) => view.preset === "all_time" || lengthOf(view) / days[interval] < most;

/** Returns the interval of the cohorts of a view: the chosen one, or one that fits the range. */
function intervalOf(view) {
  if (view.interval in days && fits(view, view.interval)) return view.interval;
  const length = lengthOf(view);
  return length <= 14 ? "daily" : length <= 184 ? "weekly" : "monthly";
}

const actionOf = (text) => (text ? parsed(text, isAction) : null);

function parameterOf(view) {
  const start = actionOf(view.start), back = actionOf(view.back);
  return { name: "retention", id: "retention", granularity: intervalOf(view), filters: filtersOf(view), compare: compareOf(view), ...(start && { start }), ...(back && { return: back }) };
}

/** See sections.js. */
export const retention = {
  own: ["start", "back"],
  parameters: (view) => [parameterOf(view)],

  draw(parent, view, { answers, meta }, act) {
    const answer = answers.retention, interval = intervalOf(view), wrong = [];
    for (const [name, title] of [["start", words.started], ["back", words.returned]]) if (view[name] && !actionOf(view[name])) wrong.push([title, view[name], words.anything]);
    if (view.interval !== "auto" && view.interval !== interval) wrong.push([texts.interval, texts.intervals[view.interval], texts.intervals[interval]]);
    const chooser = element("div", { class: "choices", role: "group", "aria-label": words.cohorts }, Object.keys(days).map((name) => button(texts.intervals[name], () => act.go({ interval: name }), {
      "aria-pressed": String(name === interval), disabled: !fits(view, name), "data-key": `cohorts ${name}`,
    })));
    const edit = button(words.edit, () => act.edit("retention"), { class: "quiet", "aria-label": words.editRetention, "data-key": "edit retention" });
    const start = actionOf(view.start), back = actionOf(view.back);
    const who = element("p", {}, start || back ? words.retentionOf(describe(start), describe(back)) : words.retentionOfAll[interval], " ", edit);
    const inside = !answer.success ? element("p", { class: "failed" }, texts.faults.other(answer.error))
      : answer.data.length === 0 ? element("p", { class: "soft" }, words.noCohorts) : grid(answer, view, interval, meta);
    replace(parent, element("div", { class: "head" }, element("h2", {}, texts.sections.retention), chooser), notesOf(view, wrong),
      answer.meta?.identity === "daily" && element("p", { class: "note" }, words.dailyIds), element("section", { class: "card", "aria-label": texts.sections.retention }, who, inside));
  },

  dialog: (view, _, act) => (view.edit === "retention" ? { title: words.changeRetention, content: form(view, act) } : null),
};

/** Returns the last day of the bucket that begins with a day. */
function lastDay(day, interval) {
  if (interval !== "monthly") return addDays(day, days[interval] - 1);
  return addDays(`${addDays(`${day.slice(0, 8)}01`, 31).slice(0, 8)}01`, -1);
}

const mark = (sign, text) => element("span", {}, sign, element("span", { class: "hidden" }, text));

function grid({ data, previous }, view, interval, { startDate, endDate }) {
  const cohorts = new Map(), now = today(view.zone); // by date
  data.forEach((row, i) => cohorts.set(row.date, [...(cohorts.get(row.date) ?? []), { row, before: previous?.[i] }]));
  const periods = Math.max(...data.map(({ period }) => period)) + 1;
  const cell = ({ row, before }) => {
    const until = lastDay(later(row.date, interval, row.period), interval), open = until > endDate || until >= now;
    const made = element("td", { class: open && "open", title: words.cohortCell(shown(row.visitors, "whole"), shown(row.cohort_size, "whole")) },
      shown(row.percentage, "percent"), open && mark("*", words.notOver), element("span", { class: "unit" }, shown(row.visitors, "whole")),
      row.period > 0 && !open && changeOf(row.percentage, before?.percentage, "percent", 1));
    made.style.setProperty("--depth", `${Math.round(45 * Math.sqrt((row.percentage ?? 0) / 100))}%`); // more would hide the text
    return made;
  };
  const body = [...cohorts].map(([date, all]) => {
    const { row: { cohort_size: size }, before } = all[0];
    return element("tr", {}, element("th", { scope: "row" }, bucket(date, interval), date < startDate && mark("†", words.begunBefore)),
      element("td", {}, shown(size, "whole"), changeOf(size, before?.cohort_size, "whole", 1)), all.map(cell),
      Array.from({ length: periods - all.length }, () => element("td", { class: "empty" })));
  });
  const heads = [words.cohort, words.size, ...Array.from({ length: periods }, (_, period) => words.period[interval](period))];
  const table = element("table", { class: "retention" }, element("caption", { class: "hidden" }, words.gridOf),
    element("thead", {}, element("tr", {}, heads.map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, body));
  return [element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words.gridOf, "data-key": "grid" }, table),
    element("p", { class: "soft" }, words.legend, data[0].date < startDate && ` ${words.legendCut}`)];
}

/** Returns the first day of the n-th bucket after the one that begins with a day. */
function later(day, interval, n) {
  if (interval !== "monthly") return addDays(day, n * days[interval]);
  const at = new Date(`${day}T00:00Z`);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + n, 1)).toISOString().slice(0, 10);
}

// The dialog that says who counts as new, and as back. It is kept in the address.
function form(view, act) {
  const start = actionFields("start.", actionOf(view.start), words.anyChoice), back = actionFields("return.", actionOf(view.back), words.anyChoice);
  const text = (action) => (action ? JSON.stringify(action) : ""), group = (title, { nodes }) => element("fieldset", {}, element("legend", {}, title), nodes);
  const made = element("form", { class: "asking-form", async submit(event) {
    event.preventDefault();
    const chosen = { start: text(start.read()), back: text(back.read()) };
    try {
      const [{ success, error }] = (await ask(view, [parameterOf({ ...view, ...chosen, filters: [] })])).data;
      if (success) act.open(chosen);
      else tell(made, mistakesOf(error));
    } catch (error) {
      if (error.kind === "key") {
        act.close();
        return act.fail(error);
      }
      tell(made, mistakesIn(error, "retention"));
    }
  } }, group(words.started, start), group(words.returned, back), alertPlace(), element("p", { class: "foot" }, element("button", { class: "main" }, texts.apply)), suggestions(view));
  return made;
}
