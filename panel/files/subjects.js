// What the sections about short links, monitors and flags share: the table of them, of which one is chosen, and plain tables.
import { Chart } from "./chart.js";
import { button, element, link } from "./dom.js";
import { shown } from "./format.js";
import { texts } from "./texts.js";

/** The number of subjects on a page. Each costs a request. */
export const size = 20;

export const pageOf = (all, view) => all.slice((view.page - 1) * size, view.page * size);

/** Returns the subject that the view asks for, or the first one. nameOf is the name of one in the address. */
export const chosenOf = (all, view, nameOf = ({ id }) => id) => all.find((one) => nameOf(one) === view.chosen) ?? all[0];

/** Says that the view asks for a subject that is not there. */
export const missing = (view, chosen, name) => view.chosen && view.chosen !== chosen && element("p", { class: "notice" }, texts.unknown(texts.others.chosen, view.chosen, name));

/** Returns a table. heads are texts, rows lists of cells: elements td, or texts. */
export function tableOf(heads, rows, name) {
  const cell = (one) => (one instanceof Element && one.localName === "td" ? one : element("td", {}, one));
  return element("table", { class: name }, element("thead", {}, element("tr", {}, heads.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map(cell)))));
}

/** Returns the first cell of a row that can be chosen. more is a second line. */
export const choice = (name, text, more, chosen, act) => element("td", { class: "name" },
  link(text, act.href({ chosen: name }), () => act.go({ chosen: name }), { "aria-current": name === chosen && "true", "data-key": `choose ${name}`, dir: "auto" }), more && element("span", { class: "soft", dir: "auto" }, more));

/** Returns a card. */
export const card = (title, ...inside) => element("section", { class: "card", "aria-label": title }, element("h2", {}, title), inside.flat());

/** The elements of a section about subjects: the list of them, the chart of the chosen one under its title, and cards. */
export class Frame {
  constructor(parent) {
    const figure = element("figure");
    this.list = element("div");
    this.title = element("h2");
    this.about = element("section", { class: "card" }, this.title, figure);
    this.cards = element("div", { id: "cards" });
    parent.replaceChildren(element("div", { class: "stack" }, this.list, this.about, this.cards));
    this.chart = new Chart(figure);
  }

  /** Returns the frame in parent: the one that is there, or a new one. */
  static in(parent, frame) {
    return frame && parent.contains(frame.list) ? frame : new Frame(parent);
  }

  show(title, answer, metric, interval) {
    this.title.textContent = title;
    this.about.setAttribute("aria-label", title);
    this.chart.show(answer, metric, interval);
  }
}

/** Returns the card of a breakdown: rows by label, one number and its share. */
export function breakdown(title, answer, label, column) {
  if (!answer.success) return card(title, element("p", { class: "failed" }, texts.faults.other(answer.error)));
  if (answer.data.length === 0) return card(title, element("p", { class: "soft" }, texts.noRows));
  const most = Math.max(1, ...answer.data.map((row) => row[column]));
  const rows = answer.data.map((row) => {
    const first = element("td", { class: "name" }, element("span", { dir: "auto" }, label(row) || texts.none));
    first.style.setProperty("--share", `${(100 * row[column]) / most}%`);
    return [first, shown(row[column], "whole"), element("td", { class: "soft" }, shown(row.percentage, "share"))];
  });
  return card(title, tableOf([texts.columns.name, texts.others.columns[column], texts.columns.percentage], rows));
}

/** Returns the buttons to the pages of subjects, or null if there is one page. */
export function pagesOf(all, view, act) {
  if (all.length <= size) return null;
  const first = (view.page - 1) * size + 1, last = Math.min(all.length, view.page * size);
  return element("p", { class: "foot" }, texts.rows(first, last),
    button("‹", () => act.go({ page: view.page - 1 }), { class: "arrow", "aria-label": texts.earlierRows, disabled: view.page === 1, "data-key": "earlier subjects" }),
    button("›", () => act.go({ page: view.page + 1 }), { class: "arrow", "aria-label": texts.laterRows, disabled: last === all.length, "data-key": "later subjects" }));
}

/** Says in words how to get subjects where there are none. */
export const none = (title, words, command) => element("section", { class: "card", "aria-label": title }, element("h2", {}, title), element("p", {}, words), command && element("pre", { tabindex: 0 }, command));
