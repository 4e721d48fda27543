// Opens pages with the tracker in a browser and queries the counted events: see tracker-shop.mjs.
import assert from "node:assert/strict";
import { faults } from "./tracker-faults.mjs";
import { again, browser, close, expect, filter, pause, rows, serve, service, shop, story, visit } from "./tracker-shop.mjs";
import { walks } from "./tracker-walk.mjs";

serve("/close", `data-batch-timeout="30000"`);
serve("/attributes", `data-track-attributes`);
serve("/users/7/orders", `data-mask-patterns='["/users/*"]'`);
serve("/private", `data-skip-patterns='["/priv*"]'`);
serve("/hash", `data-track-hash-changes`);
serve("/hashes", `data-track-hash-changes data-track-errors`);
serve("/kept-links", `data-strip-links="false"`);
serve("/cached", `data-track-web-vitals`);
serve("/sdk", "", "");

async function navigation() {
  const { tab, leave, session } = await visit("/nav/a?utm_source=news&utm_medium=mail");
  await tab.click("#next");
  await tab.waitForURL(`${shop}/nav/b`);
  await tab.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await pause(1200);
  await leave();
  await story("navigation", session, ["exit /nav/a", "exit /nav/b", "pageview /nav/a", "pageview /nav/b"]);
  const ofVisit = [{ field: "path", op: "starts_with", value: "/nav/" }];
  await expect("its totals", [[2, 1, 1, 0]], () => rows("summary_metrics", ofVisit, (r) => [r.pageviews, r.visitors, r.sessions, r.bounce_rate]));
  await expect("its pages", [["/nav/a", 1], ["/nav/b", 1]], () => rows("pages", ofVisit, (r) => [r.path, r.pageviews]));
  await expect("its source", [["Google", 2]], () => rows("traffic", ofVisit, (r) => [r.name, r.pageviews]));
  for (const [type, name] of Object.entries({ utm_sources: "news", utm_mediums: "mail", browser_name: "Chrome", os_name: "Windows", device_types: "Desktop", language: "de-DE", timezone: "Europe/Berlin" })) {
    await expect(type, [[name, 2]], () => rows(type, ofVisit, (r) => [r.name, r.pageviews]));
  }
  await expect("its exits", [["/nav/b", 100, true]], () =>
    rows("engagement", filter("path", "/nav/b"), (r) => [r.path, r.avg_scroll_depth, r.median_time_on_page > 1.1 && r.median_time_on_page < 5]));
  await expect("its load time", [true], () => rows("pages", filter("path", "/nav/a"), (r) => r.avg_load_time > 0));
}

async function routes() {
  const { tab, leave, session } = await visit("/spa/1");
  await tab.evaluate(() => {
    history.pushState({}, "", "/spa/2");
    history.replaceState({}, "", "/spa/2?sorted=yes");
    history.replaceState({}, "", "/spa/2#anchor");
  });
  await tab.goBack();
  await leave();
  await story("routes", session, ["exit /spa/1", "exit /spa/1", "exit /spa/2", "pageview /spa/1", "pageview /spa/1", "pageview /spa/2"]);
}

async function outgoing() {
  const { tab, session } = await visit("/out");
  await tab.click("#out");
  await tab.waitForURL("http://www.partner.example/**");
  const href = "http://www.partner.example/docs";
  await story("an outgoing link", session, [`click ${href}`, "exit /out", "pageview /out"]);
  await expect("the link", [[href, "The docs", 1, 1]], () =>
    rows("outbound_links", filter("path", "/out"), (r) => [r.href, r.text, r.total_clicks, r.unique_users]));
}

/** Links keep their query if the page asks for it. */
async function keptLinks() {
  const { tab, session } = await visit("/kept-links");
  await tab.click("#out");
  await tab.waitForURL("http://www.partner.example/**");
  await story("a link with its query", session, ["click http://www.partner.example/docs?page=1#top", "exit /kept-links", "pageview /kept-links"]);
}

/** A page that takes a minute to load keeps its view, its source and its campaign, and so does a page that is left before it has loaded. */
async function slowPage() {
  const slow = (tab) => tab.addInitScript(() => {
    const entries = performance.getEntriesByType.bind(performance);
    performance.getEntriesByType = (type) => entries(type).map((e) => (type === "navigation" ? { ...e.toJSON(), loadEventEnd: 61_000, activationStart: 0 } : e));
  });
  const { tab, leave, session } = await visit("/slow/a?utm_campaign=spring", { prepare: slow });
  await tab.goto(`${shop}/slow/b`, { referer: `${shop}/slow/a` });
  await leave();
  await story("a slow page", session, ["exit /slow/a", "exit /slow/b", "pageview /slow/a", "pageview /slow/b"]);
  await expect("its load time", [61_000], () => rows("pages", filter("path", "/slow/a"), (r) => r.avg_load_time));
  await expect("its visit", [["/slow/a", "google.com"]], () => rows("sessions", filter("session_id", session), (r) => [r.entry_page, r.source]));
  await expect("its campaign", [["spring", 2]], () => rows("utm_campaigns", filter("session_id", session), (r) => [r.name, r.pageviews]));

  const left = await visit("/slow/left", {
    until: "domcontentloaded",
    prepare: (page) => page.addInitScript(() => addEventListener("DOMContentLoaded", () => (document.body.append(Object.assign(new Image(), { src: "/slow.png" })), 0))),
  });
  await pause(300);
  await left.tab.goto(`${shop}/sdk`, { waitUntil: "commit" }); // a page without the tracker
  await left.leave();
  await story("a page that is left before it has loaded", left.session, ["exit /slow/left", "pageview /slow/left"]);
}

/** Scripts that trace requests add headers, about which browsers ask first; some break fetch. */
async function tracing() {
  const traced = (headers) => (tab) => tab.addInitScript((added) => {
    const plain = window.fetch;
    window.fetch = (url, options) => {
      if (added === "throw") throw new TypeError("no fetch here");
      return added ? plain(url, { ...options, headers: { ...options?.headers, ...added } }) : Promise.reject(new TypeError("Failed to fetch"));
    };
  }, headers);
  const headers = {
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b", baggage: "c=d", "sentry-trace": "e", "request-id": "f", "x-datadog-trace-id": "1",
  };
  for (const [path, added] of [["/traced", headers], ["/no-fetch", null], ["/throws", "throw"]]) {
    const { tab, session, leave } = await visit(path, { prepare: traced(added) });
    await tab.evaluate(() => databuddy.flush());
    await expect(`${path}, before it is left`, true, async () =>
      (await rows("session_events", filter("session_id", session), (e) => e.kind)).includes("pageview"));
    await leave();
    await story(path, session, [`exit ${path}`, `pageview ${path}`]);
  }
}

/** A clock that is 90 minutes ahead. */
async function wrongClock() {
  const ahead = (tab) => tab.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + 90 * 60_000;
  });
  const { session, leave } = await visit("/clock", { prepare: ahead });
  await leave();
  await expect("a wrong clock", [["pageview", true], ["exit", true]], async () =>
    (await rows("session_events", filter("session_id", session), (e) => [e.kind, Math.abs(Date.now() - Date.parse(e.timestamp)) < 60_000])));
}

/** One visitor of Google who opens three links in new tabs. */
async function tabs() {
  const { tab, session } = await visit("/tabs/a");
  for (const name of ["b", "c", "d"]) {
    const other = await tab.context().newPage();
    await other.goto(`${shop}/tabs/${name}`, { referer: `${shop}/tabs/a` });
    await other.close({ runBeforeUnload: true });
  }
  await tab.close({ runBeforeUnload: true });
  const ofTabs = [{ field: "path", op: "starts_with", value: "/tabs/" }];
  await expect("tabs of one session", [[4, 1, 1, 0]], () => rows("summary_metrics", ofTabs, (r) => [r.pageviews, r.visitors, r.sessions, r.bounce_rate]));
  await expect("their source", [["Google", 4]], () => rows("traffic", ofTabs, (r) => [r.name, r.pageviews]));
  await expect("their session", [[session, 4]], () => rows("sessions", ofTabs, (r) => [r.session_id, r.page_views]));
}

/** Changes of the query of a hash route, and anchors, are no views. Its query is sent in no field. */
async function hashRoutes() {
  const sent = [];
  const { tab, session, leave } = await visit("/hashes#/list", {
    prepare: (tab, context) => context.on("request", (r) => r.method() === "POST" && sent.push(decodeURIComponent(r.url()), r.postData() ?? "")),
  });
  for (const hash of ["/list?page=2", "/list?page=3&q=a", "section", "/reset?token=SECRET", "/list?page=3"]) {
    await tab.evaluate((to) => (location.hash = to), hash);
    await pause(30);
  }
  await tab.evaluate(() => setTimeout(() => { throw new Error(`no page at ${location.href}`); }));
  await pause(50);
  await leave();
  await story("hash routes", session, [
    "exit /hashes/list", "exit /hashes/list", "exit /hashes/reset", "pageview /hashes/list", "pageview /hashes/list", "pageview /hashes/reset",
  ]);
  assert.ok(sent.some((text) => text.includes("/hashes/reset")), "what is sent is looked at");
  assert.deepEqual(sent.filter((text) => /SECRET|page=3/.test(text)), [], "the query of a hash route");
}

/** A router that replaces /docs by /docs/ when it starts. */
async function trailingSlash() {
  const { session, leave } = await visit("/docs", { prepare: (tab) => tab.addInitScript(() => addEventListener("load", () => history.replaceState({}, "", "/docs/"))) });
  await leave();
  await story("a trailing slash", session, ["exit /docs", "pageview /docs"]);
}

/** A tab that is opened in the background: nothing until it is looked at. */
async function background() {
  const sent = [];
  const { tab, leave } = await visit("/background", {
    prepare: async (tab, context) => {
      context.on("request", (r) => r.method() === "POST" && sent.push(r.url()));
      await tab.addInitScript(() => {
        let state = "hidden";
        Object.defineProperty(document, "visibilityState", { get: () => state });
        window.look = () => {
          state = "visible";
          document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
        };
      });
    },
  });
  await tab.evaluate(() => databuddy.track("too_early"));
  await pause(300);
  assert.deepEqual([sent, await tab.evaluate(() => localStorage.length)], [[], 0], "a background tab sends and stores nothing");
  await tab.evaluate(() => look());
  const session = await tab.evaluate(() => localStorage.getItem("did_session"));
  await leave();
  await story("a background tab that is looked at", session, ["event too_early", "exit /background", "pageview /background"]);
}

/** Two documents, each with a return from the browser's cache of pages. */
async function cached() {
  for (const _ of [1, 2]) {
    const { tab, leave } = await visit("/cached");
    await tab.click("#buy");
    await tab.evaluate(async () => {
      const settle = () => new Promise((then) => requestAnimationFrame(() => setTimeout(then, 100)));
      await settle();
      dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      await settle();
    });
    await leave();
  }
  await expect("vitals of documents that came back", [["FCP", 2], ["LCP", 2], ["TTFB", 2]], async () =>
    (await rows("vitals_overview", filter("path", "/cached"), (r) => [r.metric_name, r.samples])).filter(([name]) => !/CLS|INP/.test(name)));
}

async function errors() {
  const { tab, leave } = await visit("/errors");
  await tab.evaluate(() => {
    setTimeout(() => null.price);
    Promise.reject(new RangeError("too much"));
  });
  await expect("errors", [["Uncaught TypeError: Cannot read properties of null (reading 'price')", "TypeError", 1], ["too much", "UnhandledRejection", 1]], async () =>
    (await rows("errors", filter("path", "/errors"), (r) => [r.message, r.error_type, r.count])).sort());
  await leave();
}

async function vitals() {
  const { tab, leave } = await visit("/vitals");
  await tab.click("#buy");
  await tab.evaluate(() => new Promise((then) => requestAnimationFrame(() => setTimeout(then, 100))));
  await leave();
  await expect("web vitals", ["FCP", "LCP", "CLS", "INP", "TTFB"].map((name) => [name, 1]), () =>
    rows("vitals_overview", filter("path", "/vitals"), (r) => [r.metric_name, r.samples]));
}

async function closing() {
  const { leave, session } = await visit("/close");
  await leave();
  await story("a closed tab", session, ["exit /close", "pageview /close"]);
}

/** Browsers of phones end hidden pages without a word. */
async function phone() {
  const { tab, leave, session } = await visit("/phone", { isMobile: true, hasTouch: true });
  await tab.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  });
  await story("a page hidden on a phone", session, ["exit /phone", "pageview /phone"]);
  await leave();
}

async function calls() {
  const { tab, leave, session } = await visit("/attributes");
  await tab.evaluate(() => {
    databuddy.setGlobalProperties({ plan: "team" });
    db.track("signed_up", { seats: 3 });
  });
  await tab.click("#buy");
  await tab.evaluate(() => databuddy.flush());
  await expect("properties", [["bought", "plan", "team"], ["bought", "size", "L"], ["signed_up", "plan", "team"], ["signed_up", "seats", "3"]], async () =>
    (await rows("custom_event_properties", [{ field: "event_name", op: "in", value: ["bought", "signed_up"] }], (r) => [r.name, r.property_key, r.property_value])).sort());
  const identified = tab.waitForResponse((r) => r.url().includes("/identify"));
  await tab.evaluate(() => {
    databuddy.identify("user_7", { name: "Ada" });
    databuddy.identify("user_7", { name: "Ada" }); // the same call as before
    databuddy.track("logged_in");
  });
  assert.equal((await identified).status(), 200, "identify");
  await expect("who it is", ["", "user_7"], async () => (await rows("profile_list", filter("path", "/attributes"), (r) => r.profile_id)).sort());
  // Half an hour later.
  await tab.evaluate(() => {
    localStorage.setItem("did_session_timestamp", Date.now() - 31 * 60_000);
    databuddy.track("came_back");
  });
  const later = await tab.evaluate(() => localStorage.getItem("did_session"));
  await leave();
  await story("before a pause", session, ["event bought", "event logged_in", "event signed_up", "exit /attributes", "pageview /attributes"]);
  await story("after it", later, ["event came_back", "exit /attributes", "pageview /attributes"]);
}

async function paths() {
  for (const [path, want] of [["/users/7/orders", ["exit /users/*/orders", "pageview /users/*/orders"]], ["/hash#/cart", ["exit /hash/cart", "pageview /hash/cart"]]]) {
    const { leave, session } = await visit(path);
    await leave();
    await story(path, session, want);
  }
}

async function silence() {
  const silent = {
    "/private": undefined,
    "/gpc": (tab) => tab.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true })),
    "/dnt": (tab) => tab.addInitScript(() => Object.defineProperty(navigator, "doNotTrack", { value: "1" })),
    "/out-out": (tab) => tab.addInitScript(() => localStorage.setItem("databuddy_opt_out", "true")),
  };
  for (const [path, prepare] of Object.entries(silent)) {
    const sent = [];
    const { tab, leave } = await visit(path, {
      prepare: async (tab, context) => {
        context.on("request", (r) => r.method() === "POST" && sent.push(r.url()));
        await prepare?.(tab);
      },
    });
    await tab.evaluate(() => window.databuddy.track("nothing"));
    await pause(150);
    await leave();
    assert.deepEqual(sent, [], path);
  }
}

async function trouble() {
  let left = 2;
  const { leave, session } = await visit("/trouble", {
    prepare: (tab, context) => context.route("**/batch?*", (route) => (left-- > 0 ? route.fulfill({ status: 503, headers: { "Access-Control-Allow-Origin": "*" } }) : route.continue())),
  });
  await expect("it is well again after three requests", true, () => left < 0);
  await leave();
  await story("a service in trouble", session, ["exit /trouble", "pageview /trouble"]);
}

async function sdk() {
  const { tab, leave } = await visit("/sdk");
  await tab.evaluate(async ({ trackAddress, websiteId }) => {
    const { createScript, track } = await import("/node_modules/@databuddy/sdk/dist/core/index.mjs");
    document.head.append(createScript({ clientId: websiteId, apiUrl: trackAddress, scriptUrl: `${trackAddress}/tracker.js`, ignoreBotDetection: true, batchTimeout: 100 }));
    track("by_the_sdk");
  }, service);
  await tab.waitForFunction(() => window.databuddy);
  const session = await tab.evaluate(() => sessionStorage.getItem("did_session"));
  await expect("an event of the SDK", [["by_the_sdk", 1]], () => rows("custom_events", filter("event_name", "by_the_sdk"), (r) => [r.name, r.total_events]));
  await leave();
  await story("the SDK's page", session, ["event by_the_sdk", "exit /sdk", "pageview /sdk"]);
}

/** All tests, in Chromium. */
async function everything() {
  const began = Date.now();
  await Promise.all([
    navigation(), routes(), outgoing(), errors(), vitals(), closing(), phone(), calls(), paths(), silence(), trouble(), sdk(),
    keptLinks(), slowPage(), tracing(), wrongClock(), tabs(), hashRoutes(), trailingSlash(), background(), cached(),
  ]);
  await expect("all pages", [[37, 26]], () => rows("summary_metrics", [], (r) => [r.pageviews, r.visitors]));
  const asked = await again();
  const visited = Date.now();
  await faults();
  console.log(`${asked} answers in ${visited - began} ms, faults in ${Date.now() - visited} ms`);
}

try {
  if (!service.firefox) await everything();
  const began = Date.now();
  const lives = await walks();
  console.log(`${lives} walks in ${Date.now() - began} ms, ${service.firefox ? "Firefox" : "Chromium"} ${browser.version()}`);
} finally {
  await close();
}
