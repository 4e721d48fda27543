// Ids of the visitor in the browser's storage, which may be denied or full.

function keeper(area) {
  const memory = new Map();
  const attempt = (act) => {
    try {
      return act(window[area]);
    } catch {
      return null;
    }
  };
  return {
    get: (key) => attempt((storage) => storage.getItem(key)) ?? memory.get(key) ?? null,
    set(key, value) {
      memory.set(key, String(value));
      attempt((storage) => storage.setItem(key, value));
    },
    remove(key) {
      memory.delete(key);
      attempt((storage) => storage.removeItem(key));
    },
  };
}

const browser = keeper("localStorage"); // shared by all tabs of the site, with the session
const tab = keeper("sessionStorage"); // for this tab; scripts of the public client read the session's id from it
const pause = 30 * 60 * 1000; // ms without activity after which a session ends

// Like crypto.randomUUID, which is missing on pages without TLS.
export function uuid() {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Adopts the ids that a page of another domain added to the URL. */
export function adopt() {
  const given = new URLSearchParams(location.search);
  const [anonymous, session] = [given.get("anonId"), given.get("sessionId")];
  if (/^anon_[\w-]{8,64}$/.test(anonymous)) browser.set("did", anonymous);
  if (/^sess_[\w-]{8,64}$/.test(session)) begin(session);
}

function begin(session) {
  browser.set("did_session", session);
  browser.set("did_session_start", Date.now());
  browser.set("did_session_timestamp", Date.now());
}

export function anonymousId() {
  if (!browser.get("did")) browser.set("did", `anon_${uuid()}`);
  return browser.get("did");
}

// A clock that was set back must not make a session last long.
const over = () => !browser.get("did_session") || Math.abs(Date.now() - browser.get("did_session_timestamp")) > pause;

/** Returns the session of all tabs of the site and extends it. Starts a new session if it is over. */
export function sessionId() {
  if (over()) begin(`sess_${uuid()}`);
  touch();
  const session = browser.get("did_session");
  if (tab.get("did_session") !== session) tab.set("did_session", session);
  return session;
}

/** Extends the session unless it is over. */
export function touch() {
  if (!over() && Math.abs(Date.now() - browser.get("did_session_timestamp")) > 1000) browser.set("did_session_timestamp", Date.now());
}

export const profileId = () => browser.get("did_profile");

/** Stores the id of the visitor. Returns false if this tab has already sent the same id and traits. */
export function setProfile(id, traits) {
  browser.set("did_profile", id);
  const told = JSON.stringify([id, anonymousId(), traits]);
  if (told === tab.get("did_profile_sent")) return false;
  tab.set("did_profile_sent", told);
  return true;
}

export function clearProfile() {
  browser.remove("did_profile");
  tab.remove("did_profile_sent");
}

/** Deletes all ids. */
export function clear() {
  clearProfile();
  browser.remove("did");
  tab.remove("did_session");
  for (const key of ["did_session", "did_session_timestamp", "did_session_start"]) browser.remove(key);
}
