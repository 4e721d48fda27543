// The dialog: all rows of a list with search, sort and pages, or the form of a filter. Its state is part of the address.
import { button, byId, element, replace } from "./dom.js";
import { ask, condition, curl } from "./api.js";
import { compareOf } from "./dates.js";
import { csvOf, save } from "./export.js";
import { lists, parameterOf } from "./lists.js";
import { filterForm } from "./filters.js";
import { sections } from "./sections.js";
import { labelOf, wideTable } from "./tables.js";
import { texts } from "./texts.js";

const size = 100, most = 10_000;
let drawn = "", turn = 0;

/** Opens, updates or closes the dialog, as the view says. answered is what the section shows. failed gets a failed request. */
export async function drawDialog(view, answered, act, failed) {
  const dialog = byId("dialog"), now = ++turn;
  if (!view.list && view.edit === "") {
    if (dialog.open) dialog.close();
    dialog.replaceChildren(); // it may have shown a secret
    drawn = "";
    return;
  }
  const frame = JSON.stringify([view.list, view.of, view.edit]);
  if (frame !== drawn) {
    drawn = frame;
    if (view.list) listFrame(dialog, view, act);
    else if (/^(new|\d+)$/.test(view.edit)) filterFrame(dialog, view, act);
    else sectionFrame(dialog, view, answered, act);
  }
  if (now !== turn) return; // the address asks for a dialog that the section does not have
  if (!dialog.open) dialog.showModal();
  if (!view.list) return;
  const search = dialog.querySelector("input[type=search]");
  if (search && document.activeElement !== search) search.value = view.search;
  const place = dialog.querySelector(".rows"), parameters = parametersOf(view, size);
  place.setAttribute("aria-busy", "true");
  try {
    const answer = (await ask(view, [parameters])).data[0];
    if (now === turn) fill(dialog, view, answer, act);
  } catch (error) {
    if (now === turn) failed(error);
  }
  place.removeAttribute("aria-busy");
}

// The parameter of the rows that the dialog shows. Lists that the server cannot search are asked for many rows and searched here.
function parametersOf(view, limit) {
  const list = lists[view.list], here = view.search && !list.search, [column] = list.columns, sort = view.sort.replace(/^-/, "");
  const filters = [list.of?.(view.of), list.search && view.search && { field: list.search, op: "contains", value: view.search }].filter(Boolean);
  return parameterOf(view.list, {
    limit: here ? most : limit, page: here || limit > size ? 1 : view.page, ...(!list.time && { compare: compareOf(view) }),
    ...(!list.plain && { sortBy: list.columns.includes(sort) ? sort : column, sortOrder: view.sort && !view.sort.startsWith("-") ? "asc" : "desc" }),
    ...(filters.length > 0 && { filters: [...view.filters.map(condition), ...filters] }),
  });
}

function fill(dialog, view, answer, act) {
  const list = lists[view.list], place = dialog.querySelector(".rows");
  if (!answer.success) return replace(place, element("p", { class: "failed" }, texts.faults.other(answer.error)));
  let rows = answer.data.map((row, i) => ({ row, before: answer.previous?.[i] }));
  let more = answer.meta.hasMore;
  if (view.search && !list.search) {
    const wanted = view.search.toLocaleLowerCase();
    rows = rows.filter(({ row }) => labelOf(list, row).toLocaleLowerCase().includes(wanted));
    more = rows.length > view.page * size;
    rows = rows.slice((view.page - 1) * size, view.page * size);
  }
  const first = (view.page - 1) * size + 1;
  replace(place, rows.length === 0 ? element("p", { class: "soft" }, view.search ? texts.noMatch : texts.noRows) : wideTable(view.list, answer, rows, view, act));
  replace(dialog.querySelector(".pages"), element("span", { role: "status" }, rows.length > 0 ? texts.rows(first, first + rows.length - 1) : ""),
    button("‹", () => act.stay({ page: view.page - 1 }), { class: "arrow", "aria-label": texts.earlierRows, disabled: view.page === 1, "data-key": "earlier" }),
    button("›", () => act.stay({ page: view.page + 1 }), { class: "arrow", "aria-label": texts.laterRows, disabled: !more, "data-key": "later" }));
}

const titleOf = ({ list, of }) => texts.listsOf[list]?.(of) ?? texts.lists[list];

function head(title, act) {
  return element("header", {}, element("h2", { id: "dialog-title", dir: "auto" }, title), button("✕", act.close, { "aria-label": texts.close, class: "arrow" }));
}

function listFrame(dialog, view, act) {
  const list = lists[view.list];
  let timer = 0;
  const search = !list.plain && element("input", { type: "search", "aria-label": texts.search, placeholder: texts.search, input: (event) => {
    clearTimeout(timer);
    timer = setTimeout(() => act.stay({ search: event.target.value.trim(), page: 1 }, true), 250);
  } });
  const all = async (use) => {
    const now = act.view();
    const answer = (await ask(now, [parametersOf({ ...now, page: 1 }, most)])).data[0];
    if (answer.success) use(answer.data);
  };
  const say = (text) => { dialog.querySelector(".said").textContent = text; };
  const out = element("p", { class: "foot" },
    button(texts.csv, () => all((rows) => save(`${view.list}.csv`, "text/csv", csvOf(rows))), { class: "quiet" }),
    button(texts.json, () => all((rows) => save(`${view.list}.json`, "application/json", JSON.stringify(rows, null, 1))), { class: "quiet" }),
    button(texts.curl, async () => {
      await navigator.clipboard.writeText(curl(act.view(), [parametersOf(act.view(), size)]));
      say(texts.copied);
    }, { class: "quiet" }), element("span", { class: "said", role: "status" }));
  dialog.replaceChildren(head(titleOf(view), act), element("div", { class: "tools" }, search, element("div", { class: "pages" })), element("div", { class: "rows", tabindex: 0, role: "region", "aria-label": titleOf(view) }), out);
}

function sectionFrame(dialog, view, answered, act) {
  const made = sections[view.section].dialog?.(view, answered, act);
  if (!made) return act.close();
  dialog.replaceChildren(head(made.title, act), made.content);
}

function filterFrame(dialog, view, act) {
  const at = view.edit === "new" ? -1 : Number(view.edit), filter = view.filters[at];
  dialog.replaceChildren(head(texts.editFilter, act), filterForm(filter, (made) => act.setFilter(at, made)));
}
