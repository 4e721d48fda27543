// Why events of a website did not arrive, with what to do, while its first event is awaited.
import { ask, call, Fault } from "./api.js";
import { button, element } from "./dom.js";
import { whole } from "./format.js";
import { copied } from "./forms.js";
import { mayManageWebsites } from "./self.js";
import { texts } from "./texts.js";

const t = texts.settings.blocked;

/** Returns the requests that the server refused in the last days, by reason. */
export async function blockedBy(view) {
  const asked = { ...view, preset: "last_7d", from: "", to: "", interval: "auto", filters: [] };
  const { data: [answer] } = await ask(asked, [{ name: "blocked_traffic", limit: 100 }]);
  const found = new Map();
  for (const { reason, requests } of answer.data ?? []) found.set(reason, (found.get(reason) ?? 0) + requests);
  return found;
}

/** Shows reasons in an element, if they are others than it shows: each with a button that allows such events, or the command for it. */
export function showBlocked(place, found, view, act) {
  const now = JSON.stringify([[...found], mayManageWebsites()]);
  if (place.dataset.shown === now) return;
  place.dataset.shown = now;
  place.replaceChildren(...[...found].filter(([reason]) => t.reasons[reason]).map(([reason, count]) => element("div", { class: "note" },
    element("p", {}, t.reasons[reason](count, whole(count))), remedy(reason, view.website, act))));
}

function remedy(reason, id, act) {
  const command = t.commands[reason];
  if (!command) return "";
  if (!mayManageWebsites()) return [element("p", { class: "soft" }, t.ask), copied(command(id), t.command)];
  if (reason === "origin") return allowOrigin(id);
  return element("p", {}, button(t.rules, () => act.go({ section: "settings", edit: `website:${id}` }), { class: "quiet" }));
}

function allowOrigin(id) {
  const host = element("input", { name: "origin", value: "localhost", required: true, spellcheck: "false", autocomplete: "off", dir: "ltr" }), said = element("p", { role: "status" });
  return element("form", { class: "allow", submit: async (event) => {
    event.preventDefault();
    const path = `/v1/websites/${encodeURIComponent(id)}`, wanted = host.value.trim();
    try {
      const { website: { allowedOrigins } } = await call(path);
      if (!allowedOrigins.includes(wanted)) await call(path, { allowedOrigins: [...allowedOrigins, wanted] }, "PATCH");
      said.textContent = t.allowed(wanted);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      said.textContent = error.details[0]?.message ?? (error.wait ? texts.faults[error.kind](Math.ceil(error.wait)) : error.message);
    }
  } }, element("label", {}, t.host, host), element("button", { class: "main" }, t.allow), said, element("p", { class: "soft" }, t.note));
}
