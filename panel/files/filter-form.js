// The dialog of one filter. It suggests values that the website has.
import { ask } from "./api.js";
import { button, element, replace } from "./dom.js";
import { nameOf } from "./filters.js";
import { lists, parameterOf, searchOf } from "./lists.js";
import { labelOf } from "./tables.js";
import { texts } from "./texts.js";

const most = 8, pause = 250; // suggestions, and ms after the last key

const listOf = (field) => Object.keys(lists).find((name) => lists[name].field === field && !lists[name].of);

/** Returns the content of the dialog for one filter of a view, or for a new one without filter. done gets the filter. */
export function filterForm(filter, view, done) {
  const named = new Map((filter?.values ?? []).map((value) => [nameOf(filter.field, value), value])); // values by what is shown for them
  const choice = (name, label, choices, value, change) => element("label", {}, label, element("select", { name, change, autofocus: name === "field" }, Object.entries(choices).map(([one, text]) => element("option", { value: one, selected: one === value }, text))));
  const field = choice("field", texts.field, texts.fields, filter?.field, () => {
    values.value = "";
    suggest();
  });
  const op = choice("op", texts.operator, texts.operators, filter?.op);
  const values = element("textarea", { name: "values", rows: 3, required: true, dir: "auto", input: () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, pause);
  } });
  values.value = [...named.keys()].join("\n");
  const place = element("div", { class: "choices", role: "group", "aria-label": texts.suggestions });
  let timer = 0, turn = 0;
  const lines = () => values.value.split("\n").map((line) => line.trim());

  // Shows the most frequent values that hold the text of the last line. Without an answer the form works as well.
  async function suggest() {
    const name = listOf(field.lastChild.value), list = lists[name], typed = lines().at(-1), text = named.has(typed) ? "" : typed, now = ++turn;
    const search = text && searchOf(list, text), parameter = parameterOf(name, { limit: 100, ...(search && { filters: [search] }) });
    const [answer] = await ask({ ...view, filters: [] }, [parameter]).then(({ data }) => data, () => []);
    if (now !== turn) return;
    const rows = (answer?.data ?? []).filter((row) => list.value(row) && !list.internal?.(row)).map((row) => [nameOf(list.field, list.value(row)), list.value(row), labelOf(list, row)]);
    const found = rows.filter(([shown, , label]) => !lines().includes(shown) && label.toLocaleLowerCase().includes(text.toLocaleLowerCase())).slice(0, most);
    for (const [shown, value] of rows) named.set(shown, value);
    replace(place, found.map(([shown]) => button(shown, () => {
      values.value = [...lines().slice(0, text ? -1 : undefined).filter(Boolean), shown].join("\n");
      values.focus();
      suggest();
    }, { dir: "auto" })));
  }
  suggest();
  return element("form", { class: "filter", submit: (event) => {
    event.preventDefault();
    const made = lines().filter(Boolean).map((line) => named.get(line) ?? line);
    if (made.length > 0) done({ field: field.lastChild.value, op: op.lastChild.value, values: [...new Set(made)].slice(0, 100) });
  } }, field, op, element("label", {}, texts.values, values), place, element("button", { class: "main" }, texts.apply));
}
