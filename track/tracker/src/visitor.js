// Ids of the visitor in the browser's storage, which may be denied or full, and the visitor's consent.

import { attempt, elapsed, uuid } from "./browser.js";

/** Returns a storage of cookies that a domain and its subdomains share. */
const cookies = (domain) => ({
  getItem: (key) => new URLSearchParams(document.cookie.replace(/; /g, "&")).get(key),
  setItem(key, value, age = 34_560_000) {
    // 400 days, the most that browsers allow
    document.cookie = `${key}=${encodeURIComponent(value)};domain=${domain};path=/;max-age=${age};samesite=lax`;
  },
  removeItem(key) {
    this.setItem(key, "", 0);
  },
});

/** Keeps texts in a storage, and those that it does not take in memory. */
function keeper(storage) {
  const memory = new Map();
  return {
    get: (key) => memory.get(key) ?? attempt(() => storage().getItem(key), null),
    set(key, value) {
      memory.delete(key);
      attempt(() => storage().setItem(key, value));
      if (this.get(key) !== value) memory.set(key, value);
    },
    remove(key) {
      memory.delete(key);
      attempt(() => storage().removeItem(key));
    },
  };
}

const local = keeper(() => window.localStorage);
const tab = keeper(() => window.sessionStorage); // for this tab; the public client reads the session's id from it
let shared = local; // by all tabs of the site, with the session
const pause = 30 * 60 * 1000; // ms without activity after which a session ends
const fresh = 2 * 60 * 1000; // ms after which the ids in an address are old: people pass addresses on

/** Shares the ids with the subdomains of domain. */
export const share = (domain) => (shared = keeper(() => cookies(domain)));

const optOuts = ["databuddy_opt_out", "databuddy_disabled"];

export const optedOut = () => [local, shared].some((each) => optOuts.some((key) => each.get(key) === "true"));

/** Forbids or allows tracking in this browser, from the next page on. */
export function optOut(out) {
  for (const key of optOuts) for (const each of [local, shared]) out ? each.set(key, "true") : each.remove(key);
}

/** Adopts the ids that a page of another domain added to the URL. */
export function adopt() {
  const given = new URLSearchParams(location.search);
  const [anonymous, session, at] = ["anonId", "sessionId", "idsAt"].map((name) => given.get(name));
  if (!(Math.abs(Date.now() - at) < fresh)) return;
  if (/^anon_[\w-]{8,64}$/.test(anonymous)) shared.set("did", anonymous);
  if (/^sess_[\w-]{8,64}$/.test(session)) begin(session);
}

function begin(session) {
  shared.set("did_session", session);
  active();
}

let mark; // the session's last time by this page, in storage and by a clock that is never set

function active() {
  mark = { stored: String(Date.now()), at: elapsed() };
  shared.set("did_session_timestamp", mark.stored);
}

/** Forgets the clock that is never set: it may stop while the page is hidden and its device sleeps. */
export const away = () => (mark = undefined);

export function anonymousId() {
  if (!shared.get("did")) shared.set("did", `anon_${uuid()}`);
  return shared.get("did");
}

const idle = () => Math.abs(Date.now() - shared.get("did_session_timestamp"));

// Reports whether this page has extended the session within the pause, although the computer's clock may have been set.
const marked = () => mark?.stored === shared.get("did_session_timestamp") && elapsed() - mark.at < pause;

// A clock that was set back must not make a session last long.
const over = () => !shared.get("did_session") || (idle() > pause && !marked());

/** Returns the session of all tabs of the site and extends it. Starts a new session if it is over. */
export function sessionId() {
  if (over()) begin(`sess_${uuid()}`);
  touch();
  const session = shared.get("did_session");
  if (tab.get("did_session") !== session) tab.set("did_session", session);
  return session;
}

/** Extends the session unless it is over. */
export function touch() {
  if (!over() && idle() > 1000) active();
}

export const profileId = () => shared.get("did_profile");

/** Stores the id of the visitor. Returns false if this tab has already sent the same id and traits. */
export function setProfile(id, traits) {
  shared.set("did_profile", id);
  const told = JSON.stringify([id, anonymousId(), traits]);
  if (told === tab.get("did_profile_sent")) return false;
  tab.set("did_profile_sent", told);
  return true;
}

export function clearProfile() {
  shared.remove("did_profile");
  tab.remove("did_profile_sent");
}

/** Deletes all ids. */
export function clear() {
  clearProfile();
  tab.remove("did_session");
  for (const key of ["did", "did_session", "did_session_timestamp"]) shared.remove(key);
}
