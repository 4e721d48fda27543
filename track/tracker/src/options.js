// The options of the tracker, and whether it may run at all.

const defaults = {
  trackPerformance: true,
  samplingRate: 1,
  enableRetries: true,
  maxRetries: 3,
  initialRetryDelay: 500,
  enableBatching: true,
  batchSize: 10,
  batchTimeout: 5000,
  skipPatterns: [],
  maskPatterns: [],
  stripLinks: true,
};

const between = (least, value, most) => Math.min(most, Math.max(least, value));

/** Returns the value of an attribute's or query parameter's text. */
function parse(text) {
  if (text === "" || text === "true") return true;
  if (text === "false") return false;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  try {
    return text[0] === "[" ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * Returns the options of a script element: window.databuddyConfig, then its data-* attributes, then the query of its
 * URL. By default, events are sent to the host of the script.
 */
export function read(script) {
  const source = new URL(script?.src || location.href);
  const texts = [...Object.entries(script?.dataset ?? {}), ...source.searchParams];
  const all = {
    apiUrl: script?.src && source.origin + source.pathname.replace(/\/tracker(\.js|\/[^/]*)$/, ""),
    ...defaults,
    ...window.databuddyConfig,
    ...Object.fromEntries(texts.map(([name, text]) => [camel(name), parse(text)])),
  };
  return {
    ...all,
    apiUrl: String(all.apiUrl).replace(/\/$/, ""),
    batchSize: between(1, all.batchSize, 50),
    batchTimeout: between(100, all.batchTimeout, 30_000),
  };
}

const optOuts = ["databuddy_opt_out", "databuddy_disabled"];

function optedOut() {
  try {
    return optOuts.some((key) => localStorage.getItem(key) === "true");
  } catch {
    return false;
  }
}

/** Stops or resumes tracking in this browser, from the next page on. */
export function optOut(out) {
  for (const key of optOuts) {
    if (out) localStorage.setItem(key, "true");
    else localStorage.removeItem(key);
  }
}

/** Reports whether the page, the visitor or the browser forbids tracking. Apps serve their pages from localhost. */
export function silent(o) {
  const { doNotTrack, globalPrivacyControl, webdriver, userAgent } = navigator;
  const local = /^http/.test(location.protocol) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.local(host)?)$/.test(location.hostname);
  const robot = webdriver || /headless/i.test(userAgent);
  return Boolean(
    o.disabled || !o.clientId || doNotTrack === "1" || globalPrivacyControl || optedOut() ||
      (local && !o.trackLocalhost) || (robot && !o.ignoreBotDetection) || /^(file|about|data|blob):/.test(location.protocol),
  );
}

/** Returns a regular expression for a pattern of paths: `*` matches part of a segment, `**` anything. */
function expression(pattern, end) {
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, (stars) => (stars.length > 1 ? ".*" : "[^/]*"));
  return new RegExp(`^${source}${end}`);
}

/** Reports whether events of path are not sent. */
export const skipped = (o, path) => o.skipPatterns.some((pattern) => expression(pattern, "$").test(path));

/** Returns path after replacing its beginning by the first pattern that matches it. */
export function masked(o, path) {
  const pattern = o.maskPatterns.find((each) => expression(each, "").test(path));
  return pattern ? path.replace(expression(pattern, ""), () => pattern) : path;
}
