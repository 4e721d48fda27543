// The filters of a view, as chips.
import { button, element, replace } from "./dom.js";
import { country } from "./format.js";
import { texts } from "./texts.js";

/** Returns what is shown for a value: countries have names. */
export const nameOf = (field, value) => (field === "country" && /^[A-Z]{2}$/.test(value) ? country(value) : value);

/** Returns what is shown for a field. Properties of events have fields such as property:plan. */
export const titleOfField = (field) => texts.fields[field] ?? texts.property(field.replace(/^property:/, ""));

export const labelOfFilter = ({ field, op, values }) => `${titleOfField(field)} ${texts.operators[op]} ${values.map((value) => nameOf(field, value)).join(texts.or)}`;

/** Returns filters with one more. A filter by the same field and condition is replaced. */
export const withFilter = (filters, added) => [...filters.filter(({ field, op }) => field !== added.field || (op !== added.op && op !== "is" && added.op !== "is")), added];

/** The condition that a click on a chip makes of another. */
export const opposites = { is: "is_not", is_not: "is", contains: "contains_not", contains_not: "contains" };

/** Draws the chips and the button that adds one. act.turn(i) turns a filter around, act.edit(i) opens its dialog, act.remove(i) removes it. */
export function drawFilters(parent, { filters }, act) {
  parent.hidden = false;
  parent.setAttribute("aria-label", texts.filters);
  replace(parent, filters.map((filter, i) => {
    const label = labelOfFilter(filter);
    return element("span", { class: "chip" }, button(label, () => act.turn(i), { class: "label", dir: "auto", title: texts.turn(label), "aria-label": texts.turn(label), "data-key": `chip ${filter.field}` }),
      button("✎", () => act.edit(String(i)), { "aria-label": texts.edit(label), "data-key": `edit ${i}` }),
      button("✕", () => act.remove(i), { "aria-label": texts.remove(label), "data-key": `remove ${i}` }));
  }), button(`+ ${texts.addFilter}`, () => act.edit("new"), { class: "quiet", "data-key": "add filter" }), button(texts.segments.title, () => act.edit("segments"), { class: "quiet", "data-key": "segments" }),
  filters.length > 1 && button(texts.removeFilters, act.clear, { class: "quiet", "data-key": "remove filters" }));
}
