// The options of the tracker, and whether it may run at all.

import { about, attempt, complain } from "./browser.js";
import { optedOut } from "./visitor.js";

// Each kind returns the value of an option, or undefined for a value that the option cannot have.
const among = (least, most) => (value) => (value >= 0 ? Math.min(most, Math.max(least, value)) : undefined);
const list = (value) => (value.every((each) => each.at) ? value : undefined); // of texts
const rules = {
  clientId: [(value) => value.toString()],
  apiUrl: [
    (value) => {
      const url = new URL(value.replace(/^$/, "no:"), document.baseURI);
      return /^http/.test(url.protocol) ? url.href.replace(/\/$/, "") : undefined;
    },
  ],
  samplingRate: [among(0, 1), 1],
  maxRetries: [among(0, 10), 3],
  initialRetryDelay: [among(50, 60_000), 500],
  batchSize: [among(1, 50), 10],
  batchTimeout: [among(100, 30_000), 5000],
  skipPatterns: [list, []],
  maskPatterns: [list, []],
  cookieDomain: [(value) => (`.${location.hostname}`.endsWith(`.${value}`) ? value : undefined)],
  filter: [(value) => (value.call ? value : undefined)],
};
const on = { trackPerformance: true, enableRetries: true, enableBatching: true, stripLinks: true };

/** Returns the value of an attribute's or query parameter's text. Ids that look like numbers stay texts. */
const parse = (text) => (text === "" ? true : /^[tf[]/.test(text) ? attempt(() => JSON.parse(text), text) : text);

const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * Returns the options of a script element: window.databuddyConfig, then its data-* attributes, then the query of its
 * URL. By default, events are sent to the host of the script. A wrong option is named in the console, and has its
 * default.
 */
export function read(script) {
  const source = attempt(() => new URL(script.src));
  const [tracking, own] = /^(.*)\/tracker(?:\.js|\/[^/]*)\/?$/.exec(source?.pathname) ?? [];
  const all = { apiUrl: tracking && source.origin + own, ...on, ...attempt(() => ({ ...window.databuddyConfig })) };
  const texts = [...attempt(() => Object.entries(script.dataset), []), ...(source?.searchParams ?? [])];
  for (const [name, text] of texts) all[camel(name)] = parse(text);
  for (const [name, [rule, preset]] of Object.entries(rules)) {
    const given = all[name] ?? undefined;
    const value = attempt(() => rule(given));
    if (given !== undefined && value === undefined) complain(name);
    all[name] = value ?? (rule === list && given?.at ? [given] : preset); // a text is the only pattern of a list
  }
  return all;
}

const app = () =>
  /^tauri\./.test(location.hostname) || window.Capacitor || window.__TAURI_INTERNALS__ || window.__TAURI__;

/** Reports whether the page, the visitor or the browser forbids tracking. Apps serve their pages from localhost. */
export function silent(o) {
  const { protocol, hostname } = location;
  const local =
    /^http/.test(protocol) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.local(host)?)$/.test(hostname) && !app();
  const robot = about("webdriver") || /headless/i.test(about("userAgent"));
  if (o.disabled) return true;
  if (!o.clientId) complain("clientId");
  if (!o.apiUrl) complain("apiUrl"); // the script is not called tracker.js
  return (
    !o.clientId ||
    !o.apiUrl ||
    about("doNotTrack") === "1" ||
    about("globalPrivacyControl") ||
    optedOut() ||
    (local && !o.trackLocalhost) ||
    (robot && !o.ignoreBotDetection) ||
    /^(file|about|data|blob):/.test(protocol)
  );
}
