// The rows of lists, in cards and in the dialog.
import { closed } from "./address.js";
import { button, element, link } from "./dom.js";
import { brief, changed, shown } from "./format.js";
import { cards, columnFormats, lists, textFormats } from "./lists.js";
import { texts } from "./texts.js";

export const labelOf = (list, row) => (list.label ? list.label(row) : row.name) || texts.none;
const keep = (list, row) => !list.internal?.(row);

/** Returns the text of a change with its colour. good says whether more is better (1), worse (-1) or neither (0). */
export function changeOf(value, before, format, good) {
  const by = changed(value, before, format);
  if (!by) return null;
  return element("span", { class: `change ${by.sign === 0 || good === 0 ? "" : by.sign === good ? "better" : "worse"}` }, by.text);
}

export const tabOf = (view, card) => view.tabs[card] ?? cards[card][0];

/** Returns the rows of an answer of a list in a card, or what is said in their place. */
export function rowsOf(name, answer, view, act) {
  const list = lists[name];
  if (!answer.success) return element("p", { class: "failed" }, texts.faults.other(answer.error));
  const rows = answer.data.map((row, i) => ({ row, before: answer.previous?.[i] })).filter(({ row }) => keep(list, row));
  const nowhere = ["countries", "map", "regions", "cities"].includes(name) && view.filters.length === 0 && rows.every(({ row }) => !row.country_code && !row.name);
  if (nowhere && act.visited()) return element("p", { class: "soft" }, texts.noPlaces);
  if (rows.length === 0) return nothing(name, view);
  if (list.draw) return list.draw(answer, act);
  const [main] = list.columns, most = Math.max(...rows.map(({ row }) => row[main] ?? 0)) || 1;
  const extra = list.rating ? [texts.columns.rating] : [...(answer.previous ? [texts.columns.before, texts.columns.change] : []), texts.columns.percentage];
  const head = element("tr", {}, [texts.columns.name, texts.columns[main], ...extra].map((text) => element("th", { scope: "col", class: { [texts.columns.rating]: "rated", [texts.columns.percentage]: "share", [texts.columns.p75]: "long" }[text] }, text)));
  const body = rows.map(({ row, before }) => {
    const first = nameCell(name, row, act, "row");
    const value = numberCell(list, row);
    const compared = answer.previous && !list.rating ? comparedCells(row, before, list) : [];
    const made = element("tr", { class: !list.plain && "bar-of" }, first, value, list.rating ? ratingCell(list, row) : [...compared, element("td", { class: "soft share" }, shown(row.percentage, "share"))]);
    made.style.setProperty("--share", `${(100 * (row[main] ?? 0)) / most}%`);
    return made;
  });
  return element("table", {}, element("thead", {}, head), element("tbody", {}, body));
}

/** Returns what is said in place of the rows of a list, with how to get some. */
export const nothing = (name, { filters }) => element("p", { class: "soft" }, filters.length > 0 ? texts.noRowsFiltered : [texts.noRows, texts.hints[name]].filter(Boolean).join(" "));

function ratingCell(list, row) {
  const rated = list.rating(row);
  return element("td", {}, rated ? element("span", { class: `rating ${rated}` }, texts.ratings[rated], list.rated && rated !== "good" && `: ${list.rated(row)}`) : "–");
}

/** Returns the cell of the main number of a row, which may be missing. Millions are short; the title has all digits. */
function numberCell(list, row, kind) {
  const [main] = list.columns, value = row?.[main], format = columnFormats[main];
  if (list.format) return element("td", { class: kind }, row ? list.format(value, row) : "–");
  const text = brief(value, format), all = shown(value, format);
  return element("td", { class: kind, title: text !== all && all }, text);
}

/** Returns the cells with the value of the other period, and the change from it. */
function comparedCells(row, before, list) {
  const [main] = list.columns;
  return [numberCell(list, before, "soft before"), changeCell(row[main], before?.[main], list.good)];
}

function changeCell(value, before, good = 1) {
  if (before == null) return element("td", {}, element("span", { class: "soft" }, texts.fresh));
  const change = changeOf(value, before, "whole", good);
  return element("td", { title: !change && texts.tooFew }, change ?? "–");
}

/** Returns the cell with the name of a row, a link to the page filtered by the row. A click with Alt held down excludes it. */
export function nameCell(name, row, act, key) {
  const list = lists[name], label = labelOf(list, row), value = list.value?.(row);
  const field = typeof list.field === "function" ? list.field(row) : list.field;
  const text = value ? link(label, act.href(act.filtered(field, "is", value)), (event) => act.filter(field, event.altKey ? "is_not" : "is", value), { "data-key": `${key} ${name} ${value}`, dir: "auto" }) : element("span", { dir: "auto" }, label);
  const next = list.more?.(row), more = next && link(texts.mores[next.list], act.href({ ...closed, ...next }), () => act.open(next), { class: "more", "aria-label": texts.listsOf[next.list](label) });
  return element("td", { class: "name", title: label }, text, more);
}

/** Returns a table with all columns, whose heads sort. */
export function wideTable(name, answer, rows, view, act) {
  const list = lists[name], sort = view.sort || (list.plain ? "" : `-${list.columns[0]}`);
  const kind = (column) => (columnFormats[column] === "moment" ? "when" : (columnFormats[column] && !textFormats.has(columnFormats[column])) || list.format ? false : "text");
  const head = (column, text) => {
    if (list.plain) return element("th", { scope: "col", class: kind(column) }, text);
    const down = sort === `-${column}`, up = sort === column;
    return element("th", { scope: "col", "aria-sort": down ? "descending" : up ? "ascending" : false, class: kind(column) },
      button(`${text}${down ? " ↓" : up ? " ↑" : ""}`, () => act.stay({ sort: down ? column : `-${column}`, page: 1 }), { "data-key": `sort ${column}` }));
  };
  const compared = Boolean(answer.previous), main = list.columns[0];
  const heads = [list.time ? element("th", { scope: "col", class: list.precise ? "clock" : "time" }, texts.columns[list.time]) : element("th", { scope: "col" }, texts.columns.name),
    ...list.columns.map((column) => head(column, texts.columns[column])), ...(compared ? [texts.columns.before, texts.columns.change].map((text) => element("th", { scope: "col" }, text)) : []), list.rating && element("th", { scope: "col" }, texts.columns.rating)];
  const most = Math.max(...rows.map(({ row }) => row[main] ?? 0)) || 1;
  const first = (row) => {
    if (!list.time) {
      const cell = nameCell(name, row, act, "all");
      if (!list.plain) cell.style.setProperty("--share", `${(100 * (row[main] ?? 0)) / most}%`);
      return cell;
    }
    const moment = act.moment(row[list.time]), time = list.precise ? act.second(row[list.time]) : moment;
    return element("td", { class: "name", title: moment }, list.more ? link(time, act.href({ ...closed, ...list.more(row) }), () => act.stay({ ...closed, ...list.more(row) })) : time);
  };
  const text = (column, row) => {
    const value = row[column], format = columnFormats[column];
    if (list.words?.[column]) return list.words[column](row);
    if (format === "moment") return act.moment(value);
    return list.format && column === main ? list.format(value, row) : shown(value, format ?? (typeof value === "number" ? "whole" : "text"));
  };
  const body = rows.map(({ row, before }) => element("tr", {}, first(row),
    list.columns.map((column) => element("td", { class: kind(column), dir: kind(column) === "text" && "auto" }, text(column, row))),
    compared && comparedCells(row, before, list), list.rating && ratingCell(list, row)));
  const table = element("table", { class: "wide" }, element("thead", {}, element("tr", {}, heads.filter(Boolean))), element("tbody", {}, body));
  table.style.setProperty("--columns", heads.filter(Boolean).length - 1 + list.columns.filter((column) => kind(column) === "when").length);
  table.style.setProperty("--texts", list.columns.filter((column) => kind(column) === "text").length);
  return table;
}

/**
 * Returns a table whose rows have two lines each on narrow pages: names, and numbers below them. All roles are told, because browsers
 * forget those of rows that have another layout.
 */
export function stacked(kind, heads, rows) {
  const made = element("table", { class: `${kind} stacked` }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows));
  const roles = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", th: "columnheader", td: "cell" };
  for (const one of [made, ...made.querySelectorAll("*")]) if (one.localName in roles) one.setAttribute("role", roles[one.localName]);
  return made;
}
