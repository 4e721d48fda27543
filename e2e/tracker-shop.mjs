// A shop whose pages have the tracker, a browser that opens them, and queries of what the server counted. The tests of
// the tracker share one of each.
//
//   node tracker.mjs '{"address":…,"trackAddress":…,"key":…,"websiteId":…,"element":…,"chromium":…,"tracker":…}'
//
// element is the output of `sightline websites tag`; the website's domain is shop.example. tracker is the folder of the
// tracker's source. With firefox, the path of a Firefox, pages are opened in it instead.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, request as ask } from "node:http";
import { query, ready } from "./service.mjs";
import { phone, start } from "./tracker-firefox.mjs";

export const service = ready();
// On loopback addresses browsers send client hints, which contain HeadlessChrome with any user agent. So
// the pages use another name of the service, over HTTP.
const { host } = new URL(service.trackAddress);
service.element = service.element.replaceAll(host, "track.example");
service.trackAddress = service.trackAddress.replace(host, "track.example");
export const shop = "http://shop.example";
const address = service.element.match(/src="([^"]*)"/)[1];
export const script = await (await fetch(address.replace("track.example", host))).text(); // the tracker

export const tag = (attributes = "") =>
  service.element.replace(
    " defer>",
    ` data-ignore-bot-detection data-anonymize-visitor-ids="false" data-batch-timeout="100" ${attributes}>`,
  );
const page = (head) => `<!doctype html><html lang="en"><meta charset="utf-8" /><title>Shop</title>${head}
<h1>A page</h1><a id="next" href="/nav/b">Next</a> <a id="out" href="http://www.partner.example/docs?page=1#top">The  docs</a>
<button id="buy" data-track="bought" data-size="L">Buy</button><p style="height: 4000px">Long</p>`;

const heads = new Map(); // path → head of the page
const files = new Map([
  ["/copy/s.js", script],
  ["/copy/tracker.js", script],
]); // path → text of a script

/** Answers for the shop, and is a proxy for the service. */
const server = createServer(async (request, response) => {
  const { host: named, pathname, search } = new URL(request.url, shop);
  if (named === "track.example") {
    const { method, headers } = request;
    const passed = ask(`http://${host}${pathname}${search}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
    return;
  }
  if (pathname === "/slow.png") await pause(2000);
  const text =
    files.get(pathname) ??
    (pathname.startsWith("/node_modules/")
      ? await readFile(`.${pathname}`)
      : pathname.startsWith("/source/")
        ? await readFile(pathname.replace("/source", service.tracker))
        : undefined);
  response.setHeader(
    "Content-Type",
    text === undefined ? "text/html; charset=utf-8" : "text/javascript; charset=utf-8",
  );
  response.end(text ?? page(heads.get(pathname) ?? tag()));
});
await new Promise((then) => server.listen(0, "127.0.0.1", then));
// The user agent is set for the browser, because the last requests of a page ignore the setting of the page.
const agent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const here = `127.0.0.1:${server.address().port}`;
service.here = `http://${here}`;
const names = ["shop.example", "www.shop.example", "other.example", "www.partner.example", "tauri.localhost"];
export const browser = service.firefox
  ? await start(service.firefox, service.here)
  : await (await import("playwright-core")).chromium.launch({
      executablePath: service.chromium,
      args: [
        "--no-sandbox",
        `--user-agent=${agent}`,
        `--host-resolver-rules=MAP track.example:80 ${host}, ${names.map((name) => `MAP ${name}:80 ${here}`).join(", ")}`,
      ],
    });

export async function close() {
  await browser.close();
  server.close();
}

/** Makes the page at path have the tracker with these attributes, or another head. */
export const serve = (path, attributes, head = tag(attributes)) => void heads.set(path, head);

/**
 * Leaves the page of a tab, and closes the tab. Requests of the first event are seen by the tests, those of a page that
 * is gone are not. Then the page is left before its tab is closed: a browser that closes a tab waits half a second for
 * the events of its page, and on a busy machine it closes it without them.
 */
export async function leave(tab) {
  await tab.evaluate(() => void dispatchEvent(new PageTransitionEvent("pagehide")));
  await tab.evaluate(() => location.replace("about:blank"));
  await tab.waitForURL("about:blank");
  await tab.close();
}

/** Opens path as a new visitor. Errors that the page causes on purpose are expected. */
export async function visit(path, { prepare, until = "load", host = shop, ...options } = {}) {
  const context = await browser.newContext({
    locale: "de-DE",
    timezoneId: "Europe/Berlin",
    viewport: { width: 1280, height: 720 },
    ...options,
  });
  if (service.firefox && options.isMobile) await context.addInitScript(phone);
  const tab = await context.newPage();
  await prepare?.(tab, context);
  await tab.goto(host + path, { referer: "https://www.google.com/search", waitUntil: until });
  return {
    tab,
    context,
    leave: () => leave(tab),
    session: await tab.evaluate(() => globalThis.localStorage?.getItem("did_session")).catch(() => null),
  };
}

export const pause = (ms) => new Promise((then) => setTimeout(then, ms));
export const filter = (field, value) => [{ field, op: "eq", value }];

/** The rows of one query type, as what pick makes of each. */
export async function rows(parameter, filters, pick) {
  const [{ data }] = await query(service, { preset: "last_7d", parameters: [parameter], filters });
  return data.map(pick);
}

/** The stored events of the website, with all their columns. */
export async function stored() {
  const answer = await fetch(`${service.address}/v1/export?website_id=${service.websiteId}&table=events`, {
    headers: { Authorization: `Bearer ${service.key}` },
  });
  assert.equal(answer.status, 200, "an export");
  return (await answer.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((row) => !row.export && !row.mark);
}

const checks = [];

/** Waits until get answers what is wanted; it must still do so at the end. */
export async function expect(name, want, get) {
  checks.push([name, want, get]);
  for (const end = Date.now() + 10_000; ; await pause(30)) {
    const got = await get();
    if (JSON.stringify(got) === JSON.stringify(want)) return;
    if (Date.now() > end) assert.deepEqual(got, want, name);
  }
}

/** Asks all questions of expect again. */
export async function again() {
  for (const [name, want, get] of checks) assert.deepEqual(await get(), want, `${name}, at the end`);
  return checks.length;
}

/** Waits until a session has these events. */
export async function story(name, session, want) {
  assert.ok(session, `${name}: no session`);
  const say = (e) => `${e.kind} ${e.kind === "click" || e.kind === "event" ? e.name : e.path}`;
  await expect(name, want, async () => (await rows("session_events", filter("session_id", session), say)).sort());
}
