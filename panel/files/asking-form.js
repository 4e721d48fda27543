// Forms that say what people do: an event, a page or a link, with conditions. Mistakes stand beside their fields.
import { ask } from "./api.js";
import { button, element } from "./dom.js";
import { texts } from "./texts.js";

const words = texts.asking;
const kinds = ["event", "page", "click"], simple = ["eq", "starts_with", "contains", "matches"];
const single = [...simple, "ne", "ends_with", "not_starts_with", "not_ends_with", "not_contains", "not_matches"];
const filterOps = ["eq", "ne", "contains", "not_contains", "starts_with", "ends_with", "matches", "gt", "gte", "lt", "lte", "exists", "not_exists"];
let made = 0; // counts ids of elements

/** Returns a field with its label and a place for its mistake. at is the place of its value in a definition. */
export function field(at, label, control, help) {
  const id = `field-${++made}`;
  control.setAttribute("aria-describedby", [`${id}-wrong`, help && `${id}-help`].filter(Boolean).join(" "));
  return element("div", { class: "field", "data-at": at }, element("label", {}, label, control), help && element("p", { class: "soft", id: `${id}-help` }, help),
    element("p", { class: "failed", id: `${id}-wrong` }));
}

export const choice = (name, choices, value, change) => element("select", { name, change: change ?? null },
  Object.entries(choices).map(([one, text]) => element("option", { value: one, selected: one === value }, text)));

/** Shows mistakes beside the fields that they are about, the rest in alertPlace(), and moves the focus to the first one. */
export function tell(form, mistakes) {
  const fields = [...form.querySelectorAll(".field")], rest = [];
  for (const one of fields) {
    one.querySelector(".failed").textContent = "";
    one.querySelector("label").lastChild.removeAttribute("aria-invalid");
  }
  let first = null;
  for (const { field: at, text } of mistakes) {
    const place = at.replace(/(^|\.)(event|page|click)(\.value|\.op)?$/, "$1action").replace(/(filters\[\d+\]).*$/, "$1");
    const found = place && fields.find((one) => one.dataset.at === place);
    if (!found || found.closest("[hidden]")) {
      rest.push(text);
      continue;
    }
    const control = found.querySelector("label").lastChild, label = found.querySelector("label").firstChild.textContent;
    found.querySelector(".failed").textContent = words.mistake(label, text);
    control.setAttribute("aria-invalid", "true");
    first ??= control;
  }
  form.querySelector(".wrong").textContent = rest.join(" ");
  first?.focus();
}

/** The place of tell() for mistakes without a field. It stands above the buttons, where the reader is then. */
export const alertPlace = () => element("p", { class: "failed wrong", role: "alert" });

/** Reports whether the form can show an action. Others were made with the API, and are only shown as texts. */
export function canShow(action) {
  const kind = kinds.find((one) => one in action), value = action[kind];
  return typeof value === "string" || (single.includes(value?.op) && typeof value.value === "string");
}

/**
 * Returns { nodes, read }: the fields of an action, and a function that returns it. at is the place of the action in the definition, "" or
 * with a dot at its end. any is the text of a choice for any action, which reads as null.
 */
export function actionFields(at, action, any = "") {
  const given = kinds.find((one) => one in (action ?? {})), value = action?.[given ?? "event"] ?? "";
  const op = typeof value === "string" ? "eq" : value.op, ops = simple.includes(op) ? simple : [...simple, op];
  const text = element("input", { name: "text", required: true, dir: "auto", autocomplete: "off", spellcheck: "false", maxlength: 1000 });
  text.value = typeof value === "string" ? value : value.value;
  const operator = choice("op", Object.fromEntries(ops.map((one) => [one, words.operators[one]])), op, update);
  const kind = choice("kind", { ...(any && { "": any }), ...words.kinds }, given ?? (any ? "" : "event"), update);
  const list = element("ul", { class: "conditions" });
  const rows = (action?.filters ?? []).map((filter) => condition(filter));
  const add = button(words.addCondition, () => {
    rows.push(condition({ field: "property:", op: "eq", value: "" }));
    draw();
    rows.at(-1).node.querySelector("select").focus();
  }, { class: "quiet" });
  const test = [field(`${at}op`, words.operator, operator), field(`${at}action`, words.kinds.event, text)];
  const conditions = element("div", {}, list, add);

  function condition(filter) {
    const row = filterRow(filter, () => {
      rows.splice(rows.indexOf(row), 1);
      draw();
      add.focus();
    });
    return row;
  }
  function draw() {
    rows.forEach((row, i) => { row.node.dataset.at = `${at}filters[${i}]`; });
    list.replaceChildren(...rows.map((row) => element("li", {}, row.node)));
    list.hidden = rows.length === 0;
  }
  function update() {
    for (const node of [...test, conditions]) node.hidden = kind.value === "";
    text.required = kind.value !== "";
    const label = text.parentElement;
    label.firstChild.textContent = words.texts[operator.value === "matches" ? "matches" : kind.value || "event"];
    if (kind.value) text.setAttribute("list", `known-${kind.value}`);
    text.setAttribute("placeholder", operator.value === "eq" ? words.examples[kind.value || "event"] : "");
  }
  draw();
  update();
  return {
    nodes: [element("div", { class: "what" }, field(at.replace(/\.$/, ""), words.kind, kind), test), conditions],
    read() {
      if (kind.value === "") return null;
      const filters = rows.map((row) => row.read());
      return { [kind.value]: operator.value === "eq" ? text.value.trim() : { op: operator.value, value: text.value.trim() }, ...(filters.length > 0 && { filters }) };
    },
  };
}

// One condition of an action, { node, read }. Conditions that were made with the API and have another form stay as they are.
function filterRow(filter, removed) {
  const drop = button("✕", removed, { class: "arrow", "aria-label": words.removeCondition });
  const fields = { property: words.property, ...words.filterFields };
  const name = filter.field?.startsWith("property:") ? "property" : filter.field;
  if (!(name in fields) || !filterOps.includes(filter.op) || !["string", "number", "undefined"].includes(typeof filter.value)) {
    const shown = element("code", {}, JSON.stringify(filter));
    return { node: element("div", { class: "condition" }, shown, drop), read: () => filter };
  }
  const key = element("input", { name: "key", required: true, dir: "auto", list: "known-property", autocomplete: "off", spellcheck: "false", maxlength: 128 });
  key.value = name === "property" ? filter.field.slice("property:".length) : "";
  const value = element("input", { name: "value", dir: "auto", autocomplete: "off", spellcheck: "false", maxlength: 1000 });
  value.value = filter.value ?? "";
  const about = choice("about", fields, name, update);
  const operator = element("select", { name: "op", change: update });
  const keyLabel = element("label", {}, words.key, key), valueLabel = element("label", {}, words.value, value);
  function update() {
    const chosen = operator.value || filter.op, fits = about.value === "property" ? filterOps : filterOps.slice(0, 7);
    operator.replaceChildren(...fits.map((one) => element("option", { value: one, selected: one === chosen }, words.operators[one])));
    keyLabel.hidden = about.value !== "property";
    key.required = !keyLabel.hidden;
    valueLabel.hidden = operator.value.endsWith("exists");
  }
  update();
  const node = field("", words.conditionOn, about);
  node.classList.add("condition");
  node.querySelector("label").after(keyLabel, element("label", {}, words.operator, operator), valueLabel, drop);
  return {
    node,
    read: () => ({
      field: about.value === "property" ? `property:${key.value.trim()}` : about.value, op: operator.value, ...(!valueLabel.hidden && { value: value.value }),
    }),
  };
}

/** Returns an element that gets the names that the website has: events, pages, links and properties, as suggestions for the fields. */
export function suggestions(view) {
  const place = element("div", { hidden: true });
  const list = (kind, names) => element("datalist", { id: `known-${kind}` }, [...new Set(names)].map((name) => element("option", { value: name })));
  ask({ ...view, filters: [] }, [["custom_events", 100], ["top_pages", 100], ["outbound_links", 100], ["custom_event_properties", 1000]].map(([name, limit]) => ({ name, limit }))).then(({ data }) => {
    const [events, pages, links, properties] = data.map((answer) => answer.data.filter((row) => !row.name?.startsWith("$")));
    place.replaceChildren(list("event", events.map((row) => row.name)), list("page", pages.map((row) => row.path)),
      list("click", links.map((row) => row.href)), list("property", properties.map((row) => row.property_key)));
  }, () => {}); // the fields work without them
  return place;
}
