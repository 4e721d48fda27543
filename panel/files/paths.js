// The section "Paths": from which page to which one people go. A page can be chosen, and is left by a click on the next one.
import { compareOf } from "./dates.js";
import { filtersOf, notesOf } from "./definitions.js";
import { button, element, focusOn, replace } from "./dom.js";
import { shown } from "./format.js";
import { suggestions } from "./asking-form.js";
import { changeOf } from "./tables.js";
import { texts } from "./texts.js";

const words = texts.asking, limit = 100;
let known = { website: "", place: null }; // pages to suggest

/** See sections.js. */
export const paths = {
  own: ["at"],
  parameters(view) {
    const page = view.at, parameter = { name: "paths", limit, filters: filtersOf(view), compare: compareOf(view) };
    return page ? [{ ...parameter, id: "after", from: page }, { ...parameter, id: "before", to: page }] : [{ ...parameter, id: "all" }];
  },

  draw(parent, view, { answers }, act) {
    const page = view.at;
    if (known.website !== view.website) known = { website: view.website, place: suggestions(view) };
    const to = (path) => {
      act.go({ at: path });
      focusOn(parent, "page");
    };
    const input = element("input", { name: "page", list: "known-page", dir: "auto", autocomplete: "off", spellcheck: "false", placeholder: "/", "data-key": "page" });
    input.value = document.activeElement?.dataset.key === "page" ? document.activeElement.value : page;
    const form = element("form", { class: "start", submit: (event) => {
      event.preventDefault();
      to(input.value.trim());
    } }, element("label", {}, words.startAt, input), element("button", {}, words.show), page && button(words.allPages, () => to(""), { class: "quiet", "data-key": "all pages" }));
    const lists = page ? [card(words.cameFrom(page), answers.before, "from_path", to), card(words.wentTo(page), answers.after, "to_path", to)] : [everything(answers.all, to)];
    replace(parent, element("div", { class: "head" }, element("h2", { dir: "auto" }, page ? words.pathsOf(page) : texts.sections.paths), form), notesOf(view), element("div", { class: page ? "two" : "" }, lists), known.place);
  },
};

const nameOf = (column, path) => path || (column === "from_path" ? words.entry : words.exit);

function cell(column, path, to, key) {
  return element("td", { class: "name" }, path ? button(path, () => to(path), { dir: "auto", "aria-label": words.fromHere(path), title: path, "data-key": `${key} ${path}` }) : element("span", { class: "soft" }, nameOf(column, path)));
}

function numbers(row, before, sum = null) {
  const share = sum == null ? row.percentage : sum ? (100 * row.transitions) / sum : null;
  return [element("td", {}, shown(row.transitions, "whole"), changeOf(row.transitions, before?.transitions, "whole", 0)), element("td", {}, shown(row.visitors, "whole")), element("td", { class: "soft" }, shown(share, "percent"))];
}

function table(heads, rows, meta, label) {
  return [element("table", { class: "paths", "aria-label": label }, element("thead", {}, element("tr", {}, heads.map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, rows)), meta.hasMore && element("p", { class: "soft" }, words.firstPaths(limit))];
}

const failedOr = (answer, empty, drawn) => (!answer.success ? element("p", { class: "failed" }, texts.faults.other(answer.error)) : answer.data.length === 0 ? element("p", { class: "soft" }, empty) : drawn());

function everything(answer, to) {
  return element("section", { class: "card", "aria-label": texts.sections.paths }, failedOr(answer, words.noPaths, () => table([texts.from, texts.to, words.times, texts.columns.visitors, words.shareOfFrom], answer.data.map((row, i) => element("tr", {}, cell("from_path", row.from_path, to, `from ${row.to_path}`), cell("to_path", row.to_path, to, `to ${row.from_path}`), numbers(row, answer.previous?.[i]))), answer.meta, texts.sections.paths)));
}

// The pages before or after the chosen one. The API's share is of the page that is left, so that of pages before is counted here.
function card(title, answer, column, to) {
  const drawn = () => {
    const sum = column === "to_path" ? null : answer.meta.hasMore ? 0 : answer.data.reduce((all, row) => all + row.transitions, 0), most = Math.max(...answer.data.map(({ transitions }) => transitions));
    return table([texts.columns.path, words.times, texts.columns.visitors, texts.columns.percentage], answer.data.map((row, i) => {
      const first = cell(column, row[column], to, column);
      first.style.setProperty("--share", `${(100 * row.transitions) / most}%`);
      return element("tr", {}, first, numbers(row, answer.previous?.[i], sum));
    }), answer.meta, title);
  };
  return element("section", { class: "card", "aria-label": title }, element("h3", { dir: "auto" }, title), failedOr(answer, words.noPaths, drawn));
}
