// The tracker sends what it may, with the right ids, and loses nothing: rows by the number of the fault.
import assert from "node:assert/strict";
import { expect, filter, pause, rows, script, serve, service, shop, stored, story, tag } from "./tracker-shop.mjs";
import { count, to, watch } from "./tracker-watch.mjs";

export const counts = {
  async "T7 what is masked or skipped never leaves the browser"() {
    const patterns =
      `data-skip-patterns='["/k%C3%BCche","/admin/*","/geheim/"]' ` +
      `data-mask-patterns='["/users/*","/stra%c3%9fe/*"]' data-strip-links="false"`;
    const { tab, sent, leave, session } = await watch("/k%c3%bcche", { attributes: patterns });
    await tab.evaluate(async () => {
      document.title = "Shop";
      const fail = (text) =>
        new Promise((then) =>
          setTimeout(() => {
            setTimeout(then);
            throw new Error(text);
          }),
        );
      await fail("on a skipped page");
      history.pushState({}, "", "/t7/b");
      await fail(
        `no page at ${location.origin}/admin/x or /admin/x, ${location.origin}/users/SECRET?token=SECRET or '/users/SECRET'`,
      );
      history.pushState({}, "", "/stra%C3%9Fe/SECRET/x");
      history.pushState({}, "", "/geheim");
      databuddy.track("on_a_skipped_page");
      history.pushState({}, "", "/admin/");
      history.pushState({}, "", "/t7/c");
      for (const href of [
        "http://www.shop.example/users/SECRET",
        "http://www.shop.example/admin/SECRET",
        "http://www.partner.example/users/7?x=1",
      ]) {
        const link = Object.assign(document.createElement("a"), { href });
        document.body.append(link);
        link.addEventListener("click", (e) => e.preventDefault());
        link.click();
      }
    });
    await leave();
    await story("masks", session, [
      "click http://www.partner.example/users/7?x=1",
      "click http://www.shop.example/",
      "click http://www.shop.example/users/*",
      "exit /straße/*/x",
      "exit /t7/b",
      "exit /t7/c",
      "pageview /straße/*/x",
      "pageview /t7/b",
      "pageview /t7/c",
    ]);
    const text = sent.join("\n");
    assert.ok(text.includes("/t7/c"), "what is sent is looked at");
    assert.deepEqual(text.match(/.{0,60}(SECRET|admin|geheim|k%C3%BCche|küche).{0,20}/gi), null);

    // The skipped page is the referrer of a new document.
    const first = await watch("/admin/first", { attributes: patterns });
    serve("/t7/next", patterns);
    await first.tab.goto(`${shop}/t7/next`, { referer: `${shop}/admin/first` });
    await expect("a page after a skipped one", 1, count("/t7/next"));
    await first.leave();
    assert.deepEqual(first.sent.join("\n").match(/.{0,60}admin.{0,20}/gi), null);
  },

  async "T8 ids of an address are short-lived"() {
    const ids = "anonId=anon_0123456789&sessionId=sess_0123456789";
    const open = async (query) => {
      const { tab, context } = await watch(`/t8${query}`);
      const stored = await tab.evaluate(() => [localStorage.getItem("did"), localStorage.getItem("did_session")]);
      await context.close();
      return stored;
    };
    const adopted = ["anon_0123456789", "sess_0123456789"];
    const passed = await Promise.all([1, 2, 3].map(() => open(`?${ids}`)));
    assert.equal(new Set(passed.flat()).size, 6, "an address that three people open");
    assert.deepEqual(await open(`?${ids}&idsAt=${Date.now()}`), adopted, "a fresh link");
    for (const at of [Date.now() - 5 * 3_600_000, Date.now() - 130_000, Date.now() + 3_600_000, "x", ""]) {
      const got = await open(`?${ids}&idsAt=${at}`);
      assert.ok(got[0] !== adopted[0] && got[1] !== adopted[1], `a link of ${at}`);
    }
    const { tab, context } = await watch("/t8/from");
    const link = await tab.evaluate(() => [
      localStorage.getItem("did"),
      localStorage.getItem("did_session"),
      String(new URLSearchParams(databuddy.getTrackingIds())),
    ]);
    await context.close();
    assert.deepEqual(await open(`?${link[2]}`), link.slice(0, 2), "a link by the tracker's ids");
  },

  async "T9 an exit has the ids of its view"() {
    const { tab, leave, session } = await watch("/t9/a");
    await expect("a view before clear", 1, count("/t9/a"));
    await tab.evaluate(() => {
      databuddy.clear();
      history.pushState({}, "", "/t9/b");
    });
    const [next, visitor] = await tab.evaluate(() => [
      localStorage.getItem("did_session"),
      localStorage.getItem("did"),
    ]);
    await leave();
    await story("before clear", session, ["exit /t9/a", "pageview /t9/a"]);
    await story("after clear", next, ["exit /t9/b", "pageview /t9/b"]);
    await expect("its visitors", [1, 1], async () => {
      const all = (await stored()).filter((row) => row.path.startsWith("/t9/"));
      return ["/t9/a", "/t9/b"].map(
        (path) => new Set(all.filter((row) => row.path === path).map((row) => row.anonymous_id)).size,
      );
    });
    assert.notEqual(visitor, null);
  },

  async "T10 the page's own address holds no options"() {
    for (const kind of ["", ` type="module"`]) {
      const name = kind ? "module" : "inline";
      const attributes = `data-client-id="${service.websiteId}" data-api-url="${service.trackAddress}"`;
      const text = script.replaceAll("</script", "<\\/script");
      const head = `<script${kind} ${attributes} data-ignore-bot-detection data-batch-timeout="100">${text}</script>`;
      const { tab, leave, session, thrown, sent } = await watch(`/t10/${name}`, { head });
      await leave();
      await story(name, session, [`exit /t10/${name}`, `pageview /t10/${name}`]);
      const hostile = await watch(`/t10/${name}?apiUrl=http://other.example&disabled=1&filter=red&clientId=web_x`, {});
      await hostile.leave();
      await story(`${name}, hostile`, hostile.session, [`exit /t10/${name}`, `pageview /t10/${name}`]);
      assert.deepEqual(
        [
          ...thrown,
          ...hostile.thrown,
          ...[...sent, ...hostile.sent].filter((text) => !text.startsWith(service.trackAddress)),
        ],
        [],
      );
    }
    const head = tag()
      .replace(`.js"`, `.js?filter=red&sampling-rate=x"`)
      .replace(/ integrity="[^"]*"/, "");
    const { leave, session, said } = await watch("/t10/query", { head });
    await leave();
    await story("wrong options in the script's address", session, ["exit /t10/query", "pageview /t10/query"]);
    assert.deepEqual(said, ["Sightline: check the option samplingRate", "Sightline: check the option filter"]);
  },

  async "T11 a page without network keeps its views"() {
    const { tab, context, leave, session } = await watch("/t11/a", { attributes: `data-initial-retry-delay="50"` });
    await expect("a page with network", 1, count("/t11/a"));
    await context.setOffline(true);
    const failed = [];
    context.on("requestfailed", (r) => failed.push(r.url()));
    await to(tab, "/t11/b");
    await expect("attempts without network", true, () => failed.length >= 4); // the first one and three repetitions
    await to(tab, "/t11/c");
    await context.setOffline(false);
    await story("back in the network", session, [
      "exit /t11/a",
      "exit /t11/b",
      "pageview /t11/a",
      "pageview /t11/b",
      "pageview /t11/c",
    ]);
    await leave();
    await story("after a time without network", session, [
      "exit /t11/a",
      "exit /t11/b",
      "exit /t11/c",
      "pageview /t11/a",
      "pageview /t11/b",
      "pageview /t11/c",
    ]);
  },

  async "T11 the network's return ends the wait for a repetition, and a wait that the server asked for stays"() {
    const change = (broken) => {
      if (broken) window.fetch = () => Promise.reject(new TypeError("no fetch"));
    };
    for (const broken of [false, true]) {
      const path = `/t11/early/${broken}`;
      const attributes = `data-initial-retry-delay="60000"`;
      const { tab, context } = await watch(path, { attributes, change, argument: broken });
      await expect(`${path}, with network`, 1, count(path));
      await context.setOffline(true);
      await to(tab, `${path}/next`);
      await pause(300);
      await context.setOffline(false);
      await expect(`${path}, back in the network`, 1, count(`${path}/next`));
      await context.close();
    }
    let asked = 0;
    const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*", "Retry-After": "3" };
    const { tab, leave } = await watch("/t11/busy", {
      prepare: (_, context) =>
        context.route("**/batch?*", (route) =>
          asked++ === 0 ? route.fulfill({ status: 503, headers }) : route.continue(),
        ),
    });
    await expect("a busy server", 1, () => asked);
    const since = Date.now();
    await tab.evaluate(() => dispatchEvent(new Event("online")));
    await expect("after the wait", 1, count("/t11/busy"));
    assert.ok(Date.now() - since > 2000, "a request before the time that the server gave");
    await leave();
  },

  async "T11 a session that begins in an open page has a view and a source"() {
    const { tab, leave } = await watch("/t11/idle?utm_campaign=spring", { clock: true });
    await tab.clock.fastForward(60 * 60_000);
    await tab.evaluate(() => databuddy.track("purchase"));
    const session = await tab.evaluate(() => localStorage.getItem("did_session"));
    await tab.clock.runFor(200);
    await leave();
    await story("an hour later", session, ["event purchase", "exit /t11/idle", "pageview /t11/idle"]);
    await expect("its source", [["google.com", 1]], () =>
      rows("sessions", filter("session_id", session), (r) => [r.source, r.page_views]),
    );
    await expect("its campaign", ["spring"], () => rows("utm_campaigns", filter("session_id", session), (r) => r.name));
  },

  async "T11 routers of the Navigation API"() {
    const { tab, leave, session } = await watch("/t11/nav/1");
    await tab.evaluate(async () => {
      navigation.addEventListener("navigate", (e) => e.canIntercept && e.intercept({ handler: async () => {} }));
      for (const n of [2, 3, 4]) await navigation.navigate(`/t11/nav/${n}`).finished;
    });
    await leave();
    await story(
      "the Navigation API",
      session,
      [1, 2, 3, 4].flatMap((n) => [`exit /t11/nav/${n}`, `pageview /t11/nav/${n}`]).sort(),
    );
  },

  async "T11 a cookie makes subdomains one visitor"() {
    serve("/t11/www", `data-cookie-domain="shop.example"`);
    const { tab, context, leave, said } = await watch("/t11/bare", { attributes: `data-cookie-domain="shop.example"` });
    await expect("the first domain", 1, count("/t11/bare"));
    await tab.goto("http://www.shop.example/t11/www", { referer: `${shop}/t11/bare` });
    await leave();
    await expect("two domains, one visitor", [[2, 1, 1]], () =>
      rows("summary_metrics", [{ field: "path", op: "in", value: ["/t11/bare", "/t11/www"] }], (r) => [
        r.pageviews,
        r.visitors,
        r.sessions,
      ]),
    );
    assert.deepEqual(said, []);
    await context.close();

    const out = await watch("/t11/bare");
    await expect("before an opt-out", 3, count("/t11/bare"));
    await out.tab.evaluate(() => databuddyOptOut());
    const before = out.sent.length;
    await out.tab.goto("http://www.shop.example/t11/www");
    assert.deepEqual((await out.context.cookies()).map(({ name }) => name).sort(), [
      "databuddy_disabled",
      "databuddy_opt_out",
    ]);
    await out.leave();
    assert.deepEqual(out.sent.slice(before), [], "an opt-out on the other domain");

    const wrong = await watch("/t11/wrong", { attributes: `data-cookie-domain="other.example"` });
    assert.deepEqual(wrong.said, ["Sightline: check the option cookieDomain"]);
    await wrong.leave();
  },
};
