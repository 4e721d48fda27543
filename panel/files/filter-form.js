// The dialog of one filter. It suggests values that the website has.
import { ask } from "./api.js";
import { button, element, replace } from "./dom.js";
import { labelOfFilter, nameOf, titleOfField } from "./filters.js";
import { lists, parameterOf, searchOf } from "./lists.js";
import { segmentsOf } from "./segments.js";
import { labelOf } from "./tables.js";
import { texts } from "./texts.js";

const most = 8, pause = 250; // suggestions, and ms after the last key
const each = 4, longest = 16; // values of a field, and of all fields

const listOf = (field) => Object.keys(lists).find((name) => lists[name].field === field && !lists[name].of);

/** Returns the content of the dialog for one filter of a view, or for a new one without filter. done gets the filter. */
export function filterForm(filter, view, done) {
  const named = new Map((filter?.values ?? []).map((value) => [nameOf(filter.field, value), value])); // values by what is shown for them
  const fields = filter && !(filter.field in texts.fields) ? { ...texts.fields, [filter.field]: titleOfField(filter.field) } : texts.fields;
  const choice = (name, label, choices, value, change) => element("label", {}, label, element("select", { name, change, autofocus: name === "field" && Boolean(filter) }, Object.entries(choices).map(([one, text]) => element("option", { value: one, selected: one === value }, text))));
  const field = choice("field", texts.field, fields, filter?.field, () => {
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
    const now = ++turn;
    if (field.lastChild.value === "segment") {
      const all = await segmentsOf(view.website).catch(() => []);
      if (now === turn) choose(all.filter((one) => !lines().includes(one)).map((one) => [one]), "");
      return;
    }
    if (field.lastChild.value.startsWith("property:")) return replace(place);
    const name = listOf(field.lastChild.value), list = lists[name], typed = lines().at(-1), text = named.has(typed) ? "" : typed;
    const search = text && searchOf(list, text), parameter = parameterOf(name, { limit: 100, ...(search && { filters: [search] }) });
    const [answer] = await ask({ ...view, filters: [] }, [parameter]).then(({ data }) => data, () => []);
    if (now !== turn) return;
    const rows = (answer?.data ?? []).filter((row) => list.value(row) && !list.internal?.(row)).map((row) => [nameOf(list.field, list.value(row)), list.value(row), labelOf(list, row)]);
    const found = rows.filter(([shown, , label]) => !lines().includes(shown) && label.toLocaleLowerCase().includes(text.toLocaleLowerCase())).slice(0, most);
    for (const [shown, value] of rows) named.set(shown, value);
    choose(found, text);
  }

  function choose(found, text) {
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
  } }, !filter && finder(view, done, (name) => {
    field.lastChild.value = name;
    values.value = "";
    values.focus();
    suggest();
  }), field, op, element("label", {}, texts.values, values), place, element("button", { class: "main" }, texts.apply));
}

/** Returns one field that completes names and values of all fields at once. done gets a filter; named gets a field whose values are to be chosen. */
function finder(view, done, named) {
  const place = element("div", { class: "choices found", role: "group", "aria-label": texts.find, "aria-live": "polite" });
  const input = element("input", { type: "search", name: "find", autofocus: true, autocomplete: "off", dir: "auto", "aria-label": texts.find, placeholder: texts.find, input: () => {
    clearTimeout(timer);
    timer = setTimeout(find, pause);
  }, keydown: (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // not the form: Enter takes the first choice
    place.querySelector("button")?.click();
  } });
  const all = [...new Set(Object.values(lists).map((list) => list.field))].filter((name) => name in texts.fields).map((name) => listOf(name));
  let timer = 0, turn = 0;

  async function find() {
    const text = input.value.trim(), wanted = text.toLocaleLowerCase(), now = ++turn;
    if (!text) return replace(place);
    const names = Object.keys(texts.fields).filter((name) => texts.fields[name].toLocaleLowerCase().includes(wanted));
    const parameters = all.map((name) => {
      const search = searchOf(lists[name], text);
      return parameterOf(name, { limit: search ? each : 300, ...(search && { filters: [search] }) });
    });
    const [answers, segments] = await Promise.all([ask({ ...view, filters: [] }, parameters).then(({ data }) => data, () => []), segmentsOf(view.website).catch(() => [])]);
    if (now !== turn) return;
    const found = answers.flatMap(({ id, data = [] }) => data.filter((row) => lists[id].value(row) && !lists[id].internal?.(row) && labelOf(lists[id], row).toLocaleLowerCase().includes(wanted))
      .slice(0, each).map((row) => ({ field: lists[id].field, op: "is", values: [lists[id].value(row)] })));
    found.unshift(...segments.filter((name) => name.toLocaleLowerCase().includes(wanted)).map((name) => ({ field: "segment", op: "is", values: [name] })));
    replace(place, names.map((name) => button(texts.fieldOf(texts.fields[name]), () => named(name))), found.slice(0, longest).map((one) => button(labelOfFilter(one), () => done(one), { dir: "auto" })));
  }
  return element("div", {}, input, place);
}
