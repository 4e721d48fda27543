// Page views and exits. A view ends when the page is left or its path changes. Some browsers, mainly on phones, close
// hidden pages without an event. There a view also ends when the page is hidden.

import { masked, skipped } from "./options.js";
import { sessionId, touch, uuid } from "./visitor.js";

const campaign = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid", "ref", "source"];
const counted = Object.entries({
  click: "clickCount", keydown: "keyCount", scrollend: "scrollCount", copy: "copyCount", submit: "formSubmitCount", error: "errorCount",
});
const visible = () => document.visibilityState === "visible";

/** Measures how long the page was visible, and when it was last visible. */
function stopwatch() {
  let seen = 0;
  let since;
  let last = Date.now();
  const tick = () => {
    if (since !== undefined) {
      seen += performance.now() - since;
      since = performance.now();
      last = Date.now();
    }
  };
  const run = (on) => {
    tick();
    since = on ? performance.now() : undefined;
  };
  run(visible());
  return { run, last: () => (tick(), last), seconds: () => (tick(), Math.round(seen) / 1000) };
}

let page; // the pathname of the page with the hash route below
let route; // the latest hash route of the page; empty if there was none

/**
 * Returns the path of the URL, with the hash route #/path if hashes are tracked, but without the query of the
 * hash route. Another hash, such as #section, is a place within the route and is ignored.
 */
export function pathOf(o) {
  const { pathname, hash } = location;
  if (!o.trackHashChanges) return pathname;
  const [, named] = /^#!?(\/[^?]*)/.exec(hash) ?? [];
  if (named || !hash || page !== pathname) [page, route] = [pathname, named ?? ""];
  return route ? pathname.replace(/\/$/, "") + route : pathname;
}

/** Reports whether two paths belong to the same page. */
const same = (a, b) => a.replace(/\/+$/, "") === b.replace(/\/+$/, "");

/** Returns how far the page is scrolled down, in percent; 0 if it fits into the window. */
function depth() {
  const room = document.documentElement.scrollHeight - innerHeight;
  return room > 0 ? Math.min(100, Math.max(0, Math.round((100 * scrollY) / room))) : 0;
}

/** Returns the referrer, without parts that may be secret. */
function origin(o, referrer) {
  const [page] = referrer.split(/[?#]/);
  return page.startsWith(`${location.origin}/`) ? location.origin + masked(o, page.slice(location.origin.length)) : page;
}

/** Returns the load times of the document; none before it has loaded. */
function timings() {
  const [load] = performance.getEntriesByType("navigation");
  if (!load?.loadEventEnd) return {};
  const since = (t) => Math.max(0, Math.round(t - (load.activationStart ?? 0)));
  return { load_time: since(load.loadEventEnd), dom_ready_time: since(load.domContentLoadedEventEnd), ttfb: since(load.responseStart) };
}

/** Tracks page views and exits. describe makes an event; add queues it. */
export function pages(o, describe, add) {
  let view; // the open view
  let at = ""; // path of the latest view
  let referrer = origin(o, document.referrer);
  let first = true;

  function open(properties) {
    close("spa");
    const path = pathOf(o);
    const from = referrer;
    at = path;
    referrer = location.origin + masked(o, path);
    if (skipped(o, path)) return;
    const query = new URLSearchParams(location.search);
    const session = sessionId();
    const event = {
      ...describe("screen_view", session, properties),
      referrer: from,
      language: navigator.language,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      screen_resolution: `${screen.width}x${screen.height}`,
      viewport_size: `${innerWidth}x${innerHeight}`,
      ...Object.fromEntries(campaign.map((name) => [name, query.get(name)?.slice(0, 128)])),
    };
    view = { event, session, first, watch: stopwatch(), deepest: 0, counts: {} };
    first = false;
    add("batch", event);
  }

  function close(exitType) {
    if (!view) return;
    seal();
    const { event, session, watch, deepest, counts } = view;
    view = undefined;
    const { path, title } = event;
    const common = { path, title, timestamp: watch.last() };
    add("batch", {
      ...describe("page_exit", session),
      ...common,
      eventId: `exit_${uuid()}`,
      time_on_page: watch.seconds(),
      scroll_depth: deepest,
      interaction_count: Math.min(10_000, (counts.clickCount ?? 0) + (counts.keyCount ?? 0)),
    });
    if (o.trackInteractions) {
      add("engagement", { ...describe(undefined, session), ...common, ...counts, exitType, timeOnPage: watch.seconds(), maxScrollDepth: deepest });
    }
  }

  // Pages change their title after their address.
  function seal() {
    if (!view) return;
    view.event.title = document.title.slice(0, 512);
    if (view.first && o.trackPerformance) Object.assign(view.event, timings());
  }

  function moved() {
    if (!same(pathOf(o), at)) open();
  }

  function count(name) {
    if (view) view.counts[name] = Math.min(65_535, (view.counts[name] ?? 0) + 1);
    touch();
  }

  for (const name of ["pushState", "replaceState"]) {
    const change = history[name];
    history[name] = function (...args) {
      change.apply(this, args);
      moved();
    };
  }
  addEventListener("popstate", moved);
  if (o.trackHashChanges) addEventListener("hashchange", moved);
  addEventListener("pageshow", (e) => e.persisted && open()); // restored from the browser's cache of pages
  addEventListener("scroll", () => view && (view.deepest = Math.max(view.deepest, depth())), { passive: true });
  for (const [name, counter] of counted) addEventListener(name, () => count(counter), { capture: name !== "error", passive: true });

  return {
    open,
    close,
    seal,
    session: () => view?.session ?? sessionId(),
    seen() {
      view?.watch.run(visible());
      if (!visible() && matchMedia("(pointer: coarse)").matches) close("hidden");
    },
  };
}
