// Each interface of the browser that the tracker uses is missing, throws, or is null.
import assert from "node:assert/strict";
import { expect } from "./tracker-shop.mjs";
import { all, pass, watch } from "./tracker-watch.mjs";

/** Runs in the page: an interface is missing, throws, or is null. */
function broken([owner, name, how]) {
  if (location.protocol === "about:") return; // the empty page of a new tab has no storage
  const target = owner.split(".").reduce((at, key) => at[key], window);
  for (let at = target; at; at = Object.getPrototypeOf(at)) if (how === "missing") delete at[name];
  if (how === "missing") return;
  const fail = () => {
    throw new TypeError(`${name} is broken`);
  };
  const value = how === "null" ? null : typeof target[name] === "function" ? fail : undefined;
  Object.defineProperty(
    target,
    name,
    value === undefined ? { get: fail, configurable: true } : { value, configurable: true, writable: true },
  );
}

const table = [
  ["navigator", "sendBeacon"],
  ["window", "fetch"],
  ["window", "localStorage"],
  ["window", "sessionStorage"],
  ["window", "crypto"],
  ["crypto", "getRandomValues"],
  ["document", "title"],
  ["document", "referrer"],
  ["document", "visibilityState"],
  ["document", "readyState"],
  ["document", "cookie"],
  ["performance", "now"],
  ["performance", "getEntriesByType"],
  ["window", "PerformanceObserver"],
  ["window", "matchMedia"],
  ["window", "navigation"],
  ["history", "replaceState"],
  ["window", "console"],
  ["Intl", "DateTimeFormat"],
  ["navigator", "language"],
  ["window", "screen"],
  ["window", "TextEncoder"],
  ["window", "requestIdleCallback"],
  ["window", "requestAnimationFrame"],
  ["navigator", "onLine"],
  ["navigator", "globalPrivacyControl"],
];

/** The tracker works without an interface of the browser, and so does the page. */
async function without(owner, name, how) {
  const path = `/without/${name}/${how}`;
  const { tab, thrown, leave } = await watch(path, {
    attributes: `data-track-interactions ${name === "cookie" ? `data-cookie-domain="shop.example"` : ""}`,
    change: broken,
    argument: [owner, name, how],
  });
  await tab.evaluate(() => {
    document.getElementById("buy").click();
    databuddy.track("still_here");
    history.pushState({}, "", `${location.pathname}/more`);
  });
  await pass(tab, "pagehide");
  await pass(tab, "pageshow");
  await leave();
  assert.deepEqual([path, thrown], [path, []]);
  const want = [
    `${path} page_exit`,
    `${path} screen_view`,
    `${path} still_here`,
    `${path}/more page_exit`,
    `${path}/more page_exit`,
    `${path}/more screen_view`,
    `${path}/more screen_view`,
  ].sort();
  await expect(path, want, async () =>
    (await all())
      .filter((row) => row.path.startsWith(path))
      .map((row) => `${row.path} ${row.name}`)
      .sort(),
  );
}

/** The tests, by the interface. */
export const interfaces = Object.fromEntries(
  table.map(([owner, name]) => [
    `without ${owner}.${name}`,
    () => Promise.all(["missing", "throws", "null"].map((how) => without(owner, name, how))),
  ]),
);
