// The tracker does not hurt pages and heeds their visitors: rows by the number of the fault.
import assert from "node:assert/strict";
import { expect, filter, leave, rows, shop, stored, story } from "./tracker-shop.mjs";
import { count, pass, show, to, watch } from "./tracker-watch.mjs";

export const manners = {
  async "T1 a phone: a view lives through hides and shows"() {
    const { tab, session, leave } = await watch("/t1", {
      clock: true,
      isMobile: true,
      hasTouch: true,
      attributes: "data-track-interactions",
    });
    await tab.clock.runFor(1500);
    await show(tab, "hidden");
    await tab.clock.runFor(500);
    await show(tab, "visible");
    await tab.clock.runFor(6000);
    await tab.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await tab.evaluate(() => dispatchEvent(new Event("scroll")));
    await tab.clock.runFor(6000);
    await leave();
    await story("a phone", session, ["exit /t1", "exit /t1", "pageview /t1"]);
    // 13.5 s on the page, and 14 s between its first and last event, which the server knows if it hears of them late.
    await expect("its session", [[true, false]], () =>
      rows("sessions", filter("session_id", session), (r) => [r.duration >= 13.5 && r.duration <= 14, r.bounced]),
    );
    await expect("its scrolling", [100], () =>
      rows("engagement", filter("session_id", session), (r) => r.avg_scroll_depth),
    );
    await expect("its bounce rate", [0], () =>
      rows("summary_metrics", filter("session_id", session), (r) => r.bounce_rate),
    );
    await expect(
      "its exits",
      [
        [1500, 0],
        [12_000, 100],
      ],
      async () =>
        (await stored())
          .filter((row) => row.path === "/t1" && row.name === "page_exit")
          .map((row) => [row.time_on_page, row.scroll_depth])
          .sort((a, b) => a[0] - b[0]),
    );
  },

  async "T2 an opt-out counts for all tabs and for pages in the cache"() {
    const { tab, context, sent, session } = await watch("/t2/a");
    const cached = await context.newPage();
    await cached.goto(`${shop}/t2/cached`);
    await story("before the opt-out", session, ["pageview /t2/a", "pageview /t2/cached"]);
    await pass(cached, "pagehide");
    const other = await context.newPage();
    await other.goto(`${shop}/t2/b`);
    await story("the page in the cache", session, [
      "exit /t2/cached",
      "pageview /t2/a",
      "pageview /t2/b",
      "pageview /t2/cached",
    ]);
    await tab.evaluate(() => databuddyOptOut());
    const before = sent.length;
    // The ids leave the storage: also the other tabs must not write them again.
    for (const each of [tab, other, cached]) {
      await each.evaluate(() => {
        databuddy.track("after_no");
        databuddy.identify("somebody");
        databuddy.flush();
        history.pushState({}, "", "/t2/after");
      });
    }
    await pass(cached, "pageshow");
    await show(other, "hidden");
    for (const each of [cached, other]) await leave(each);
    assert.deepEqual(await tab.evaluate(() => [Object.keys(localStorage).sort(), Object.keys(sessionStorage)]), [
      ["databuddy_disabled", "databuddy_opt_out"],
      [],
    ]);
    assert.deepEqual(
      await tab.evaluate(() => (({ anonId, sessionId }) => [anonId, sessionId])(databuddy.getTrackingIds())),
      [null, null],
    );
    await leave(tab);
    assert.deepEqual(sent.slice(before), [], "requests after the opt-out");
    await story("after the opt-out", session, [
      "exit /t2/cached",
      "pageview /t2/a",
      "pageview /t2/b",
      "pageview /t2/cached",
    ]);
  },

  async "T2 a page from the cache asks again, since it heard nothing"() {
    const { tab, sent, leave } = await watch("/t2/alone");
    await pass(tab, "pagehide");
    await expect("a page in the cache", 2, count("/t2/alone"));
    const before = sent.length;
    await tab.evaluate(() => localStorage.setItem("databuddy_opt_out", "true"));
    await pass(tab, "pageshow");
    await leave();
    assert.deepEqual(sent.slice(before), [], "requests after the opt-out");
  },

  async "T3 an opt-out without storage stops the page"() {
    const without = (how) =>
      Object.defineProperty(window, "localStorage", {
        get: () => {
          if (how === "throws") throw new DOMException("denied", "SecurityError");
          return null;
        },
      });
    for (const how of ["throws", "null"]) {
      const path = `/t3/${how}`;
      const { tab, thrown, sent, leave } = await watch(path, { change: without, argument: how });
      await expect(path, 1, count(path));
      await tab.evaluate(() => databuddyOptOut());
      const before = sent.length;
      await tab.evaluate(() => databuddy.track("after_no"));
      await to(tab, "/t3/after");
      await leave();
      assert.deepEqual([thrown, sent.slice(before)], [[], []], path);
    }
  },

  async "T5 wrong options and a throwing filter do not reach the page"() {
    const { tab, thrown, said, leave, session } = await watch("/t5/a", {
      attributes: `data-skip-patterns="/admin/*" data-batch-size="many" data-track-interactions`,
    });
    await tab.evaluate(() => {
      history.pushState({}, "", "/admin/secret");
      history.pushState({}, "", "/t5/b");
    });
    await leave();
    await story("wrong options", session, ["exit /t5/a", "exit /t5/b", "pageview /t5/a", "pageview /t5/b"]);
    assert.deepEqual(
      [thrown, said],
      [[], ["Sightline: check the option batchSize", "Sightline: check the option skipPatterns"]],
    );

    const filtered = await watch("/t5/filter", {
      attributes: "data-track-interactions",
      change: () => {
        window.databuddyConfig = {
          filter: (event) => {
            if (!event.name) throw new TypeError("no name");
            return event.name.length > 0;
          },
        };
      },
    });
    await filtered.tab.evaluate(() => {
      history.pushState({}, "", "/t5/more");
      document.body.click();
    });
    await filtered.leave();
    await story("a throwing filter", filtered.session, [
      "exit /t5/filter",
      "exit /t5/more",
      "pageview /t5/filter",
      "pageview /t5/more",
    ]);
    assert.deepEqual([filtered.thrown, filtered.said], [[], ["Sightline: check the option filter"]]);
  },

  async "T5 calls with any argument return"() {
    const { tab, thrown, leave } = await watch("/t5/calls");
    await tab.evaluate(() => {
      const bad = {
        toString() {
          throw new Error("no text");
        },
        get a() {
          throw new Error("no value");
        },
      };
      for (const call of Object.values(databuddy)) {
        if (typeof call !== "function") continue;
        for (const one of [
          undefined,
          null,
          0,
          Symbol("s"),
          bad,
          1n,
          () => 1,
          new Proxy(
            {},
            {
              ownKeys() {
                throw new Error("no keys");
              },
            },
          ),
        ])
          call(one, one);
      }
      for (const wrong of [1, null, "x"])
        try {
          history.pushState({}, "", "http://other.example/");
        } catch (error) {
          if (error.name !== "SecurityError") throw error;
        }
    });
    await leave();
    assert.deepEqual(thrown, []);
  },

  async "T6 a value that JSON cannot hold costs only itself"() {
    const { tab, leave, session } = await watch("/t6");
    await tab.evaluate(() => {
      const ring = {};
      ring.ring = ring;
      databuddy.track("good", { n: 1 });
      databuddy.track("big", { n: 1n, kept: "yes" });
      databuddy.track("ring", { ring, kept: "yes" });
      databuddy.track("getter", {
        get bad() {
          throw new Error("no");
        },
      });
    });
    await leave();
    await story("values without JSON", session, [
      "event big",
      "event getter",
      "event good",
      "event ring",
      "exit /t6",
      "pageview /t6",
    ]);
    await expect(
      "their properties",
      [
        ["big", "kept", "yes"],
        ["good", "n", "1"],
        ["ring", "kept", "yes"],
      ],
      async () =>
        (
          await rows("custom_event_properties", filter("session_id", session), (r) => [
            r.name,
            r.property_key,
            r.property_value,
          ])
        ).sort(),
    );
  },
};
