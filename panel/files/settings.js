// The section "Settings": websites, keys and the audit trail. Each part says in words what the key may not do there.
import { allowed, websites } from "./api.js";
import { auditCard, loadAudit } from "./audit.js";
import { replace } from "./dom.js";
import { keyDialogs, keysCard, loadKeys } from "./keys.js";
import { learn, mayManageKeys, mayManageWebsites, mayReadAudit } from "./self.js";
import { loadManaged, websiteDialogs, websitesCard } from "./websites.js";

const dialogs = { ...websiteDialogs, ...keyDialogs };

/** See sections.js. A dialog's address is its name and an id, such as edit=key:ID. */
export const settings = {
  undated: true,
  async load(view) {
    await learn();
    const [managed, sites, keys, audit] = await Promise.all([
      mayManageWebsites() && allowed(loadManaged()), allowed(websites(), []), mayManageKeys() && allowed(loadKeys()), mayReadAudit() && allowed(loadAudit(view)),
    ]);
    return { managed: managed || null, sites, keys: keys || null, audit };
  },
  draw(parent, view, { loaded }, act) {
    replace(parent, websitesCard(loaded, act), keysCard(loaded, act), auditCard(loaded, view, act));
  },
  dialog(view, _, act) {
    const at = view.edit.indexOf(":");
    return dialogs[view.edit.slice(0, at)]?.(view.edit.slice(at + 1), act) ?? null;
  },
};
