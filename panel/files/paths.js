// The section "Paths": from which page to which one people go. A click on a page shows the paths through it.
import { suggestions } from "./asking-form.js";
import { compareOf } from "./dates.js";
import { filtersOf, notesOf } from "./definitions.js";
import { button, element, focusOn, link, replace } from "./dom.js";
import { shown } from "./format.js";
import { changeOf, stacked } from "./tables.js";
import { texts } from "./texts.js";

const words = texts.asking, limit = 50;
let known = { website: "", place: null }; // pages to suggest

/** See sections.js. */
export const paths = {
  own: ["at"],

  parameters(view) {
    const parameter = { name: "paths", limit, filters: filtersOf(view), compare: compareOf(view) };
    return view.at ? [{ ...parameter, id: "before", to: view.at }, { ...parameter, id: "after", from: view.at }] : [{ ...parameter, id: "all" }];
  },

  draw(parent, view, { answers }, act) {
    const { at } = view;
    if (known.website !== view.website) known = { website: view.website, place: suggestions(view) };
    const to = { href: (page) => act.href({ at: page }), go: (page) => {
      act.go({ at: page });
      focusOn(parent, "title");
    } };
    const input = element("input", { name: "page", required: true, list: "known-page", dir: "auto", autocomplete: "off", spellcheck: "false", placeholder: "/", "data-key": "page" });
    input.value = document.activeElement?.dataset.key === "page" ? document.activeElement.value : at; // a refresh must not change what somebody types
    const form = element("form", { class: "start", submit: (event) => {
      event.preventDefault();
      to.go(input.value.trim());
    } }, element("label", {}, words.startAt, input), element("button", { "data-key": "show" }, words.show), at && button(words.allPages, () => to.go(""), { class: "quiet", "data-key": "all pages" }));
    const lists = at ? [listOf(words.cameFrom(at), answers.before, ["from_path"], to), listOf(words.wentTo(at), answers.after, ["to_path"], to)] : [listOf(texts.sections.paths, answers.all, ["from_path", "to_path"], to)];
    replace(parent, element("div", { class: "head" }, element("h2", { dir: "auto", tabindex: -1, "data-key": "title" }, at ? words.pathsOf(at) : texts.sections.paths), form), notesOf(view), element("div", { class: at ? "two" : "one" }, lists), known.place);
  },
};

const titles = { from_path: texts.from, to_path: texts.to };

// A list of steps with the pages of the given columns. With one column the other end is the same page in all rows.
function listOf(title, answer, columns, to) {
  const head = columns.length === 1 && element("h3", { dir: "auto" }, title), made = (...inside) => element("section", { class: "card", "aria-label": title }, head, inside);
  if (!answer.success) return made(element("p", { class: "failed" }, texts.faults.other(answer.error)));
  if (answer.data.length === 0) return made(element("p", { class: "soft" }, words.noPaths));
  const { data, previous, meta } = answer, most = Math.max(...data.map(({ transitions }) => transitions));
  // The share that the API tells is of the steps from a page. Of steps to a page it is counted here, if all are there.
  const arrivals = columns.length === 1 && columns[0] === "from_path" && (meta.hasMore ? null : data.reduce((all, row) => all + row.transitions, 0));
  const share = (row) => (arrivals === false ? row.percentage : arrivals && (100 * row.transitions) / arrivals);
  const body = data.map((row, i) => {
    const cells = columns.map((column) => pageCell(column, row, to));
    if (columns.length === 1) cells[0].style.setProperty("--share", `${(100 * row.transitions) / most}%`);
    return element("tr", {}, cells, element("td", {}, shown(row.transitions, "whole")), element("td", { class: "less" }, shown(row.visitors, "whole")), element("td", { class: "soft" }, shown(share(row), "percent")),
      previous && element("td", {}, changeOf(row.transitions, previous[i]?.transitions, "whole", 0) ?? "–"));
  });
  const heads = [...columns.map((column) => element("th", { scope: "col", class: "page" }, columns.length === 1 ? texts.columns.path : titles[column])), element("th", { scope: "col" }, words.times), element("th", { scope: "col", class: "less" }, texts.columns.visitors),
    ...[texts.columns.percentage, previous && texts.columns.change].filter(Boolean).map((text) => element("th", { scope: "col" }, text))];
  const table = columns.length === 2 ? stacked("paths", heads, body) : element("table", { class: "paths" }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, body));
  return made(table, element("p", { class: "soft" }, meta.hasMore && `${words.firstPaths(limit)} `, columns.length === 2 && words.shareHelp));
}

function pageCell(column, row, to) {
  const page = row[column];
  return element("td", { class: "name" }, page ? link(page, to.href(page), () => to.go(page), { dir: "auto", "aria-label": words.fromHere(page), title: page, "data-key": `${column} ${row.from_path} ${row.to_path}` })
    : element("span", { class: "soft" }, column === "from_path" ? words.entry : words.exit));
}
