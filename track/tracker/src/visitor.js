// Who visits: ids in the browser's storage, which may be denied or full.

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

const browser = keeper("localStorage");
const tab = keeper("sessionStorage");
const pause = 30 * 60 * 1000; // without a sign of life that ends a session, in ms

// Like crypto.randomUUID, which pages without TLS do not have.
export function uuid() {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Takes over the ids that a page of another domain put into the address. */
export function adopt() {
  const given = new URLSearchParams(location.search);
  const [anonymous, session] = [given.get("anonId"), given.get("sessionId")];
  if (/^anon_[\w-]{8,64}$/.test(anonymous)) browser.set("did", anonymous);
  if (/^sess_[\w-]{8,64}$/.test(session)) {
    tab.set("did_session", session);
    begin();
  }
}

function begin() {
  tab.set("did_session_start", Date.now());
  tab.set("did_session_timestamp", Date.now());
}

export function anonymousId() {
  if (!browser.get("did")) browser.set("did", `anon_${uuid()}`);
  return browser.get("did");
}

const over = () => !tab.get("did_session") || Date.now() - tab.get("did_session_timestamp") > pause;

/** The session, which goes on by this, or a new one. */
export function sessionId() {
  if (over()) {
    tab.set("did_session", `sess_${uuid()}`);
    begin();
  }
  touch();
  return tab.get("did_session");
}

/** Keeps a session going that is not over. */
export function touch() {
  if (!over() && Date.now() - tab.get("did_session_timestamp") > 1000) tab.set("did_session_timestamp", Date.now());
}

export const profileId = () => browser.get("did_profile");

/** Notes who the visitor is; false when it and the traits were told in this session. */
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

/** Forgets all of the above. */
export function clear() {
  clearProfile();
  browser.remove("did");
  for (const key of ["did_session", "did_session_timestamp", "did_session_start"]) tab.remove(key);
}
