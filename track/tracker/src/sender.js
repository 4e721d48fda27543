// Events on their way: they wait in batches, failed requests are sent again, and when the page is hidden
// the rest is sent by beacon. Every event has an id, so an event that arrives twice counts once.

const mostItems = 20; // of one request; what the strictest route takes
const mostBytes = 60_000; // of one beacon, by the browsers' limit of 64 KiB
const again = (status) => status === 408 || status === 425 || status === 429 || status >= 500;
const bytes = (text) => new TextEncoder().encode(text).length;

/** items as JSON arrays that are each small enough for a request and a beacon. */
function* chunks(items) {
  let texts = [];
  let size = 2;
  for (const text of items.map((item) => JSON.stringify(item))) {
    const more = bytes(text) + 1;
    if (texts.length === mostItems || (texts.length > 0 && size + more > mostBytes)) {
      yield `[${texts}]`;
      texts = [];
      size = 2;
    }
    texts.push(text);
    size += more;
  }
  if (texts.length > 0) yield `[${texts}]`;
}

/** seal is called before events are sent, to complete them. */
export function sender(o, seal) {
  const queues = new Map(); // route → events
  const failed = new Set(); // requests that failed and were not answered since
  let timer;

  // The server corrects the times of the events by the time at which they are sent.
  const url = (route) =>
    `${o.apiUrl}/${route}?${route === "track" ? "website_id" : "client_id"}=${encodeURIComponent(o.clientId)}&sent_at=${Date.now()}`;

  /**
   * Sends a body of JSON, and again if that fails in a way that may pass. A page may have changed fetch so that
   * it always fails, for example by headers that browsers ask about first: a beacon has none.
   */
  async function post(route, body, attempt = 0, request = [route, body]) {
    const ask = async () =>
      fetch(url(route), { method: "POST", body, credentials: "omit", keepalive: !attempt && bytes(body) < mostBytes });
    const answer = await ask().catch(() => null);
    if (!answer && !attempt) navigator.sendBeacon(url(route), body);
    if ((answer && !again(answer.status)) || !o.enableRetries || attempt >= o.maxRetries) {
      failed.delete(request);
      return;
    }
    if (!attempt) failed.add(request);
    const wait = o.initialRetryDelay * 2 ** attempt * (0.85 + 0.3 * Math.random());
    const asked = 1000 * (Number(answer?.headers.get("Retry-After")) || 0);
    setTimeout(() => failed.has(request) && post(route, body, attempt + 1, request), Math.max(wait, asked));
  }

  function beacon(route, body) {
    if (!navigator.sendBeacon(url(route), body)) post(route, body);
  }

  /** Sends what waits for one route, or for all. */
  function flush(route, send = post) {
    seal();
    for (const name of route ? [route] : [...queues.keys()]) {
      const items = queues.get(name) ?? [];
      queues.delete(name);
      for (const body of chunks(items)) send(name, body);
    }
  }

  // The time that a page takes to load is known when it has loaded.
  function onTime() {
    timer = undefined;
    if (document.readyState === "complete") flush();
    else addEventListener("load", () => setTimeout(flush), { once: true });
  }

  return {
    post,
    flush: () => flush(),
    /** Takes an event; it is sent when most of its route wait, or after a while. */
    add(route, event, most = o.batchSize) {
      if (o.filter && !o.filter(event)) return;
      const items = queues.get(route) ?? [];
      queues.set(route, [...items, event]);
      if (!o.enableBatching || items.length + 1 >= most) flush(route);
      else timer ??= setTimeout(onTime, o.batchTimeout);
    },
    /** Sends everything at once; the page may be gone in a moment. */
    leave() {
      flush(undefined, beacon);
      for (const request of failed) beacon(...request);
      failed.clear();
    },
    drop() {
      queues.clear();
      failed.clear();
    },
  };
}
