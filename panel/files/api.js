// Requests to the API. This is the only file that sends any.
import { intervalOf, rangeOf, weekStart } from "./dates.js";

const root = document.querySelector("meta[name=sightline-api]").content;
const stored = "sightline-key", ofLink = "sightline-key-of-link", left = "sightline-signed-out";
let key = "";

/** The key of an earlier visit: of this tab, or of this device if the reader wanted that. */
export const rememberedKey = () => sessionStorage.getItem(stored) ?? localStorage.getItem(stored) ?? "";

export const currentKey = () => key;

/** Whether a text can be a key. One that was copied from where its middle is left out has "…". */
export const isKey = (value) => /^[\x21-\x7e]+$/.test(value);

/** Uses a key from now on, and stores it for this tab, and for this device if stay is true. */
export function useKey(value, stay) {
  key = value;
  if (value) {
    sessionStorage.setItem(stored, value);
    sessionStorage.removeItem(left);
  } else sessionStorage.removeItem(stored);
  if (stay) localStorage.setItem(stored, value);
  else if (stay === false) localStorage.removeItem(stored); // null leaves what is there
}

/** Uses a key of a link, for this tab alone. */
export function useLink(value) {
  useKey(value, null);
  sessionStorage.setItem(ofLink, value);
}

// Tabs of one browser share the key, so that a link in a new tab does not ask for it again.
const tabs = new BroadcastChannel(`sightline-key ${root}`), patience = 300; // ms in which another tab answers
tabs.addEventListener("message", ({ data }) => {
  if (data.asks && key) tabs.postMessage({ key, ofLink: sessionStorage.getItem(ofLink) === key });
  if (data.left && data.left === key) leave();
});

/** Uses the key of another tab, and returns whether there is one. A tab that was signed out does not ask for it. */
export async function useOtherTab() {
  if (sessionStorage.getItem(left)) return false;
  const { promise, resolve } = Promise.withResolvers(), heard = ({ data }) => data.key && resolve(data);
  tabs.addEventListener("message", heard);
  tabs.postMessage({ asks: true });
  const timer = setTimeout(resolve, patience), got = await promise;
  clearTimeout(timer);
  tabs.removeEventListener("message", heard);
  if (!got || key) return false; // the reader was faster
  (got.ofLink ? useLink : useKey)(got.key, null);
  return true;
}

/** Signs this tab and all others with the same key out. */
export function signOut() {
  tabs.postMessage({ left: key });
  leave();
}

function leave() {
  useKey("", false);
  sessionStorage.setItem(left, "yes");
  location.reload();
}

/** Whether a key of a link would replace a key that the reader has signed in with. */
export const replacesKey = (value) => ![rememberedKey(), ""].includes(value) && rememberedKey() !== "" && rememberedKey() !== sessionStorage.getItem(ofLink);

/** Uses a new secret of the key, and stores it where the replaced one is stored. */
export const replaceKey = (value) => useKey(value, localStorage.getItem(stored) ? true : null);

/**
 * A failed request. kind is key, forbidden, missing, busy, gone, failed or other; wait is in seconds, where trying again makes sense.
 * details are the mistakes of the request: their field and message.
 */
export class Fault extends Error {
  constructor(kind, text, wait = 0, details = []) {
    super(text);
    Object.assign(this, { kind, wait, details });
  }
}

const again = 10; // seconds until the next try, if the server does not say

/** Returns the JSON of an answer, or throws a Fault. By default a body makes it a POST. */
export async function call(path, body, method = body ? "POST" : "GET") {
  let response, answer;
  if (!isKey(key)) throw new Fault("key", ""); // browsers do not send it
  try {
    response = await fetch(root + path, {
      method, body: body && JSON.stringify(body),
      headers: { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }) },
    });
    answer = await response.json();
  } catch (error) {
    if (!response || response.ok || response.status >= 500) throw new Fault(response?.status >= 500 ? "failed" : "gone", String(error), again);
    answer = {};
  }
  if (response.ok && answer.success !== false) return answer;
  const wait = Number(response.headers.get("Retry-After")) || again;
  if (response.status === 401) throw new Fault("key", answer.error);
  if (response.status === 403) throw new Fault("forbidden", answer.error, 0, answer.details);
  if (response.status === 404) throw new Fault("missing", answer.error);
  if (response.status === 429) throw new Fault("busy", answer.error, wait);
  if (response.status >= 500) throw new Fault("failed", answer.error, wait);
  throw new Fault("other", answer.error ?? response.statusText, 0, answer.details);
}

/** Returns what a route lists under a name, of all pages. */
export async function pages(path, name) {
  const all = [];
  for (let after = null; ;) {
    const answer = await call(after === null ? path : `${path}?${new URLSearchParams({ after })}`);
    all.push(...answer[name]);
    after = answer.next;
    if (!after) return all; // null, or absent
  }
}

const one = { is: "eq", is_not: "ne", contains: "contains", contains_not: "not_contains" };

/**
 * Returns filters of the API for a filter of the page. Events, their properties and clicks are asked of sessions: what else happened in them. So are pages
 * if ofVisits is true, for questions that take no filter by the page of a row.
 */
export function condition({ field, op, values }, ofVisits = false) {
  const negative = op.endsWith("not");
  if (field === "segment") {
    const any = values.length === 1 ? { segment: values[0] } : { or: values.map((segment) => ({ segment })) };
    return negative ? { not: any } : any;
  }
  if (field.startsWith("property:")) { // of any event of the visit
    const did = { did: { event: { op: "matches", value: "." }, filters: [values.length > 1 && op.startsWith("is") ? { field, op: "in", value: values } : values.length > 1 ? { or: values.map((value) => ({ field, op: "contains", value })) } : { field, op: op.startsWith("is") ? "eq" : "contains", value: values[0] }] } };
    return negative ? { not: did } : did;
  }
  if (field === "event" || field === "click" || (ofVisits && field === "path")) {
    const kind = field === "path" ? "page" : field;
    const did = (value) => ({ did: { [kind]: op.startsWith("contains") ? { op: "contains", value } : value } });
    const any = values.length === 1 ? did(values[0]) : { or: values.map(did) };
    return negative ? { not: any } : any;
  }
  if (values.length === 1) return { field, op: one[op], value: values[0] };
  if (op === "is" || op === "is_not") return { field, op: negative ? "not_in" : "in", value: values };
  return { [negative ? "and" : "or"]: values.map((value) => ({ field, op: one[op], value })) };
}

/** Returns the body of a question about a view. */
export function question(view, parameters) {
  return {
    ...rangeOf(view), granularity: intervalOf(view), weekStart, filters: view.filters.map((filter) => condition(filter)), parameters,
  };
}

export const questionPath = (view, route = "/v1/query") => `${route}?${new URLSearchParams({ website_id: view.website, timezone: view.zone })}`;
export const ask = (view, parameters) => call(questionPath(view), question(view, parameters));

/** Returns the SQL of parameters of a view, which the server does not run. */
export const compiled = (view, parameters) => call(questionPath(view, "/v1/query/compile"), question(view, parameters));

let types = null;

/** Returns the query types of the server with their descriptions, for which it is asked once. */
export function described() {
  types ??= call("/v1/query/types?include_meta=true");
  types.catch(() => { types = null; });
  return types;
}

const aboutPath = (subject, view) => `/v1/query?${new URLSearchParams({ ...subject, timezone: view.zone })}`;

/** Asks about a short link or a monitor: subject is { link_id } or { schedule_id }. The filters of the view are about websites, and are left out. */
export const askAbout = (subject, view, parameters) => call(aboutPath(subject, view), question({ ...view, filters: [] }, parameters));

/** Asks several questions about one subject, at most 20: each has parameters, and changes of the view such as other dates. */
export async function askEach(subject, view, questions) {
  if (questions.length === 0) return [];
  const bodies = questions.map(({ parameters, ...change }, i) => ({ id: String(i), ...question({ ...view, filters: [], ...change }, parameters) }));
  return (await call(aboutPath(subject, view), bodies)).results;
}

/** Returns what a route lists, and nothing if the key may not use it, or the server does not have it. */
export const listed = async (path, name) => (await allowed(pages(path, name))) ?? [];

export const websites = () => pages("/v1/query/websites", "websites");

/** The address of a path of the API. */
export const address = (path) => new URL(root + path, location.origin).href.replace(path === "" ? /\/$/ : "", "");

const longest = 86_400; // seconds that panel tokens may live

/**
 * Returns a read-only secret for the website of a view, which ends after some seconds, at until: a panel token, or a key of that name
 * if tokens do not live that long. With only, its answers are cut to the filters of the view.
 */
export async function sharedSecret(view, until, seconds, only, name) {
  const rights = { scopes: ["read:data"], resources: [{ kind: "website", id: view.website }], ...(only && { filters: view.filters.map((filter) => condition(filter)) }) };
  if (seconds <= longest) return (await call("/v1/tokens", { ...rights, ttl: seconds })).token;
  return (await call("/v1/keys", { ...rights, name, expires: until.toISOString() })).secret;
}

/** Returns what a promise gives, or the given value if the key may not ask for it or the server does not have it. */
export async function allowed(promise, otherwise = null) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Fault && ["forbidden", "missing"].includes(error.kind)) return otherwise;
    throw error;
  }
}

/** The whole address of tracking, which the API gives as a URL or as a path below its own. */
export const trackingAddress = (address) => new URL(address.startsWith("/") ? root + address : address, location.href).href.replace(/\/$/, "");
