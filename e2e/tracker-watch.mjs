// What the tests of the tracker do with a page that they watch: see tracker-shop.mjs.
import { serve, stored, visit } from "./tracker-shop.mjs";

/**
 * Opens path and records what reaches the page and what leaves it: uncaught errors, warnings of the tracker, and the
 * bodies of requests to the server. change runs in the page before the tracker; clock makes the time stand still.
 */
export async function watch(path, { attributes, head, change, argument, clock, ...options } = {}) {
  if (attributes !== undefined || head !== undefined) serve(path, attributes, head);
  const [thrown, said, sent] = [[], [], []];
  const visited = await visit(path, {
    ...options,
    prepare: async (tab, context) => {
      context.on(
        "request",
        (r) => r.method() === "POST" && sent.push(`${decodeURIComponent(r.url())} ${r.postData() ?? ""}`),
      );
      // Firefox reports each failed request as an error.
      tab.on("pageerror", (error) => /^Cross-Origin Request Blocked/.test(error) || thrown.push(String(error)));
      tab.on("console", (message) => /^Sightline/.test(message.text()) && said.push(message.text()));
      if (clock) {
        const now = Date.now();
        await context.clock.install({ time: now - 60_000 }); // it goes until it is paused
        await context.clock.pauseAt(now + 1000);
      }
      if (change) await context.addInitScript(change, argument);
      await options.prepare?.(tab, context);
    },
  });
  return { ...visited, thrown, said, sent };
}

/** Hides or shows a page. */
export const show = (tab, state) =>
  tab.evaluate((to) => {
    Object.defineProperty(document, "visibilityState", { value: to, configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, state);

/** A page goes to the browser's cache of pages, and comes back. */
export const pass = (tab, type) =>
  tab.evaluate((name) => void dispatchEvent(new PageTransitionEvent(name, { persisted: true })), type);

/** Changes the path of a page, as a router does. */
export const to = (tab, path) => tab.evaluate((url) => history.pushState({}, "", url), path);

/** Counts the stored events of a path. */
export const count = (path) => async () => (await stored()).filter((row) => row.path === path).length;

/** The stored events, asked by many tests at once. */
let asking;
export const all = () => (asking ??= stored().finally(() => (asking = undefined)));
