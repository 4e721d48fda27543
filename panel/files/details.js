// The dialog: all rows of a list with search, sort and pages, or the form of a filter. Its state is part of the address.
import { button, byId, copied, element, focusOn, replace } from "./dom.js";
import { write } from "./address.js";
import { ask, condition } from "./api.js";
import { compareOf } from "./dates.js";
import { csvOf, save } from "./export.js";
import { lists, parameterOf, searchOf } from "./lists.js";
import { filterForm } from "./filter-form.js";
import { labelOfFilter } from "./filters.js";
import { span, whole } from "./format.js";
import { curl, goProgram } from "./request.js";
import { segmentsForm } from "./segments.js";
import { sections } from "./sections.js";
import { shareForm } from "./share.js";
import { shortcutList } from "./shortcuts.js";
import { labelOf, nothing, wideTable } from "./tables.js";
import { texts } from "./texts.js";

const size = 100, most = 10_000, lastOfAll = 1000; // rows of a page, rows of a request, pages
let drawn = "", opener = "", turn = 0;

/** Opens, updates or closes the dialog, as the view says. answered is what the section shows. failed gets a failed request. */
export async function drawDialog(view, answered, act, failed) {
  const dialog = byId("dialog"), now = ++turn;
  if (!view.list && view.edit === "") {
    if (dialog.open) dialog.close();
    // The browser gives the focus back to the element that had it, but the page may have drawn another one in its place.
    if (dialog.contains(document.activeElement)) document.activeElement.blur();
    if (opener && document.activeElement === document.body) focusOn(document.body, opener);
    dialog.replaceChildren(); // it may have shown a secret
    drawn = opener = "";
    return;
  }
  const frame = JSON.stringify([view.list, view.of, view.edit, view.edit.startsWith("why:") && write(view)]); // that drawer is about all of the view
  if (frame !== drawn) {
    drawn = frame;
    if (view.list) listFrame(dialog, view, act);
    else if (/^(new|\d+)$/.test(view.edit)) filterFrame(dialog, view, act);
    else if (view.edit === "segments") dialog.replaceChildren(head(texts.segments.title, act), segmentsForm(act));
    else if (view.edit === "share") dialog.replaceChildren(head(texts.share, act), shareForm(act));
    else if (view.edit === "shortcuts") dialog.replaceChildren(head(texts.manners.shortcuts, act), shortcutList());
    else sectionFrame(dialog, view, answered, act);
  }
  if (now !== turn) return; // the address asks for a dialog that the section does not have
  if (!dialog.open) {
    opener = document.activeElement?.dataset.key ?? "";
    dialog.showModal();
  }
  if (!view.list) return;
  const search = dialog.querySelector("input[type=search]");
  if (search && document.activeElement !== search) search.value = view.search;
  const place = dialog.querySelector(".rows");
  place.setAttribute("aria-busy", "true");
  try {
    const found = await rowsOf(view);
    if (now === turn) fill(dialog, view, found, act, failed);
  } catch (error) {
    if (now === turn) failed(error);
  }
  place.removeAttribute("aria-busy");
}

// The parameter of the rows that the dialog shows.
function parameterOfView(view, options) {
  const list = lists[view.list], [column] = list.columns, sort = view.sort.replace(/^-/, "");
  const filters = [list.of?.(view.of), view.search && searchOf(list, view.search)].filter(Boolean);
  return parameterOf(view.list, {
    limit: size, page: view.page, ...(!list.time && { compare: compareOf(view) }),
    ...(!list.plain && { sortBy: list.columns.includes(sort) ? sort : column, sortOrder: view.sort && !view.sort.startsWith("-") ? "asc" : "desc" }),
    ...(filters.length > 0 && { filters: [...view.filters.map((filter) => condition(filter)), ...filters] }), ...options,
  });
}

const searchedHere = (view) => view.search && !lists[view.list].search;

/** Returns the rows of a page with those of the other period, whether there are more, and the last page if it is known. */
async function rowsOf(view) {
  if (searchedHere(view)) {
    const found = await allOf(view), from = (view.page - 1) * size;
    return { ...found, rows: found.rows?.slice(from, from + size), more: found.rows?.length > from + size, last: Math.max(1, Math.ceil(found.rows?.length / size)) };
  }
  const { data: [answer], meta } = await ask(view, [parameterOfView(view)]);
  return { answer, meta, rows: answer.data?.map((row, i) => ({ row, before: answer.previous?.[i] })), more: answer.meta?.hasMore };
}

/** Returns all rows, of as many requests as they need. */
async function allOf(view, options) {
  const list = lists[view.list], wanted = view.search.toLocaleLowerCase(), rows = [];
  let answer, meta;
  for (let page = 1; page <= (lastOfAll * size) / most; page++) {
    ({ data: [answer], meta } = await ask(view, [parameterOfView(view, { limit: most, page, ...options })]));
    if (!answer.success) return { answer, meta };
    for (const [i, row] of answer.data.entries()) {
      if (!searchedHere(view) || labelOf(list, row).toLocaleLowerCase().includes(wanted)) rows.push({ row, before: answer.previous?.[i] });
    }
    if (!answer.meta.hasMore) break;
  }
  return { answer, meta, rows };
}

/** Returns the last page that has rows. The server does not count them, so it is asked for ten pages at a time. */
async function lastPage(view) {
  let last = view.page, empty = lastOfAll + 1;
  while (empty - last > 1) {
    const step = Math.ceil((empty - last) / 11), pages = [];
    for (let page = last + step; page < empty; page += step) pages.push(page);
    const { data } = await ask(view, pages.map((page) => parameterOfView(view, { page, id: String(page), compare: "none" })));
    for (const { id, data: rows } of data) {
      if (rows?.length > 0) last = Math.max(last, Number(id));
      else empty = Math.min(empty, Number(id));
    }
  }
  return last;
}

function fill(dialog, view, { answer, meta, rows, more, last }, act, failed) {
  dialog.querySelector(".about").textContent = [span(meta.startDate, meta.endDate), ...view.filters.map(labelOfFilter)].join(" · ");
  const place = dialog.querySelector(".rows"), pages = dialog.querySelector(".pages"), words = texts.manners;
  if (!answer.success) return replace(place, element("p", { class: "failed" }, texts.faults.other(answer.error)));
  const first = (view.page - 1) * size + 1, to = (page) => act.stay({ page });
  const arrow = (text, label, key, disabled, click) => button(text, click, { class: "arrow", "aria-label": label, title: label, disabled, "data-key": key });
  const end = async () => {
    try {
      to(last ?? (await lastPage(view)));
    } catch (error) {
      failed(error);
    }
  };
  const focused = pages.contains(document.activeElement);
  replace(place, rows.length === 0 ? (view.search ? element("p", { class: "soft" }, texts.noMatch) : nothing(view.list, view)) : wideTable(view.list, answer, rows, view, act));
  replace(pages, element("span", { role: "status" }, rows.length > 0 ? texts.rows(whole(first), whole(first + rows.length - 1)) : ""), (view.page > 1 || more) && [
    arrow("«", words.firstRows, "first", view.page === 1, () => to(1)), arrow("‹", texts.earlierRows, "earlier", view.page === 1, () => to(view.page - 1)),
    arrow("›", texts.laterRows, "later", !more, () => to(view.page + 1)), arrow("»", words.lastRows, "last", !more, end)]);
  if (focused && !pages.contains(document.activeElement)) place.focus(); // the button cannot be pressed again
}

const titleOf = ({ list, of }) => texts.listsOf[list]?.(of) ?? texts.lists[list];

function head(title, act) {
  return element("header", {}, element("h2", { id: "dialog-title", dir: "auto" }, title), button("✕", act.close, { "aria-label": texts.close, class: "arrow" }));
}

function listFrame(dialog, view, act) {
  const list = lists[view.list], label = view.list === "sessions" ? texts.manners.searchVisits : texts.search;
  let timer = 0;
  const search = (list.search || !list.plain) && element("input", { type: "search", "aria-label": label, placeholder: label, input: (event) => {
    clearTimeout(timer);
    timer = setTimeout(() => act.stay({ search: event.target.value.trim(), page: 1 }, true), 250);
  } });
  const said = element("span", { class: "said", role: "status" }), shown = element("textarea", { rows: 8, readonly: true, hidden: true, "aria-label": texts.manners.text });
  const all = async (use) => {
    try {
      const { answer, rows } = await allOf(act.view(), { compare: "none" });
      if (answer.success) use(rows.map(({ row }) => row));
      else said.textContent = texts.faults.other(answer.error);
    } catch (error) {
      act.fail(error);
    }
  };
  const copy = async (text, note) => {
    const done = await copied(text);
    said.textContent = done ? note : texts.manners.copyYourself;
    shown.value = text;
    shown.hidden = done;
  };
  const out = element("p", { class: "foot" },
    button(texts.csv, () => all((rows) => save(`${view.list}.csv`, "text/csv", csvOf(rows))), { class: "quiet" }),
    button(texts.json, () => all((rows) => save(`${view.list}.json`, "application/json", JSON.stringify(rows, null, 1))), { class: "quiet" }),
    button(texts.curl, () => copy(curl(act.view(), parameterOfView(act.view())), texts.copied), { class: "quiet" }),
    button(texts.manners.go, () => copy(goProgram(act.view(), parameterOfView(act.view())), texts.manners.goCopied), { class: "quiet" }),
    button(texts.manners.print, () => print(), { class: "quiet" }), said);
  dialog.replaceChildren(head(titleOf(view), act), element("p", { class: "about soft", dir: "auto" }), element("div", { class: "tools" }, search, element("div", { class: "pages" })), element("div", { class: "rows", tabindex: 0, role: "region", "aria-label": titleOf(view) }), out, shown);
}

function sectionFrame(dialog, view, answered, act) {
  const made = sections[view.section].dialog?.(view, answered, act);
  if (!made) return act.close();
  dialog.replaceChildren(head(made.title, act), made.content);
}

function filterFrame(dialog, view, act) {
  const at = view.edit === "new" ? -1 : Number(view.edit), filter = view.filters[at];
  dialog.replaceChildren(head(filter ? texts.editFilter : texts.addFilter, act), filterForm(filter, view, (made) => act.setFilter(at, made)));
}
