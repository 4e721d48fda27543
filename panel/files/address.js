// The view and its address. The part of the address after # holds all that is chosen; browsers do not send it to servers.
import { fair, isDate, isFine, isPeriod, isZone, local, presets } from "./dates.js";
import { cards, lists } from "./lists.js";
import { sections } from "./sections.js";
import { texts } from "./texts.js";

const defaults = { website: "", preset: fair.preset, from: "", to: "", compare: fair.compare, interval: "auto", zone: local, metric: "visitors", section: "overview", list: "", of: "", search: "", sort: "", page: 1, edit: "" };
const operators = Object.keys(texts.operators);
const ownOf = (section) => sections[section].own ?? [];

/**
 * Returns the view of an address, and what it asks for that is not known here, as texts. A key of the address is
 * returned apart: it must not stay there.
 */
export function read(hash) {
  const asked = new URLSearchParams(hash.replace(/^#/, "")), view = { ...defaults, tabs: {}, filters: [] }, unknown = [];
  const take = (name, known, shown, title) => {
    const value = asked.get(name);
    if (!value) return;
    if (known(value)) view[name] = value;
    else unknown.push(texts.unknown(title, value, shown));
  };
  view.website = asked.get("website") ?? "";
  take("preset", (value) => value in presets, texts.presets[defaults.preset], texts.range);
  const from = asked.get("from"), to = asked.get("to");
  if (from || to) {
    if (isDate(from ?? "") && isDate(to ?? "") && from <= to) Object.assign(view, { preset: "", from, to });
    else unknown.push(texts.unknown(texts.range, `${from ?? ""} – ${to ?? ""}`, texts.presets[view.preset]));
  }
  take("compare", (value) => (value in texts.compares && value !== "own") || isPeriod(value), texts.compares[defaults.compare], texts.compare);
  take("interval", (value) => value in texts.intervals, texts.intervals.auto, texts.interval);
  if (!isFine(view, view.interval)) {
    view.interval = "auto";
    unknown.push(texts.tooLong);
  }
  const zone = asked.get("timezone");
  if (zone && isZone(zone)) view.zone = zone;
  else if (zone) unknown.push(texts.unknown(texts.zone, zone, local));
  take("metric", (value) => value in texts.metrics, texts.metrics.visitors, texts.metric);
  take("section", (value) => value in sections, texts.sections.overview, texts.section);
  take("list", (value) => value in lists, texts.cards.pages, texts.list);
  for (const name of ["of", "search", "sort"]) view[name] = asked.get(name) ?? "";
  view.edit = asked.get("edit") ?? "";
  for (const name of ownOf(view.section)) view[name] = asked.get(name) ?? "";
  view.page = Math.max(1, Math.min(1000, Number.parseInt(asked.get("page") ?? "1", 10) || 1));
  for (const tab of asked.getAll("tab")) {
    const card = Object.keys(cards).find((one) => cards[one].includes(tab));
    if (card) view.tabs[card] = tab;
    else unknown.push(texts.unknown(texts.tab, tab, texts.start));
  }
  for (const text of asked.getAll("filter")) {
    const filter = filterOf(text);
    if (filter) view.filters.push(filter);
    else unknown.push(texts.unknownFilter(text));
  }
  return { view, unknown, key: asked.get("key") ?? asked.get("token") ?? "" };
}

function filterOf(text) {
  try {
    const [field, op, ...values] = JSON.parse(text);
    if ((field in texts.fields || (typeof field === "string" && /^property:./.test(field))) && operators.includes(op) && values.length > 0 && values.every((value) => typeof value === "string")) return { field, op, values };
  } catch { /* it is not JSON, which the caller says */ }
  return null;
}

/** Returns the address of a view, from # on. Of the rest, what is as by default is left out. */
export function write(view) {
  const address = new URLSearchParams({ website: view.website });
  if (view.preset) address.set("preset", view.preset);
  else for (const name of ["from", "to"]) address.set(name, view[name]);
  address.set("timezone", view.zone);
  for (const name of ["section", "compare", "interval", "metric", "list", "of", "search", "sort", "page", "edit"]) {
    if (String(view[name]) !== String(defaults[name])) address.set(name, view[name]);
  }
  for (const name of ownOf(view.section)) if (view[name]) address.set(name, view[name]);
  for (const [card, tab] of Object.entries(view.tabs)) if (tab !== cards[card][0]) address.append("tab", tab);
  for (const { field, op, values } of view.filters) address.append("filter", JSON.stringify([field, op, ...values]));
  return `#${address}`;
}

/** What a view has to lose when its dialog closes. */
export const closed = { list: "", of: "", search: "", sort: "", page: 1, edit: "" };

/** What a view has to lose when its website changes: what the section asks of that website. */
export const blank = (section) => Object.fromEntries(ownOf(section).map((name) => [name, ""]));
