// Sends events: they wait in batches, failed requests are repeated, and when the page is hidden the rest is
// sent by beacon. Every event has an id, so an event that arrives twice counts once.

const mostItems = 20; // items in one request, for the route with the lowest limit
const mostBytes = 60_000; // bytes in one beacon; browsers allow 64 KiB
const again = (status) => status === 408 || status === 425 || status === 429 || status >= 500;
const bytes = (text) => new TextEncoder().encode(text).length;

/** Splits items into JSON arrays that are small enough for a request and a beacon. */
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

/** Returns a sender. It calls seal before it sends events, to complete them. */
export function sender(o, seal) {
  const queues = new Map(); // route → events
  const failed = new Set(); // requests that failed and were not answered yet
  let timer;

  // The server uses the time of sending to correct the times of the events.
  const url = (route) =>
    `${o.apiUrl}/${route}?${route === "track" ? "website_id" : "client_id"}=${encodeURIComponent(o.clientId)}&sent_at=${Date.now()}`;

  /**
   * Sends a JSON body, and repeats it after temporary failures. A page may have replaced fetch by one that always
   * fails, for example because of headers that need a preflight. A beacon has no such headers.
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

  /** Sends the waiting events of one route, or of all routes. */
  function flush(route, send = post) {
    seal();
    for (const name of route ? [route] : [...queues.keys()]) {
      const items = queues.get(name) ?? [];
      queues.delete(name);
      for (const body of chunks(items)) send(name, body);
    }
  }

  // The load time of a page is known when the page has loaded.
  function onTime() {
    timer = undefined;
    if (document.readyState === "complete") flush();
    else addEventListener("load", () => setTimeout(flush), { once: true });
  }

  return {
    post,
    flush: () => flush(),
    /** Queues an event. It is sent when a full batch waits for its route, or after a delay. */
    add(route, event, most = o.batchSize) {
      if (o.filter && !o.filter(event)) return;
      const items = queues.get(route) ?? [];
      queues.set(route, [...items, event]);
      if (!o.enableBatching || items.length + 1 >= most) flush(route);
      else timer ??= setTimeout(onTime, o.batchTimeout);
    },
    /** Sends everything immediately, because the page may be closed. */
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
