// The controls at the top: website, dates, and options.
import { blank } from "./address.js";
import { button, byId, element, select } from "./dom.js";
import { isPeriod, local, presets, shifted } from "./dates.js";
import { mayShare } from "./self.js";
import { theme, themes } from "./theme.js";
import { texts } from "./texts.js";

const roomy = matchMedia("(min-width: 68rem)"), wide = matchMedia("(min-width: 40.01rem)"); // else the comparison, or the arrows, are in the options
let made = null;

/** Draws the controls, or sets their values to those of the view. websites is null as long as they are not known. answered has the dates of the last answer. dated says whether dates matter. */
export function drawControls(view, websites, answered, act, dated) {
  const form = byId("controls");
  form.hidden = false;
  form.classList.toggle("undated", !dated);
  made ??= create(form, act);
  const { fields } = made;
  if (made.websites !== websites) {
    made.websites = websites;
    fields.website.replaceChildren(...(websites ?? [{ id: view.website, name: "…" }]).map(({ id, name, domain }) => element("option", { value: id }, name || domain)));
  }
  fields.website.parentElement.hidden = websites?.length === 0;
  if (![...fields.zone.options].some(({ value }) => value === view.zone)) fields.zone.append(element("option", {}, view.zone));
  for (const name of ["website", "interval", "zone"]) fields[name].value = view[name];
  fields.preset.value = view.preset || "custom";
  fields.theme.value = theme();
  made.custom.hidden = Boolean(view.preset);
  made.other.hidden = !isPeriod(view.compare);
  fields.compare.value = isPeriod(view.compare) ? "own" : view.compare;
  if (isPeriod(view.compare)) [fields.compareFrom.value, fields.compareTo.value] = view.compare.split(",");
  made.share.hidden = !mayShare();
  [fields.from.value, fields.to.value] = [view.from, view.to];
  for (const [name, by] of [["before", -1], ["after", 1]]) {
    const to = answered?.startDate && shifted(view, answered.startDate.slice(0, 10), answered.endDate.slice(0, 10), by);
    made[name].disabled = !to;
    made[name].onclick = () => act.go(to);
  }
}

function create(form, act) {
  const choices = (of) => Object.entries(of);
  const set = (name) => (value) => act.go({ [name]: value });
  const zones = [...new Set([local, "UTC", ...Intl.supportedValuesOf("timeZone")])].map((name) => [name, name.replaceAll("_", " ")]);
  const labels = {
    website: select(texts.website, "website", [], "", (website) => act.go({ website, filters: [], ...blank(act.view().section) })),
    preset: select(texts.range, "preset", [...Object.keys(presets).map((name) => [name, texts.presets[name]]), ["custom", texts.custom]], "", (value) => (value === "custom" ? act.custom() : act.go({ preset: value, from: "", to: "" }))),
    compare: select(texts.compare, "compare", choices(texts.compares), "", (value) => (value === "own" ? act.compareDates() : act.go({ compare: value }))),
    interval: select(texts.interval, "interval", choices(texts.intervals), "", set("interval")),
    zone: select(texts.zone, "timezone", zones, "", set("zone")),
    theme: select(texts.manners.theme, "theme", themes.map((name) => [name, texts.manners.themes[name]]), "", act.theme),
  };
  const date = (name, change) => element("label", {}, element("span", {}, texts[name]), element("input", { type: "date", name, required: true, change }));
  for (const name of ["from", "to"]) labels[name] = date(name, () => act.dates(fields.from.value, fields.to.value, name));
  for (const name of ["compareFrom", "compareTo"]) labels[name] = date(name, () => act.compareDates(fields.compareFrom.value, fields.compareTo.value, name));
  const fields = Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, label.lastChild]));
  const before = button("‹", null, { class: "arrow", "aria-label": texts.before, title: texts.before, "data-key": "before" }), after = button("›", null, { class: "arrow", "aria-label": texts.after, title: texts.after, "data-key": "after" });
  const custom = element("div", { class: "custom" }, labels.from, labels.to);
  const other = element("div", { class: "custom other" }, element("span", { class: "soft", "aria-hidden": "true" }, texts.compare), labels.compareFrom, labels.compareTo);
  form.addEventListener("submit", (event) => event.preventDefault());
  const summary = element("summary", { "data-key": "options" }, texts.options), options = element("details", {}, summary);
  const close = () => { options.open = false; };
  const leave = (text, then) => button(text, () => {
    close();
    summary.focus();
    then();
  });
  const share = leave(texts.share, () => act.edit("share"));
  const menu = element("div", { class: "options" }, labels.interval, labels.zone, labels.theme, share,
    leave(texts.manners.shortcuts, () => act.edit("shortcuts")), leave(texts.manners.print, () => print()), button(texts.signOut, act.signOut));
  options.append(menu);
  options.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    summary.focus();
  });
  document.addEventListener("pointerdown", (event) => options.contains(event.target) || close());
  labels.compare.className = "compare";
  const arrows = element("div", { class: "dates" }, before, after);
  form.append(labels.website, element("div", { class: "dates" }, labels.preset), arrows, custom, other, options);
  const place = () => {
    if (roomy.matches) options.before(labels.compare);
    else menu.prepend(labels.compare);
    if (wide.matches) custom.before(arrows);
    else menu.prepend(arrows);
  };
  for (const media of [roomy, wide]) media.addEventListener("change", place);
  place();
  return { fields, before, after, custom, other, share };
}
