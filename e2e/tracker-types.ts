// Compares the types of the tracker's object and options with the script, which runs in a page without interfaces, and
// with the attributes of docs/tracker.md.
//
//   node build/tracker-types.js ../track/tracker/tracker.js ../docs/tracker.md
import type { Tracker, TrackerConfig } from "@sightline-analytics/client/browser";
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";

const calls: Record<keyof Tracker, true> = {
  track: true, screenView: true, identify: true, setTraits: true, getProfileId: true, clearProfile: true,
  setGlobalProperties: true, getTrackingIds: true, flush: true, clear: true, options: true,
};
const options: Record<keyof TrackerConfig, true> = {
  clientId: true, apiUrl: true, cookieDomain: true, disabled: true, ignoreBotDetection: true, trackLocalhost: true,
  trackPerformance: true, trackHashChanges: true, trackInteractions: true, trackOutgoingLinks: true,
  trackWebVitals: true, trackErrors: true, trackAttributes: true, samplingRate: true, skipPatterns: true,
  maskPatterns: true, stripLinks: true, anonymizeVisitorIds: true, enableBatching: true, batchSize: true,
  batchTimeout: true, enableRetries: true, maxRetries: true, initialRetryDelay: true, filter: true,
};

/** What a page does with the tracker compiles. */
export function page() {
  window.databuddyConfig = { clientId: "web_demo", skipPatterns: ["/users/*"], filter: (event) => event.path !== "/" };
  window.databuddy?.track("order_paid", { total: 42 });
  const { anonId } = window.databuddy?.getTrackingIds() ?? {};
  window.databuddyOptOut?.();
  return anonId;
}

const scope = createContext({ location: new URL("https://shop.example/") });
scope.window = scope;
const [script = "", document = ""] = process.argv.slice(2).map((file) => readFileSync(file, "utf8"));
runInContext(script, scope);
const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const documented = [...document.matchAll(/`data-([a-z-]+)(?:=[^`]*)?`/g)].map((each) => camel(each[1] ?? ""));
const differ = (a: object, b: Iterable<string>) => {
  const [one, two] = [Object.keys(a), [...new Set(b)]].map((names) => names.sort().join(" "));
  if (one !== two) throw new Error(`the types have\n${one}, and the script or its document\n${two}`);
};
differ(calls, Object.keys(scope.databuddy));
differ(options, [...documented.filter((name) => name !== "track"), "filter"]); // data-track names an event
