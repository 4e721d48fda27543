// Keys that do what the controls do, and their list. Nothing happens while the reader types, and they can be switched off.
import { byId, element } from "./dom.js";
import { mayShare } from "./self.js";
import { texts } from "./texts.js";
import { theme, themes, useTheme } from "./theme.js";

const stored = "sightline-shortcuts";
const on = () => localStorage.getItem(stored) !== "off";
const ranges = { o: "last_30m", h: "last_24h", d: "today", e: "yesterday", w: "last_7d", q: "last_28d", r: "last_30d", m: "this_month", p: "last_month", y: "this_year", l: "last_12m", a: "all_time" };
const cycle = (all, now) => all[(all.indexOf(now) + 1) % all.length];

// What keys do. Each entry has the text of the list.
const keys = {
  ...Object.fromEntries(Object.entries(ranges).map(([key, preset]) => [key, { text: () => texts.presets[preset], press: (act) => act.go({ preset, from: "", to: "" }) }])),
  ArrowLeft: { text: () => texts.before, press: () => byId("controls").querySelector("[data-key=before]")?.click() },
  ArrowRight: { text: () => texts.after, press: () => byId("controls").querySelector("[data-key=after]")?.click() },
  c: { text: () => texts.manners.changeCompare, press: (act) => act.go({ compare: cycle(Object.keys(texts.compares).filter((name) => name !== "own"), act.view().compare) }) },
  f: { text: () => texts.addFilter, press: (act) => act.edit("new") },
  x: { text: () => texts.removeFilters, press: (act) => act.clear() },
  "/": { text: () => texts.manners.searchPages, press: (act) => act.open({ list: "pages" }) || byId("dialog").querySelector("input[type=search]").focus() },
  s: { text: () => texts.share, press: (act) => mayShare() && act.edit("share") },
  t: { text: () => texts.manners.changeTheme, press: (act) => act.theme(cycle(themes, theme())) },
  "?": { text: () => texts.manners.shortcuts, press: (act) => act.edit("shortcuts") },
};

// Digits stand for the sections of the navigation, in its order.
const shownSections = () => [...byId("sections").querySelectorAll("a")].map(({ dataset }) => dataset.section);

/** Listens to keys. ready says whether there is something to act on. */
export function listenToKeys(act, ready) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !on() || !ready()) return;
    const dialog = byId("dialog"), at = event.target;
    if (at.closest("input, select, textarea, [contenteditable]")) return;
    if (dialog.open) {
      const search = event.key === "/" && dialog.querySelector("input[type=search]");
      if (search) {
        event.preventDefault();
        search.focus();
      }
      return;
    }
    const section = /^[1-9]$/.test(event.key) && shownSections()[Number(event.key) - 1];
    const press = section ? () => act.go({ section }) : keys[event.key]?.press;
    if (!press) return;
    event.preventDefault();
    press(act);
  });
}

/** Returns the list of all keys for the dialog. */
export function shortcutList() {
  const names = { ArrowLeft: "←", ArrowRight: "→" };
  const row = (key, text) => element("div", {}, element("dt", {}, element("kbd", {}, names[key] ?? key)), element("dd", {}, text));
  const box = element("input", { type: "checkbox", name: "shortcuts", checked: on(), change: () => (box.checked ? localStorage.removeItem(stored) : localStorage.setItem(stored, "off")) });
  return element("div", { class: "shortcuts" }, element("dl", {}, Object.entries(keys).map(([key, { text }]) => row(key, text())),
    shownSections().slice(0, 9).map((name, i) => row(String(i + 1), texts.sections[name])), row(texts.manners.escape, texts.close)),
  element("p", { class: "soft" }, texts.manners.chartKeys), element("label", { class: "check" }, box, texts.manners.useShortcuts));
}
