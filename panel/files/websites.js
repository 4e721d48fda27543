// Websites in the settings: their list, and the dialogs that add, change and remove one.
import { call, pages } from "./api.js";
import { button, element } from "./dom.js";
import { check, field, form, pending } from "./forms.js";
import { whole } from "./format.js";
import { howTo } from "./install.js";
import { mayAddWebsites } from "./self.js";
import { texts } from "./texts.js";

const t = texts.settings.websites;
const pathOf = (id) => `/v1/websites/${encodeURIComponent(id)}`;

/** Lists the websites that the key may manage, with their rules. */
export const loadManaged = () => pages("/v1/websites", "websites");

/** Returns the card with all websites. managed are those that the key may change, or null. */
export function websitesCard({ managed, sites }, act) {
  const adds = managed && mayAddWebsites(), all = managed ?? sites;
  return element("section", { class: "card", "aria-label": t.title },
    element("header", {}, element("h2", {}, t.title), adds && button(t.add, () => act.edit("website:"), { "data-key": "new website" })),
    !managed && element("p", { class: "soft" }, t.denied), managed && !adds && element("p", { class: "soft" }, t.cannotAdd),
    all.length === 0 ? element("p", { class: "soft" }, t.none) : element("ul", { class: "records" }, all.map((site) => row(site, Boolean(managed), act))));
}

function row(site, manages, act) {
  const name = site.name || site.domain, rules = manages ? rulesOf(site) : [];
  return element("li", {}, element("div", {},
    element("p", {}, manages ? button(name, () => act.edit(`website:${site.id}`), { class: "quiet", dir: "auto", "data-key": `website ${site.id}` }) : element("span", { dir: "auto" }, name), " ", element("code", {}, site.id)),
    element("p", { class: "soft" }, [site.domain, ...rules].join(" · "))),
  element("p", { class: "foot" }, button(t.tag, () => act.edit(`tag:${site.id}`), { "aria-label": t.tagOf(name), "data-key": `tag of ${site.id}` }),
    manages && button(t.remove, () => act.edit(`remove:${site.id}`), { class: "danger", "aria-label": t.removeOf(name), "data-key": `remove ${site.id}` })));
}

const rulesOf = (site) => [
  site.paused && t.rules.paused, site.keyedEvents && t.rules.keyed, site.allowedOrigins.length > 0 && t.rules.origins(site.allowedOrigins.join(texts.or)),
  site.allowedAddresses.length > 0 && t.rules.allowed(site.allowedAddresses.length), site.blockedAddresses.length > 0 && t.rules.blocked(site.blockedAddresses.length),
  site.monthlyEvents > 0 && t.rules.quota(whole(site.monthlyEvents)), site.retentionDays > 0 && (site.keepTotals ? t.rules.totals : t.rules.days)(whole(site.retentionDays)),
].filter(Boolean);

/** The dialogs of websites by the first part of their address. The second part is the id of the website, or empty for a new one. */
export const websiteDialogs = {
  website: (id, act) => ({ title: id ? t.change : t.add, content: pending(websiteForm(id, act), act) }),
  tag: (id, act) => ({ title: t.tagTitle, content: howTo(id, "", act) }),
  remove: (id, act) => ({ title: t.removeTitle, content: pending(removal(id, act), act) }),
};

const find = async (id) => (await call(pathOf(id))).website;
const fresh = { name: "", domain: "", allowedOrigins: [], allowedAddresses: [], blockedAddresses: [], keyedEvents: false, monthlyEvents: 0, paused: false, retentionDays: 0, keepTotals: false };
const lists = ["allowedOrigins", "allowedAddresses", "blockedAddresses"], switches = ["keyedEvents", "paused", "keepTotals"], counts = ["monthlyEvents", "retentionDays"];

async function websiteForm(id, act) {
  const site = id ? await find(id) : fresh;
  const text = (name, attributes) => field(name, t.fields[name], element("input", { name, value: site[name], autocomplete: "off", ...attributes }), t.helps[name]);
  const count = (name) => text(name, { type: "number", min: 0, value: site[name] || "", inputmode: "numeric" });
  const lines = (name) => field(name, t.fields[name], element("textarea", { name, rows: 2, spellcheck: "false", dir: "ltr" }, site[name].join("\n")), t.helps[name]);
  const toggle = (name) => check(t.fields[name], { name, checked: site[name] }, t.helps[name]);
  const senders = element("details", {}, element("summary", {}, t.senders), element("div", { class: "more" },
    lines("allowedOrigins"), lines("allowedAddresses"), lines("blockedAddresses"), toggle("keyedEvents"), count("monthlyEvents"), toggle("paused")));
  const storage = element("details", {}, element("summary", {}, t.storage), element("div", { class: "more" }, count("retentionDays"), toggle("keepTotals")));
  const read = ({ elements }) => ({
    name: elements.name.value.trim(), domain: elements.domain.value.trim(),
    ...Object.fromEntries(lists.map((name) => [name, elements[name].value.split("\n").map((line) => line.trim()).filter(Boolean)])),
    ...Object.fromEntries(switches.map((name) => [name, elements[name].checked])), ...Object.fromEntries(counts.map((name) => [name, Number(elements[name].value || 0)])),
  });
  const made = form([text("domain", { autofocus: !id, inputmode: "url", spellcheck: "false", placeholder: "shop.example" }), text("name", { maxlength: 255, dir: "auto" }), senders, storage], id ? texts.settings.save : t.add, async () => {
    const wanted = read(made), changes = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(site[name])));
    if (id) {
      if (Object.keys(changes).length > 0) await call(pathOf(id), changes, "PATCH");
      act.websitesChanged({ edit: "" });
    } else {
      const { website } = await call("/v1/websites", changes);
      act.websitesChanged({ website: website.id, edit: `tag:${website.id}`, filters: [] });
    }
  });
  return made;
}

async function removal(id, act) {
  const site = await find(id);
  return form([element("p", { dir: "auto" }, t.removeAsk(site.name || site.domain))], t.remove, async () => {
    await call(pathOf(id), undefined, "DELETE");
    act.websitesChanged(act.view().website === id ? { website: "", edit: "", filters: [] } : { edit: "" });
  }, "danger");
}
