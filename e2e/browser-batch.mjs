// Sends requests like the tracker in a browser: a batch of page events and an outgoing link as text/plain, with an
// origin and without credentials. Then it sends them again, like a retry.
//
//   node browser-batch.mjs "$READY"
//
// READY is the line that `sightline serve --json` prints when it serves.
import { randomUUID } from "node:crypto";
import { check, customEvent, query, ready, unique } from "./service.mjs";

const service = ready();
const site = await website(service);
const path = `/${unique("e2e")}`;
const name = unique("button_clicked");
const visitor = {
  anonymousId: `anon_${randomUUID()}`,
  sessionId: `sess_${randomUUID()}`,
  anonymizeVisitorIds: false,
  sessionStartTime: Date.now() - 5_000,
  path: `https://${site.domain}${path}/?utm_source=e2e`,
  title: "End to end",
  referrer: "https://www.google.com/",
  language: "de-DE",
  timezone: "Europe/Berlin",
  screen_resolution: "1920x1080",
  viewport_size: "1280x720",
  connection_type: "wifi",
};
const now = Date.now();
const batch = [
  {
    type: "track", name: "screen_view", eventId: randomUUID(), timestamp: now - 4_000, ...visitor,
    utm_source: "e2e", utm_medium: "test", load_time: 812.4, dom_ready_time: 500, ttfb: 93,
  },
  { type: "track", name, eventId: randomUUID(), timestamp: now - 2_000, ...visitor, properties: { id: "buy" } },
  { type: "outgoing_link", eventId: randomUUID(), timestamp: now - 1_500, ...visitor, href: "https://example.org/docs", text: "Docs" },
  {
    type: "track", name: "page_exit", eventId: `exit_${randomUUID()}`, timestamp: now - 1_000, ...visitor,
    time_on_page: 3, scroll_depth: 64, interaction_count: 2, page_count: 1,
  },
];

for (const attempt of ["first", "retried"]) {
  const response = await fetch(`${service.trackAddress}/batch?client_id=${service.websiteId}&sdk_name=web&sdk_version=2.0.0`, {
    method: "POST",
    headers: {
      "Content-Type": "text/plain",
      Origin: `https://${site.domain}`,
      "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    },
    body: JSON.stringify(batch),
  });
  const answer = await response.json();
  check(response.status === 200 && answer.status === "success", `${attempt} batch: ${response.status} ${JSON.stringify(answer)}`);
  check(answer.processed === batch.length, `${attempt} batch: ${JSON.stringify(answer)}`);
  check(
    response.headers.get("access-control-allow-origin") === `https://${site.domain}`,
    `${attempt} batch: a browser could not read the answer`,
  );
}

const pages = await query(service, {
  preset: "last_7d",
  parameters: ["pages", "traffic", "browser_name", "sessions"],
  filters: [{ field: "path", op: "eq", value: path }],
});
const [page, traffic, browser, session] = pages.map((result) => result.data);
check(page.length === 1 && page[0].pageviews === 1 && page[0].visitors === 1, `the page: ${JSON.stringify(page)}`);
check(page[0].avg_load_time === 812, `its load time: ${JSON.stringify(page)}`);
check(traffic[0]?.source === "google.com" || traffic[0]?.domain === "google.com", `its referrer: ${JSON.stringify(traffic)}`);
check(browser[0]?.name === "Chrome", `its browser: ${JSON.stringify(browser)}`);
check(session[0]?.session_id === visitor.sessionId && session[0].duration === 3, `its session: ${JSON.stringify(session)}`);

const event = await customEvent(service, name);
check(event?.total_events === 1, `the custom event: ${JSON.stringify(event)}`);

console.log(JSON.stringify({ page: page[0], traffic: traffic[0], session: session[0], event }));

async function website({ address, key, websiteId }) {
  const response = await fetch(`${address}/v1/query/websites`, { headers: { "x-api-key": key } });
  const { websites } = await response.json();
  return websites.find((w) => w.id === websiteId);
}
