// The rights of the reader's key, so that the page offers nothing else. The page asks for them once for each key: see GET /v1/self.
import { call, currentKey } from "./api.js";

let key = "", self = null, asking = null;

/** Returns a promise of what the key may do. */
export function learn() {
  const asked = currentKey();
  if (asked !== key) [key, self, asking] = [asked, null, null];
  asking ??= call("/v1/self").then((answer) => {
    if (asked === key) self = answer.self;
    return answer.self;
  }).catch((error) => {
    if (asked === key) asking = null;
    throw error;
  });
  return asking;
}

/** What the key may do, or null as long as that is not known. All functions below return false until then. */
export const known = () => (key === currentKey() ? self : null);

// Panel tokens only read.
const has = (scope) => known()?.kind === "key" && known().scopes.includes(scope);
const seesAll = () => !known().filtered && known().types === null;

export const maySave = () => has("manage:definitions");
export const mayManageFlags = () => has("manage:flags");
export const mayManageKeys = () => has("manage:keys");
export const mayManageWebsites = () => has("manage:websites") && seesAll();
export const mayAddWebsites = () => mayManageWebsites() && known().all;
export const mayReadAudit = () => has("read:audit") && known().all && !known().filtered;
export const mayShare = () => has("read:data");

/** Whether a key or token may read links or monitors, by the scope of their own. */
export const mayRead = (scope) => Boolean(known()?.scopes.some((one) => one === "read:data" || one === scope));
