// Sends events: they wait in batches, failed requests are repeated, and when the page is hidden the rest is
// sent by beacon. Every event has an id, so an event that arrives twice counts once.

import { about, attempt, beacon, complain, guard, listen, request, text } from "./browser.js";

const mostItems = 20; // items in one request, for the route with the lowest limit
const mostBytes = 60_000; // bytes in one beacon; browsers allow 64 KiB
const mostKept = 50; // requests that wait for the network
const again = /^(408|425|429|5..)$/; // statuses of temporary failures
const bytes = (body) => encodeURIComponent(body).replace(/%../g, "x").length;

/** Splits items into JSON arrays that are small enough for a request and a beacon. Leaves out items without JSON. */
function chunks(items) {
  const all = [];
  let texts = [];
  for (const json of items.map((item) => attempt(() => JSON.stringify(item))).filter(Boolean)) {
    if (!texts[0] || texts.length === mostItems || bytes([texts, json]) > mostBytes) all.push((texts = []));
    texts.push(json);
  }
  return all.map((each) => `[${each}]`);
}

/** Returns a sender. It asks allowed before it queues and sends events, and calls seal to complete them. */
export function sender(o, allowed, seal) {
  const queues = new Map(); // route → events
  const kept = new Set(); // requests without a good answer so far
  let timer;
  let failed; // the filter

  // The server uses the time of sending to correct the times of the events.
  const website = encodeURIComponent(o.clientId);
  const url = (route) =>
    `${o.apiUrl}/${route}?${route === "track" ? "website_id" : "client_id"}=${website}&sent_at=${Date.now()}`;

  const toBeacon = ({ route, body }) => beacon(url(route), body);

  function keep(one) {
    kept.add(one);
    if (kept.size > mostKept) kept.delete(kept.values().next().value);
  }

  /**
   * Sends a request after so many tries, and repeats it after temporary failures. A page may have replaced fetch by one
   * that always fails, for example because of headers that need a preflight. A beacon has no such headers.
   */
  async function deliver(one, tries = 0) {
    if (!allowed()) return;
    keep(one);
    one.first = !tries; // and on its way: this request outlives the page
    one.busy = true; // true, the timer of a repetition that may be sent earlier, or false after the last one
    const answer = await request(url(one.route), one.body, one.first && bytes(one.body) < mostBytes);
    if (!kept.has(one)) return;
    if (!answer && one.first) toBeacon(one);
    if ((answer && !again.test(answer.status)) || !o.enableRetries) {
      kept.delete(one);
      if (answer) resend(); // the network is back
      return;
    }
    one.first = one.busy = false;
    if (tries >= o.maxRetries) return;
    const wait = o.initialRetryDelay * 2 ** tries * (0.85 + 0.3 * Math.random());
    const asked = 1000 * attempt(() => answer.headers.get("Retry-After")) || 0;
    const timer = setTimeout(() => kept.has(one) && deliver(one, tries + 1), Math.max(wait, asked));
    one.busy = asked > 0 || timer;
  }

  /**
   * Sends the requests again whose repetitions all failed. With early, also those that wait for a repetition, unless
   * the server asked for the wait.
   */
  function resend(early) {
    for (const one of kept) {
      if (early ? one.busy === true : one.busy) continue;
      clearTimeout(one.busy);
      deliver(one, early ? 0 : 1);
    }
  }

  /** Sends the waiting events of one route, or of all routes. */
  function flush(route, hand = deliver) {
    if (!allowed()) return;
    seal();
    for (const name of route ? [route] : [...queues.keys()]) {
      const items = queues.get(name) ?? [];
      queues.delete(name);
      for (const body of chunks(items)) hand({ route: name, body });
    }
  }

  // The load time of a page is known when the page has loaded.
  function onTime() {
    timer = undefined;
    if (text("readyState") === "complete") flush();
    else listen(window, "load", () => setTimeout(guard(flush)), { once: true });
  }

  function wanted(event) {
    try {
      return !o.filter || o.filter(event);
    } catch {
      failed ??= complain("filter") ?? true;
      return false;
    }
  }

  listen(window, "online", resend);

  return {
    flush: () => flush(),
    post: (route, body) => deliver({ route, body }),
    resend,
    /** Queues an event. It is sent when a full batch waits for its route, or after a delay. */
    add(route, event, most = o.enableBatching ? o.batchSize : 1) {
      if (!allowed() || !wanted(event)) return;
      const items = queues.get(route) ?? [];
      queues.set(route, [...items, event]);
      if (items.length + 1 >= most) flush(route);
      else timer ??= setTimeout(guard(onTime), o.batchTimeout);
    },
    /** Sends everything immediately, because the page may be closed. */
    leave() {
      if (!allowed()) return;
      const late = [...kept].filter((one) => !one.first);
      flush(undefined, (one) => {
        if (about("onLine") === false) keep(one);
        if (!toBeacon(one)) deliver(one);
      });
      for (const one of late) if (!toBeacon(one)) request(url(one.route), one.body, true);
    },
    drop() {
      queues.clear();
      kept.clear();
    },
  };
}
