// The audit trail in the settings: who did what, newest first.
import { call } from "./api.js";
import { button, element, select } from "./dom.js";
import { stacked } from "./tables.js";
import { texts } from "./texts.js";

const t = texts.settings.audit, size = 50;

/** Loads the page of entries that the view shows: view.of is the position after which it begins, view.search the id of a key. */
export const loadAudit = ({ of, search }) => call(`/v1/audit?${new URLSearchParams({ limit: size, ...(of && { after: of }), ...(search && { key: search }) })}`);

/** Returns the card with a page of entries. */
export function auditCard({ audit, keys }, view, act) {
  const card = (...inside) => element("section", { class: "card", "aria-label": t.title }, inside);
  if (!audit) return card(element("h2", {}, t.title), element("p", { class: "soft" }, t.denied));
  const names = new Map((keys ?? []).map(({ id, name }) => [id, name || id])), choices = [["", t.all], ...names];
  if (view.search && !names.has(view.search)) choices.push([view.search, view.search]);
  const heads = ["time", "key", "action", "resource", "outcome", "from"].map((column) => element("th", { scope: "col" }, t.columns[column]));
  const rows = audit.entries.map((entry) => element("tr", {}, [
    act.moment(entry.time), names.get(entry.keyId) || entry.keyId || entry.subject || t.nobody, actionOf(entry), entry.resource ? `${texts.settings.kinds[entry.resource.kind] ?? entry.resource.kind} ${entry.resource.id}` : "–",
    entry.outcome === "allowed" ? t.allowed : t.refused(entry.status), entry.ip || "–",
  ].map((text) => element("td", { dir: "auto", class: entry.outcome === "allowed" ? false : "failed" }, text))));
  return card(
    element("header", {}, element("h2", {}, t.title), keys && choices.length > 2 && select(t.of, "audit-key", choices, view.search, (search) => act.go({ search, of: "" }))),
    rows.length === 0 ? element("p", { class: "soft" }, t.none) : element("div", { class: "rows", tabindex: 0, role: "region", "aria-label": t.entries }, stacked("audit", heads, rows)),
    element("p", { class: "foot" }, view.of && button(t.newest, () => act.go({ of: "" }), { class: "quiet", "data-key": "newest entries" }), audit.next && button(t.older, () => act.go({ of: audit.next }), { class: "quiet", "data-key": "older entries" })),
  );
}

function actionOf({ method, route, count }) {
  const name = `${method} ${route}`, text = t.actions[name] ?? name;
  return count > 1 ? t.times(text, count) : text;
}
