// The filters of a view, as chips, and the dialog that changes one.
import { button, element, replace } from "./dom.js";
import { country } from "./format.js";
import { texts } from "./texts.js";

const nameOf = (field, value) => (field === "country" && /^[A-Z]{2}$/.test(value) ? country(value) : value);

export const labelOfFilter = ({ field, op, values }) => `${texts.fields[field]} ${texts.operators[op]} ${values.map((value) => nameOf(field, value)).join(texts.or)}`;

/** Returns filters with one more. A filter by the same field and condition is replaced. */
export const withFilter = (filters, added) => [...filters.filter(({ field, op }) => field !== added.field || (op !== added.op && op !== "is" && added.op !== "is")), added];

/** Draws the chips and the button that adds one. act.edit(i) opens the dialog, act.remove(i) removes a filter. */
export function drawFilters(parent, { filters }, act) {
  parent.hidden = false;
  parent.setAttribute("aria-label", texts.filters);
  replace(parent, filters.map((filter, i) => {
    const label = labelOfFilter(filter);
    return element("span", { class: "chip" }, button(label, () => act.edit(String(i)), { class: "label", dir: "auto", title: label, "aria-label": texts.edit(label), "data-key": `chip ${filter.field}` }),
      button("✕", () => act.remove(i), { "aria-label": texts.remove(label), "data-key": `remove ${i}` }));
  }), button(`+ ${texts.addFilter}`, () => act.edit("new"), { class: "quiet", "data-key": "add filter" }));
}

/** Returns the content of the dialog for one filter. done gets the filter. */
export function filterForm(filter, done) {
  const choice = (name, label, choices, value) => element("label", {}, label, element("select", { name }, Object.entries(choices).map(([one, text]) => element("option", { value: one, selected: one === value }, text))));
  const field = choice("field", texts.field, texts.fields, filter?.field), op = choice("op", texts.operator, texts.operators, filter?.op);
  const values = element("textarea", { name: "values", rows: 4, required: true, dir: "auto" });
  values.value = filter?.values.join("\n") ?? "";
  return element("form", { class: "filter", submit: (event) => {
    event.preventDefault();
    const made = values.value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (made.length > 0) done({ field: field.lastChild.value, op: op.lastChild.value, values: [...new Set(made)].slice(0, 100) });
  } }, field, op, element("label", {}, texts.values, values), element("button", { class: "main" }, texts.apply));
}
