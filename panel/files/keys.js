// Keys in the settings: their list, and the dialogs that create, change, rotate and revoke one.
import { allowed, call, Fault, pages, replaceKey, websites } from "./api.js";
import { addDays, today } from "./dates.js";
import { button, byId, element, select } from "./dom.js";
import { check, copied, field, form, group, pending } from "./forms.js";
import { known, learn, mayManageWebsites } from "./self.js";
import { texts } from "./texts.js";
import { loadManaged } from "./websites.js";

const t = texts.settings.keys;
const pathOf = (id) => `/v1/keys/${encodeURIComponent(id)}`;

export const loadKeys = () => pages("/v1/keys", "keys");

const isCurrent = ({ id }) => id === known()?.id;

const inWords = (scopes) => scopes.map((scope) => texts.settings.scopes[scope]?.[0] ?? scope).join(texts.or) || t.nothing;

const reach = ({ all, resources }, names) => {
  if (resources.length === 0) return all ? t.everything : t.nothing;
  const sites = resources.filter(({ kind }) => kind === "website").map(({ id }) => names.get(id) ?? id), others = resources.length - sites.length;
  return [sites.join(texts.or), others > 0 && t.others(others)].filter(Boolean).join(texts.or);
};

/** Returns the card with all keys. */
export function keysCard({ keys, managed, sites }, act) {
  const names = new Map([...sites, ...managed ?? []].map(({ id, name, domain }) => [id, name || domain]));
  const card = (...inside) => element("section", { class: "card", "aria-label": t.title }, inside);
  if (!keys) return card(element("h2", {}, t.title), element("p", { class: "soft" }, t.denied));
  const active = keys.filter(({ state }) => state === "active" || state === "disabled"), over = keys.filter((key) => !active.includes(key));
  return card(element("header", {}, element("h2", {}, t.title), button(t.create, () => act.edit("key:"), { "data-key": "new key" })),
    element("ul", { class: "records" }, active.map((key) => row(key, names, act))),
    over.length > 0 && element("details", { id: "old-keys", open: byId("old-keys")?.open }, element("summary", { "data-key": "old keys" }, t.over(over.length)), element("ul", { class: "records" }, over.map((key) => row(key, names, act)))));
}

function row(key, names, act) {
  const usable = key.state === "active" || key.state === "disabled", name = key.name || key.id;
  const facts = [
    usable ? key.state === "disabled" && t.states.disabled : t.states[key.state], key.lastUsed ? t.used(act.moment(key.lastUsed)) : !isCurrent(key) && t.unused,
    usable && key.expires && t.expires(act.moment(key.expires)), key.filters.length > 0 && t.filtered, ...key.oldSecrets.map(({ until }) => t.old(act.moment(until))),
  ].filter(Boolean);
  return element("li", {}, element("div", {},
    element("p", {}, usable ? button(name, () => act.edit(`key:${key.id}`), { class: "quiet", dir: "auto", "data-key": `key ${key.id}` }) : element("span", { dir: "auto" }, name), " ", element("code", {}, `${key.start}…`), isCurrent(key) && element("span", { class: "mark" }, t.current)),
    element("p", { class: "soft" }, `${inWords(key.scopes)} · ${reach(key, names)}`), element("p", { class: "soft" }, facts.join(" · "))),
  usable && element("p", { class: "foot" }, button(t.rotate, () => act.edit(`rotate:${key.id}`), { "aria-label": t.rotateOf(name), "data-key": `rotate ${key.id}` }),
    button(t.revoke, () => act.edit(`revoke:${key.id}`), { class: "danger", "aria-label": t.revokeOf(name), "data-key": `revoke ${key.id}` })));
}

/** The dialogs of keys by the first part of their address. The second part is the id of the key, or empty for a new one. */
export const keyDialogs = {
  key: (id, act) => ({ title: id ? t.change : t.create, content: pending(keyForm(id, act), act) }),
  rotate: (id, act) => ({ title: t.rotateTitle, content: pending(rotation(id, act), act) }),
  revoke: (id, act) => ({ title: t.revokeTitle, content: pending(revocation(id, act), act) }),
};

const find = async (id) => (await call(pathOf(id))).key;

/** The content of a dialog after a secret was made. It cannot be read again. */
const secretOf = (key, secret) => [element("p", {}, t.secretOf(key.name || key.id)), copied(secret, t.secret), element("p", { class: "failed" }, t.once)];

function show(made, content) {
  const place = made.parentElement;
  place.replaceChildren(...content);
  place.querySelector("button")?.focus();
}

async function keyForm(id, act) {
  const own = await learn(), read = await allowed(websites(), []), sites = read.length > 0 || !mayManageWebsites() ? read : await allowed(loadManaged(), []);
  const key = id ? await find(id) : { name: "", scopes: ["read:data"], all: own.all, resources: [], expires: null, state: "active" };
  const name = element("input", { name: "name", value: key.name, maxlength: 255, autocomplete: "off", autofocus: !id, dir: "auto" });
  const scopes = group("scopes", t.scopes, [...new Set([...own.scopes, ...key.scopes])].map((scope) => {
    const [title, more] = texts.settings.scopes[scope] ?? [scope, ""];
    return check(title, { name: "scopes", value: scope, checked: key.scopes.includes(scope) }, more);
  }), t.scopesHelp);
  const expires = expiryField(key.expires);
  const wantedOf = (made) => {
    const values = (of) => [...made.querySelectorAll(`input[name=${of}]:checked`)].map(({ value }) => value);
    const all = made.querySelector("input[name=reach]:checked")?.value === "all";
    const others = key.resources.filter(({ kind }) => kind !== "website");
    return {
      name: name.value.trim(), scopes: values("scopes"), ...(all ? { all, resources: [] } : { all: false, resources: [...values("sites").map((site) => ({ kind: "website", id: site })), ...others] }),
      expires: expires.value(), ...(id && { disabled: made.elements.disabled.checked }),
    };
  };
  const before = { name: key.name, scopes: key.scopes, all: key.all, resources: key.resources, expires: key.expires, disabled: key.state === "disabled" };
  const made = form([field("name", t.name, name, t.nameHelp), scopes, reachGroup(key, own, sites), expires.field,
    id && check(t.disabled, { name: "disabled", checked: key.state === "disabled" })], id ? texts.settings.save : t.create, async () => {
    const wanted = wantedOf(made);
    const mistakes = [wanted.scopes.length === 0 && { field: "scopes", message: t.noScope }, wanted.expires === "" && { field: "expires", message: t.noDate }].filter(Boolean);
    if (mistakes.length > 0) throw new Fault("other", "", 0, mistakes);
    if (!id) {
      const answer = await call("/v1/keys", { ...wanted, expires: wanted.expires ?? undefined });
      show(made, secretOf(answer.key, answer.secret));
    } else {
      const same = (a, b) => JSON.stringify([a].flat().sort()) === JSON.stringify([b].flat().sort());
      const changes = Object.fromEntries(Object.entries(wanted).filter(([part, value]) => !same(value, before[part])));
      if (Object.keys(changes).length > 0) await call(pathOf(id), changes, "PATCH");
      act.close();
    }
    act.again();
  });
  return [id && element("p", { class: "soft" }, element("code", {}, `${key.start}…`), " ", t.created(act.moment(key.createdAt))), made];
}

// Without resources a key reaches everything, or nothing. The choice "everything" is there if the own key reaches everything.
function reachGroup(key, own, sites) {
  const all = key.all && key.resources.length === 0, wide = all || own.all;
  const chosen = (id) => key.resources.some((one) => one.kind === "website" && one.id === id);
  const unseen = key.resources.filter(({ kind, id }) => kind === "website" && !sites.some((site) => site.id === id)).map(({ id }) => ({ id, name: id }));
  const list = element("div", { class: "inner", hidden: all }, [...sites, ...unseen].map(({ id, name, domain }) => check(name || domain, { name: "sites", value: id, checked: chosen(id) })));
  const change = (event) => { list.hidden = event.target.value === "all"; };
  return group("resources", t.reach, [
    wide && check(t.everything, { type: "radio", name: "reach", value: "all", checked: all, change }),
    wide && check(t.some, { type: "radio", name: "reach", value: "some", checked: !all, change }), list,
  ].filter(Boolean));
}

// A select with usual times, and a date for others. value() returns an instant, null for never, or what the key had.
function expiryField(had) {
  const date = element("input", { type: "date", "aria-label": t.expiryDate, hidden: true });
  const choices = [had && ["as", had.slice(0, 10)], ["", t.never], ...[1, 7, 30, 90, 365].map((days) => [String(days), t.days(days)]), ["date", t.expiryDate]].filter(Boolean);
  const choice = select("", "expires", choices, had ? "as" : "", (value) => { date.hidden = value !== "date"; }).lastChild;
  const at = (day) => new Date(`${day}T23:59:59Z`).toISOString();
  const made = field("expires", t.expiry, choice);
  choice.after(date);
  return {
    field: made,
    value: () => (choice.value === "as" ? had : choice.value === "" ? null : choice.value === "date" ? date.value && at(date.value) : at(addDays(today("UTC"), Number(choice.value)))),
  };
}

async function rotation(id, act) {
  const [key] = await Promise.all([find(id), learn()]), current = isCurrent(key);
  const grace = element("select", { name: "grace" }, Object.entries(t.graces).map(([value, text]) => element("option", { value }, text)));
  const made = form([element("p", { dir: "auto" }, t.rotateAsk(key.name || key.id)), field("grace", t.grace, grace, t.graceHelp)], t.rotate, async () => {
    const answer = await call(`${pathOf(id)}/rotate`, grace.value ? { grace: grace.value } : {}, "POST");
    if (current) replaceKey(answer.secret);
    show(made, secretOf(answer.key, answer.secret));
    act.again();
  });
  return made;
}

async function revocation(id, act) {
  const [key] = await Promise.all([find(id), learn()]);
  return form([element("p", { dir: "auto" }, t.revokeAsk(key.name || key.id)), isCurrent(key) && element("p", { class: "failed" }, t.revokeOwn)], t.revoke, async () => {
    await call(pathOf(id), undefined, "DELETE");
    act.close();
    act.again();
  }, "danger");
}
