// Page views and exits. A view lives until the page is left or its path changes, however often it is hidden. Some
// browsers, mainly on phones, close hidden pages without an event. There each hiding reports what was not reported
// before: the exits of a view add up.

import { about, attempt, elapsed, guard, listen, navigation, text, visible } from "./browser.js";
import { normal, scrubbed, shown, skipped } from "./paths.js";
import { away, sessionId, touch } from "./visitor.js";

const campaign = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid", "ref", "source"];
const counted = Object.entries({
  click: "clickCount",
  keydown: "keyCount",
  scrollend: "scrollCount",
  copy: "copyCount",
  submit: "formSubmitCount",
  error: "errorCount",
});
const least = 500; // ms that an exit of a hidden page reports at least; a shorter time waits for the next exit

let page; // the pathname of the page with the hash route below
let route; // the latest hash route of the page; empty if there was none

/**
 * Returns the normal path of the URL, with the hash route #/path if hashes are tracked, but without the query of the
 * hash route. Another hash, such as #section, is a place within the route and is ignored.
 */
export function pathOf(o) {
  const { pathname, hash } = location;
  if (!o.trackHashChanges) return normal(pathname);
  const [, named] = /^#!?(\/[^?]*)/.exec(hash) ?? [];
  if (named || !hash || page !== pathname) [page, route] = [pathname, named ?? ""];
  return normal(route ? pathname.replace(/\/$/, "") + route : pathname);
}

/** Returns how far the page is scrolled down, in percent; 0 if it fits into the window. */
function depth() {
  const room = document.documentElement.scrollHeight - innerHeight;
  return room > 0 ? Math.min(100, Math.round((100 * scrollY) / room)) : 0;
}

/** Returns the load times of the document; none before it has loaded. */
function timings() {
  const load = navigation();
  if (!load?.loadEventEnd) return {};
  const since = (t) => Math.max(0, Math.round(t - (load.activationStart ?? 0)));
  return {
    load_time: since(load.loadEventEnd),
    dom_ready_time: since(load.domContentLoadedEventEnd),
    ttfb: since(load.responseStart),
  };
}

/**
 * Tracks page views and exits. who returns the visitor; describe makes an event of a visitor and a path; add queues it.
 */
export function pages(o, who, describe, add) {
  let view; // the event of the open view, if there is one
  let visitor; // of the view
  let at; // path of the latest view
  let first; // the event of the first view, which has the load times
  let referrer = scrubbed(o, text("referrer"));

  // What happened in the view since it was reported.
  let seen; // ms for which it was visible
  let since; // the time since which it is visible
  let last; // when it was last visible
  let deepest; // percent
  let told; // the deepest that was reported; undefined before the first report
  let counts;

  function open(properties, from = referrer) {
    close("spa");
    at = pathOf(o);
    referrer = location.origin + shown(o, at);
    visitor = who();
    const event = describe(visitor, at, "screen_view", properties);
    if (!event.path) return;
    const query = new URLSearchParams(location.search);
    Object.assign(event, {
      referrer: from,
      language: about("language"),
      timezone: attempt(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
      screen_resolution: attempt(() => `${screen.width}x${screen.height}`),
      viewport_size: `${innerWidth}x${innerHeight}`,
    });
    for (const name of campaign) event[name] = query.get(name)?.slice(0, 128);
    view = event;
    first ??= event;
    last = Date.now();
    seen = deepest = 0;
    since = told = undefined;
    counts = {};
    tick();
    add("batch", event);
  }

  /** Adds the time for which the view was visible since the latest tick. */
  function tick() {
    const now = elapsed();
    if (since !== undefined) {
      seen += now - since;
      last = Date.now();
    }
    since = visible() ? now : undefined;
  }

  function report(exitType) {
    tick();
    if (told !== undefined && seen < least && deepest <= told && !Object.keys(counts)[0]) return;
    seal();
    const common = { title: view.title, timestamp: last };
    const seconds = Math.round(seen) / 1000;
    add("batch", {
      ...describe(visitor, at, "page_exit"),
      ...common,
      time_on_page: seconds,
      scroll_depth: deepest > (told ?? -1) ? deepest : undefined,
      interaction_count: Math.min(10_000, (counts.clickCount ?? 0) + (counts.keyCount ?? 0)),
    });
    if (o.trackInteractions) {
      add("engagement", {
        ...describe(visitor, at),
        ...common,
        ...counts,
        exitType,
        timeOnPage: seconds,
        maxScrollDepth: deepest,
      });
    }
    seen = 0;
    told = deepest;
    counts = {};
  }

  function close(exitType) {
    if (view) report(exitType);
    view = undefined;
  }

  // Pages change their title after their address.
  function seal() {
    if (!view) return;
    view.title = text("title").slice(0, 512);
    if (view === first && o.trackPerformance) Object.assign(view, timings());
  }

  function moved() {
    if (pathOf(o) !== at) open();
  }

  function count(name) {
    if (view) counts[name] = Math.min(65_535, (counts[name] ?? 0) + 1);
    touch();
  }

  const move = guard(moved);
  for (const name of ["pushState", "replaceState"]) {
    attempt(() => {
      const change = history[name];
      if (typeof change !== "function") return;
      history[name] = function (...args) {
        const result = change.apply(this, args);
        move();
        return result;
      };
    });
  }
  listen(window, "popstate", moved);
  listen(
    attempt(() => window.navigation),
    "currententrychange",
    moved,
  ); // routers that do not use history
  if (o.trackHashChanges) listen(window, "hashchange", moved);
  listen(window, "scroll", () => (deepest = Math.max(deepest, depth())));
  for (const [name, counter] of counted) listen(window, name, () => count(counter), { capture: name !== "error" });

  /** Returns the visitor of the view; without a view, the current one. */
  const viewer = () => (view ? visitor : who());

  return {
    open,
    close,
    seal,
    viewer,
    /** Returns the current visitor. A new session begins with a view of the page, as after a reload. */
    current() {
      const now = who();
      if (viewer().sessionId !== now.sessionId) open(undefined, view.referrer);
      return now;
    },
    /** Follows the page as it is hidden and shown. Reports a page that may not be shown again. */
    follow(last) {
      if (!view) return;
      tick();
      if (visible()) return;
      away();
      if (last || attempt(() => matchMedia("(pointer: coarse)").matches, true)) report("hidden");
    },
  };
}
