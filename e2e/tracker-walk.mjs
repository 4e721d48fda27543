// Random lives of pages: they are shown, hidden, frozen, kept in the browser's cache, routed, left, without network,
// with failing interfaces, and their visitors say no and yes. Whatever happens,
//
//   1. no exception of the tracker reaches the page,
//   2. nothing is sent after an opt-out,
//   3. each view that was shown arrives at most once, and exactly once if the network was there,
//   4. the time that the exits of a view report is within a second of the time for which it was visible.
import assert from "node:assert/strict";
import { leave, pause, serve, service, shop } from "./tracker-shop.mjs";
import { all, pass, show, watch } from "./tracker-watch.mjs";

const atOnce = service.firefox ? 1 : 4; // Firefox sometimes fails to open a page while another one closes
const usual = 10;
const found = [114, 20000039]; // seeds that found a fault: the network was back while a request waited

/** Returns a generator of numbers from 0 to below 1. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// What may be wrong with a browser or a page. Half of the pages have nothing.
const ailments = [
  "no beacon",
  "beacon throws",
  "beacon refuses",
  "fetch rejects",
  "fetch throws",
  "storage throws",
  "storage is null",
  "storage is full",
  "no crypto",
];

/** Runs in the page, before the tracker: counts what it sends, and gives the page an ailment. */
function prepare(ailment) {
  window.sends = 0;
  const [beacon, plain] = [navigator.sendBeacon.bind(navigator), window.fetch];
  const set = (target, name, get) => Object.defineProperty(target, name, { get, configurable: true });
  const fail = () => {
    throw new TypeError(ailment);
  };
  navigator.sendBeacon = (...args) => {
    window.sends++;
    if (ailment === "beacon throws") fail();
    return ailment !== "beacon refuses" && beacon(...args);
  };
  window.fetch = (...args) => {
    window.sends++;
    if (ailment === "fetch throws") fail();
    return ailment === "fetch rejects" ? Promise.reject(new TypeError(ailment)) : plain(...args);
  };
  if (ailment === "no beacon") navigator.sendBeacon = undefined;
  if (ailment === "storage throws") set(window, "localStorage", fail);
  if (ailment === "storage is null") set(window, "localStorage", () => null);
  if (ailment === "storage is full") Storage.prototype.setItem = fail;
  if (ailment === "no crypto") set(window, "crypto", () => undefined);
}

/** Lives the life of a page, and returns its views. */
async function walk(seed) {
  const chance = random(seed);
  const below = (n) => Math.floor(chance() * n);
  const pick = (list) => list[below(list.length)];
  const ailment = chance() < 0.5 ? "nothing" : pick(ailments);
  const phone = chance() < 0.5;
  const shares = !/storage/.test(ailment); // the tabs of the browser
  const views = []; // with the visible time in ms; sure if it must arrive, done if its time is known
  const story = [ailment, phone ? "phone" : "desktop"];
  const now = { visible: true, cached: false, out: false, offline: false };
  let steps = 0;
  let view;

  const path = (n) => `/walk/${seed}/${n}`;
  serve(path(0));
  const { tab, context, thrown } = await watch(path(0), {
    clock: true,
    change: prepare,
    argument: ailment,
    isMobile: phone,
    hasTouch: phone,
  });
  const other = await context.newPage(); // of the same site, without the tracker
  await other.goto(`${shop}/walk/other`);

  const open = (name) => {
    view = { path: name, time: 0, sure: true, known: true };
    views.push(view);
  };
  open(path(0));
  const closed = () => {
    if (view && now.offline) view.left = true;
    view = undefined;
  };
  /** What was not sent yet may be lost: waiting views, the exit of the open view, and exits without network. */
  const doubt = () => {
    for (const each of views) {
      if (each.waits || each.left || each === view) each.known = false;
      if (each.waits) each.sure = false;
    }
  };
  const spend = async (ms) => {
    if (view && now.visible && !now.cached) view.time += ms;
    await tab.clock.runFor(ms);
  };
  const silent = async () => {
    const sends = await tab.evaluate(() => window.sends);
    assert.equal(sends, now.sends, "requests after an opt-out");
  };
  const online = async () => {
    if (!now.offline) return;
    await context.setOffline(false);
    now.offline = false;
    for (const each of views) each.waits = each.left = false;
  };
  const mark = () => {
    view.waits = now.offline;
  };

  const acts = {
    wait: [() => true, () => spend(2000 + below(6000))],
    hide: [
      () => now.visible && !now.cached,
      async () => {
        now.visible = false;
        await show(tab, "hidden");
      },
    ],
    show: [
      () => !now.visible && !now.cached,
      async () => {
        now.visible = true;
        await show(tab, "visible");
      },
    ],
    freeze: [
      () => !now.visible && !now.cached,
      async () => {
        await tab.evaluate(() => document.dispatchEvent(new Event("freeze")));
        await spend(1000);
        await tab.evaluate(() => document.dispatchEvent(new Event("resume")));
      },
    ],
    cache: [
      () => !now.cached,
      async () => {
        now.cached = true;
        await pass(tab, "pagehide");
        if (!now.out) closed();
      },
    ],
    restore: [
      () => now.cached,
      async () => {
        now.cached = false;
        if (!now.visible) await show(tab, "visible");
        now.visible = true;
        await pass(tab, "pageshow");
        if (!now.out) {
          open(views.at(-1).path);
          mark();
        }
      },
    ],
    route: [
      () => now.visible && !now.cached,
      async () => {
        const next = path(++steps);
        await tab.evaluate((url) => history.pushState({}, "", url), next);
        if (!now.out) {
          closed();
          open(next);
          mark();
        } else {
          views.push({ path: next, forbidden: true });
        }
      },
    ],
    "opt out": [
      () => !now.out && !now.cached,
      async () => {
        await spend(300);
        doubt();
        closed();
        if (shares && chance() < 0.5) {
          await other.evaluate(() => localStorage.setItem("databuddy_opt_out", "true"));
          await tab.waitForFunction(() => localStorage.getItem("databuddy_opt_out") === "true", undefined, {
            polling: 20,
          });
          await tab.evaluate(() => databuddy.flush()); // asks
        } else {
          await tab.evaluate(() => databuddyOptOut());
        }
        Object.assign(now, { out: true, sends: await tab.evaluate(() => window.sends) });
      },
    ],
    "opt in": [
      () => now.out && !now.cached && !now.offline && shares,
      async () => {
        await tab.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
        await silent();
        await tab.evaluate(() => databuddyOptIn());
        await go();
      },
    ],
    go: [() => !now.out && !now.cached && !now.offline, () => go()],
    offline: [
      () => !now.offline,
      async () => {
        await spend(300);
        await context.setOffline(true);
        now.offline = true;
      },
    ],
    online: [() => now.offline, online],
  };
  async function go() {
    const next = path(++steps);
    serve(next);
    closed();
    await tab.goto(shop + next);
    Object.assign(now, { out: false, visible: true });
    open(next);
    mark();
  }

  try {
    for (let n = 0; n < 14; n++) {
      const [name, [, act]] = pick(Object.entries(acts).filter(([, [possible]]) => possible()));
      story.push(name);
      await act();
      if (now.out) await silent();
    }
    if (now.out) {
      await tab.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
      await silent();
    }
    await online();
    story.push("close");
    await leave(tab);
    assert.deepEqual(thrown, [], "exceptions in the page");
  } catch (error) {
    error.message = `walk ${seed}, ${story.join(", ")}: ${error.message}`;
    throw error;
  }
  return { seed, context, story, views };
}

/** Returns what is wrong with the stored events of a walk; nothing if all laws hold. */
function wrong({ views }, stored) {
  const faults = [];
  for (const path of new Set(views.map((view) => view.path))) {
    const own = views.filter((view) => view.path === path);
    const rows = stored.filter((row) => row.path === path);
    const shown = own.filter((view) => !view.forbidden);
    const arrived = rows.filter((row) => row.name === "screen_view").length;
    const least = shown.filter((view) => view.sure).length;
    if (arrived < least || arrived > shown.length)
      faults.push(`${path}: ${arrived} views, want ${least} to ${shown.length}`);
    const time = shown.reduce((sum, view) => sum + view.time, 0);
    const told = rows.filter((row) => row.name === "page_exit").reduce((sum, row) => sum + row.time_on_page, 0);
    const known = shown.every((view) => view.known);
    if (told > time + 1000 * shown.length || (known && told < time - 1000 * shown.length))
      faults.push(`${path}: ${told} ms, want ${time} ms`);
  }
  return faults;
}

/** Walks, and returns how many times. */
export async function walks() {
  const first = service.seed ?? 1;
  const seeds = Array.from({ length: service.walks || usual }, (_, n) => first + n);
  if (!service.walks) seeds.push(...found);
  const waiting = seeds.values(); // shared
  const work = async () => {
    for (const seed of waiting) {
      const one = await walk(seed);
      let faults;
      for (const end = Date.now() + 10_000; ; await pause(50)) {
        faults = wrong(one, await all());
        if (faults.length === 0 || Date.now() > end) break;
      }
      if (faults.length > 0) throw new Error(`walk ${one.seed}, ${one.story.join(", ")}: ${faults.join("; ")}`);
      await one.context.close();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return seeds.length;
}
