// Goals and funnels that are saved by name, and what is wrong with them in words.
import { ask, call, condition, Fault, pages } from "./api.js";
import { element } from "./dom.js";
import { texts } from "./texts.js";

const words = texts.asking;
const path = (website) => `/v1/websites/${encodeURIComponent(website)}/definitions`;

/** Returns the saved definitions of a kind, goal or funnel: their names and bodies. */
export async function savedOf(website, kind) {
  return (await pages(path(website), "definitions")).filter((one) => one.kind === kind).map(({ name, body }) => ({ name, body }));
}

export const remove = (website, kind, name) => call(`${path(website)}?${new URLSearchParams({ kind, name })}`, null, "DELETE");

/** Saves a definition. One that had another name before is removed. */
export async function save(website, kind, name, body, before) {
  await call(path(website), { kind, name, body });
  if (!before || before === name) return;
  try {
    await remove(website, kind, before);
  } catch (error) {
    if (error.kind !== "missing") throw error; // somebody else has removed it
  }
}

/** Returns the filters of a view for questions about visits and what was done in them. */
export const filtersOf = (view) => view.filters.map((filter) => condition(filter, true));

/**
 * Returns the answers to parameters, of which those that are false are left out. Definitions may be wrong, as those of an address; then
 * their answers are failures, so that they can be seen and mended.
 */
export async function askAll(view, parameters) {
  const all = parameters.filter(Boolean);
  if (all.length === 0) return [];
  try {
    return (await ask(view, all)).data;
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== "other") throw error;
    return all.map(({ id }) => ({ id, success: false, error: error.message }));
  }
}

/** Returns the notes that hold for all such questions, as elements. */
export function notesOf(view, wrong = []) {
  const all = wrong.map((text) => texts.unknown(...text));
  if (view.filters.some(({ field }) => field === "path")) all.push(words.pageFilter);
  return all.map((text) => element("p", { class: "note" }, text));
}

/** Returns the JSON of an address if it passes check, or null. */
export function parsed(text, check) {
  try {
    const value = JSON.parse(text);
    return check(value) ? value : null;
  } catch {
    return null;
  }
}

/** Reports whether a value of an address has the form of an action: exactly one of event, page and click. */
export const isAction = (value) => value !== null && typeof value === "object" && ["event", "page", "click"].filter((kind) => kind in value).length === 1;

const place = /(?:^|; )((?:goals\[\d+\]|steps(?:\[\d+\])?|start|return|window|within|name)[\w.[\]]*):? /;

/**
 * Returns the mistakes that an answer of the API tells, as { field, text }: its error, and its details if it has any. field is the place
 * inside the definition, such as page.value, steps[1].event or window; it is "" if the mistake has none.
 */
export function mistakesOf(error, details) {
  const told = details?.length > 0 ? details : [{ field: "", message: error }];
  return told.flatMap(({ field, message }) => {
    const parts = message.split(new RegExp(place, "g"));
    if (parts.length === 1) return [{ field: short(field), text: message }];
    const found = parts[0] ? [{ field: short(field), text: parts[0] }] : [];
    for (let i = 1; i < parts.length; i += 2) found.push({ field: short(parts[i]), text: parts[i + 1] });
    return found;
  });
}

const short = (field) => field.replace(/^body(\.|$)/, "").replace(/^goals\[\d+\](\.|$)/, "").replace(/[:.]$/, "");

/** Returns the mistakes of a failed request, or throws the error if it is about something else. */
export function mistakesIn(error, kind) {
  if (!(error instanceof Fault) || error.kind === "key") throw error;
  const text = { forbidden: words.mayNotSave[kind], missing: words.isGone[kind] }[error.kind] ?? (error.wait ? words.notSaved : null);
  return text ? [{ field: "", text }] : mistakesOf(error.message, error.details);
}

const operatorOf = (value) => (typeof value === "string" ? "" : `${words.operators[value.op] ?? value.op} `);
const textOf = (value) => (typeof value === "string" ? value : [value.value].flat().join(texts.or));

/** Returns an action in words, such as: Page starts with /docs, if plan is pro. null is any action. */
export function describe(action) {
  if (!action) return words.anything;
  const kind = ["event", "page", "click"].find((one) => one in action);
  const value = action[kind], filters = (action.filters ?? []).map(describeFilter);
  return `${words.kinds[kind]} ${operatorOf(value)}${textOf(value)}${filters.length > 0 ? words.onlyIf(filters.join(words.and)) : ""}`;
}

/** Returns the name of a step, or what it means. */
export const nameOfStep = ({ name, ...action }) => name || (!action.filters && Object.values(action).find((value) => typeof value === "string")) || describe(action);

function describeFilter({ field, op, value, ...others }) {
  if (!field) return JSON.stringify(others);
  const name = words.filterFields[field] ?? field.replace(/^property:/, "");
  return [name, words.operators[op] ?? op, [value ?? []].flat().join(texts.or)].filter((text) => text !== "").join(" ");
}
