// What a page asks of the tracker, and whether it may run at all.

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

/** The value that the text of an attribute or of a query parameter stands for. */
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
 * The options of script: window.databuddyConfig, then its data-* attributes, then the query of
 * its address. Events go to where the script came from, unless they say otherwise.
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

/** Keeps this browser from being tracked, from the next page on, or takes that back. */
export function optOut(out) {
  for (const key of optOuts) {
    if (out) localStorage.setItem(key, "true");
    else localStorage.removeItem(key);
  }
}

/** Reports whether nothing may be sent: the page, the visitor or the browser says so. Apps serve their pages from localhost. */
export function silent(o) {
  const { doNotTrack, globalPrivacyControl, webdriver, userAgent } = navigator;
  const local = /^http/.test(location.protocol) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.local(host)?)$/.test(location.hostname);
  const robot = webdriver || /headless/i.test(userAgent);
  return Boolean(
    o.disabled || !o.clientId || doNotTrack === "1" || globalPrivacyControl || optedOut() ||
      (local && !o.trackLocalhost) || (robot && !o.ignoreBotDetection) || /^(file|about|data|blob):/.test(location.protocol),
  );
}

/** Whether a path is one of the patterns: `*` is part of a segment, `**` anything. */
function expression(pattern, end) {
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, (stars) => (stars.length > 1 ? ".*" : "[^/]*"));
  return new RegExp(`^${source}${end}`);
}

/** Whether events of path are left out. */
export const skipped = (o, path) => o.skipPatterns.some((pattern) => expression(pattern, "$").test(path));

/** path, with what the first pattern that it begins with covers replaced by the pattern. */
export function masked(o, path) {
  const pattern = o.maskPatterns.find((each) => expression(each, "").test(path));
  return pattern ? path.replace(expression(pattern, ""), () => pattern) : path;
}
