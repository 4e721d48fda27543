// Short links, uptime, flags, the map of countries, and details of errors and web vitals: see panel-page.mjs.
import assert from "node:assert/strict";
import { accessible, address, everywhere, number, open, picture, run, service, settled } from "./panel-page.mjs";
import { query } from "./service.mjs";

const timezone = "Europe/Berlin";
const day = (before) => new Intl.DateTimeFormat("sv-SE", { timeZone: timezone }).format(Date.now() - before * 86_400_000);
const dates = { from: day(14), to: day(1) }; // days that are over, since the demo goes on
const range = { startDate: dates.from, endDate: dates.to };

/** The results of a question about a short link or monitor. */
async function about(subject, parameters) {
  const response = await fetch(`${service.address}/v1/query?${new URLSearchParams({ ...subject, timezone })}`, {
    method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${service.key}` }, body: JSON.stringify({ ...range, granularity: "daily", parameters }),
  });
  const answer = await response.json();
  assert.ok(answer.data.every(({ success }) => success), JSON.stringify(answer));
  return answer.data.map(({ data }) => data);
}

const site = async (parameters, filters = []) => (await query(service, { timezone, ...range, parameters, filters })).map(({ data }) => data);
const card = (tab, title) => tab.locator(".card").filter({ has: tab.locator(`h2:text-is("${title}")`) });
const rows = (where) => where.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => (cell.querySelector(":scope > span, :scope > a") ?? cell).textContent)));
const percent = (n) => new Intl.NumberFormat("en-GB", { style: "percent", maximumFractionDigits: 1 }).format(n / 100);
const ms = (n) => `${Math.round(n).toLocaleString("en-GB")}\u00a0ms`;

/** The seconds of a duration such as 1 h 20 min. */
const seconds = (text) => [...text.matchAll(/([\d,]+)\u00a0(h|min|s)/g)].reduce((sum, [, n, unit]) => sum + number(n) * { h: 3600, min: 60, s: 1 }[unit], 0);

async function first(tab, key = "Home") {
  await tab.getByRole("slider").focus();
  await tab.keyboard.press(key);
  return tab.getByRole("slider").getAttribute("aria-valuetext");
}

await run({
  async "the live section counts minutes, renews itself, and opens visits"() {
    const id = `${Date.now()}`, tab = await open({}, { viewport: { width: 1440, height: 900 } });
    await settled(tab);
    await tab.clock.install();
    await tab.goto(`${service.address}/#${new URLSearchParams({ website: service.websiteId, section: "live", timezone })}`);
    await settled(tab);
    assert.ok(!(await tab.locator("select[name=preset]").isVisible()), "dates do not matter here");
    const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
    const send = async (path, n) => {
      const item = { type: "track", name: "screen_view", path: `https://notes.example${path}`, timestamp: Date.now(), eventId: `${id}_${n}`, anonymousId: `anon_${id}_${n}`, sessionId: `sess_${id}_${n}` };
      const answer = await fetch(`${service.trackAddress}/batch?client_id=${service.websiteId}`, { method: "POST", body: JSON.stringify([item]), headers: { "Content-Type": "application/json", "User-Agent": chrome } });
      assert.equal(answer.status, 200, await answer.text());
    };
    const visits = tab.locator(".stream li"), before = await visits.count();
    await Promise.all(["/one", "/two"].map(send));
    await tab.clock.runFor(10_100);
    await tab.waitForFunction((n) => document.querySelectorAll(".stream li").length === n, before + 2);
    await settled(tab);
    const views = Number((await card(tab, "Visitors per minute").locator(".said").textContent()).match(/ and (\d+) pageviews? /)[1]);
    assert.equal(views, (await query(service, { timezone, preset: "last_30m", parameters: ["summary_metrics"] }))[0].data[0].pageviews);
    for (const title of ["Pages", "Sources"]) assert.ok((await rows(card(tab, title))).length > 0, `${title} is empty`);
    assert.match(await tab.getByRole("img", { name: /^Visitors per minute/ }).getAttribute("aria-label"), /: at most \d+, at \d\d:\d\d\.$/);
    assert.equal(await tab.locator(".bars rect").count(), 30);
    await everywhere(tab, "the live section");
    await picture(tab, "live");

    // After hours of renewals the page has as many elements as before.
    const network = await tab.context().newCDPSession(tab);
    const renew = async (times) => {
      for (let i = 0; i < times; i++) {
        const answer = tab.waitForResponse(/v1\/query\?/);
        await tab.clock.runFor(10_100);
        await answer;
        await settled(tab);
      }
      await network.send("HeapProfiler.collectGarbage");
      return (await network.send("Memory.getDOMCounters"));
    };
    const few = await renew(3), many = await renew(12);
    assert.ok(many.nodes <= few.nodes * 1.2 && many.jsEventListeners <= few.jsEventListeners * 1.2, `nodes ${few.nodes} → ${many.nodes}, listeners ${few.jsEventListeners} → ${many.jsEventListeners}`);
    await visits.filter({ hasText: "/two" }).first().getByRole("link").click();
    await tab.locator("dialog tbody tr").filter({ hasText: "Viewed the page" }).first().waitFor();
    assert.match((await address(tab)).get("of"), /_1$/);
  },

  async "short links have clicks, and tell where they came from"() {
    const tab = await open({ section: "links", ...dates });
    await settled(tab);
    const [[letter]] = await about({ link_id: "lnk_letter" }, ["link_total_clicks"]);
    const [totals, series, countries, devices] = await about({ link_id: service.linkId }, ["link_total_clicks", "link_clicks_by_day", { name: "link_top_countries", limit: 10 }, { name: "link_top_devices", limit: 10 }]);
    assert.equal(await tab.locator("#sections a[aria-current]").textContent(), "Short links");
    const listed = await rows(card(tab, "Short links"));
    assert.deepEqual(listed.map(([name, clicks]) => [name, number(clicks)]), [["demo", totals[0].total], ["Newsletter", letter.total], ["other", 0]], "the list");
    assert.match(await first(tab), new RegExp(`: ${series[0].clicks} Clicks\\.`));
    assert.deepEqual((await rows(card(tab, "Countries"))).map(([, clicks]) => number(clicks)), countries.map(({ clicks }) => clicks));
    assert.deepEqual((await rows(card(tab, "Devices"))).map(([name, clicks]) => [name, number(clicks)]), devices.map(({ name, clicks }) => [name, clicks]));
    assert.equal(await card(tab, "Referrers").locator("tbody tr").count() > 3, true);
    await accessible(tab, "short links");
    await tab.getByRole("link", { name: "other" }).click();
    await tab.getByRole("heading", { name: "Clicks on other" }).waitFor();
    assert.equal((await address(tab)).get("chosen"), "lnk_other");
    assert.equal(await tab.evaluate(() => document.activeElement.textContent), "other", "the choice loses the focus");
    assert.match(await card(tab, "Countries").textContent(), /Nothing in this range/);
    await tab.reload();
    await tab.getByRole("heading", { name: "Clicks on other" }).waitFor();
    await tab.goBack();
    await tab.getByRole("heading", { name: "Clicks on demo" }).waitFor();
    const wrong = await open({ section: "links", chosen: "lnk_none" });
    await settled(wrong);
    assert.match(await wrong.locator(".notice").textContent(), /“lnk_none”.*Shown instead: demo/);
  },

  async "many links have pages, whatever their names are"() {
    const names = ["<b>bold</b>", "مرحبا", "🚀 ".repeat(40), "x".repeat(300), ...Array.from({ length: 21 }, (_, i) => `link ${i}`)];
    const links = names.map((name, i) => ({ id: i === 24 ? "lnk_other" : service.linkId, name, slug: "s", targetUrl: `https://shop.example/${"long-".repeat(60)}`, createdAt: "2026-11-21T18:00:00.000Z" }));
    const tab = await open(dates, { viewport: { width: 390, height: 800 } });
    await settled(tab);
    await tab.route(/v1\/query\/links/, (route) => route.fulfill({ json: { success: true, links, total: links.length } }));
    await tab.locator("#sections a").filter({ hasText: "Short links" }).click();
    const choices = tab.locator(".subjects tbody tr");
    await tab.getByText("Rows 1 to 20").waitFor();
    assert.deepEqual((await rows(card(tab, "Short links"))).map(([name]) => name), names.slice(0, 20));
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "long names make the page wider");
    await accessible(tab, "many links");
    await tab.getByRole("button", { name: "Rows after" }).click();
    await tab.getByText("Rows 21 to 25").waitFor();
    assert.equal(await choices.count(), 5);
    assert.equal(number(await choices.last().locator("td").nth(1).textContent()), 0, "the link without clicks is not the last one of its page");
    assert.equal((await address(tab)).get("page"), "2");
  },

  async "monitors have a status, response times and outages"() {
    const tab = await open({ section: "uptime", ...dates });
    await settled(tab);
    const [[overview], series, regions] = await about({ schedule_id: service.scheduleId }, ["uptime_overview", "uptime_time_series", "uptime_by_region"]);
    const listed = await rows(card(tab, "Monitors")), [demo, other] = ["Front page", "Other"].map((name) => listed.find(([one]) => one === name));
    assert.deepEqual(demo.slice(2), [percent(overview.uptime_percentage), ms(overview.p50_response_time), ms(overview.p95_response_time)]);
    assert.match(demo[1], /^(up|down|checking again|maintenance)$/);
    assert.deepEqual(other, ["Other", "no checks", "–", "–", "–"]);
    const apart = await card(tab, "Monitors").evaluate((one) => {
      const [heads, cells] = [...one.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.getBoundingClientRect().right));
      return heads.map((right, i) => Math.abs(right - cells[i]));
    });
    assert.ok(Math.max(...apart) < 2, `heads of columns stand ${apart} px off their cells`);
    const text = await first(tab);
    for (const column of ["p50_response_time", "p95_response_time"]) assert.ok(text.includes(ms(series[0][column])), `${text}: not ${series[0][column]}`);
    assert.deepEqual((await rows(card(tab, "Regions"))).map(([region, share]) => [region, share]), regions.map((row) => [row.region, percent(row.uptime_percentage)]));
    assert.match(await card(tab, "Certificate").textContent(), /The certificate is valid\. ?It expires on/);
    const bad = series.filter((row) => row.downtime_seconds > 0), sum = (of) => bad.reduce((total, row) => total + of(row), 0);
    if (bad.length > 0) assert.ok(Math.abs(seconds(await card(tab, "Outages").locator("p").first().textContent()) - sum((row) => row.downtime_seconds)) <= 60);
    else await card(tab, "Outages").getByText("No outage in this range.").waitFor();
    if (bad.length > 0 && bad.length <= 10) {
      const found = await tab.locator(".outages tbody tr").evaluateAll((all) => all.map((row) => [...row.children].slice(1).map((cell) => cell.textContent)));
      assert.equal(found.reduce((total, [, failed]) => total + number(failed), 0), sum((row) => row.total_checks - row.successful_checks), "failed checks");
      assert.ok(Math.abs(found.reduce((total, [lasted]) => total + seconds(lasted), 0) - sum((row) => row.downtime_seconds)) <= found.length, "the outages last longer or shorter than the downtime");
    }
    await accessible(tab, "uptime");
  },

  async "outages begin with a failed check and end with the next one that did not fail"() {
    const tab = await open({ section: "uptime", ...dates });
    await settled(tab);
    const found = await tab.evaluate(async () => {
      const { outagesOf } = await import("/panel/outages.js");
      const check = (minute, status, error = "") => ({ timestamp: new Date(minute * 60_000).toISOString(), status, error, http_code: 502 });
      return outagesOf([check(50, 0, "timeout"), check(40, 1), check(35, 3), check(30, 0), check(25, 0, "timeout"), check(20, 1)], 52 * 60_000);
    });
    assert.deepEqual(found, [
      { from: 50 * 60_000, open: true, seconds: 120, checks: 1, reasons: ["timeout"] },
      { from: 25 * 60_000, open: false, seconds: 600, checks: 2, reasons: ["timeout", "HTTP 502"] },
    ]);
  },

  async "experiments tell the interval of the difference in words"() {
    const words = { better: / converts better than /, worse: / converts worse than /, undecided: /not yet decided/ };
    const seen = new Set();
    for (const [filter, view] of [[null, dates], [["country", "is", "NL"], dates]]) {
      const tab = await open({ section: "flags", ...view, ...(filter && { filter: JSON.stringify(filter) }) });
      await settled(tab);
      const [{ data: outcomes }] = await query(service, { timezone, startDate: view.from, endDate: view.to, parameters: ["flag_outcomes"], filters: filter ? [{ field: "country", op: "eq", value: "NL" }] : [] });
      const variants = outcomes.filter(({ flag }) => flag === "signup-button"), results = card(tab, "Results of signup-button");
      if (variants.length < 2) continue;
      await tab.locator("#answers td.name a").filter({ hasText: "signup-button" }).click();
      await results.waitFor();
      assert.deepEqual((await rows(results)).map(([name, converted]) => [name, converted]), variants.map((row) => [row.variant, `${row.converted} of ${row.visitors}`]));
      assert.ok((await results.textContent()).includes(`${percent(variants[0].conversion_low)} to ${percent(variants[0].conversion_high)}`), "the interval of a variant");
      const { low, high } = await tab.evaluate(async (two) => (await import("/panel/flags.js")).differenceBetween(two[1], two[0]), variants);
      const word = low > 0 ? "better" : high < 0 ? "worse" : "undecided";
      seen.add(word);
      assert.match(await results.textContent(), words[word]);
      await accessible(tab, `an experiment: ${word}`);
    }
    assert.ok(seen.size > 0, "no range has two variants");

    // The example of Newcombe's paper: 56 of 70 and 48 of 80 differ by 20 points, between 5.24 and 33.39.
    const tab = await open({ section: "flags", ...dates });
    await settled(tab);
    const difference = await tab.evaluate(async () => {
      const wilson = (n, all, z = 1.959964) => {
        const p = n / all, by = z * Math.sqrt((p * (1 - p) + (z * z) / (4 * all)) / all), over = 1 + (z * z) / all, middle = p + (z * z) / (2 * all);
        return { conversion_rate: 100 * p, conversion_low: (100 * (middle - by)) / over, conversion_high: (100 * (middle + by)) / over };
      };
      return (await import("/panel/flags.js")).differenceBetween(wilson(56, 70), wilson(48, 80));
    });
    assert.deepEqual([difference.by, difference.low, difference.high].map((n) => n.toFixed(2)), ["20.00", "5.24", "33.39"]);

    // What counts as a conversion can be any event.
    const [paid] = await site([{ name: "flag_outcomes", filters: [{ field: "event_name", op: "eq", value: "plan_selected" }] }]);
    await tab.getByLabel("What counts as a conversion").selectOption("plan_selected");
    const expected = paid.filter(({ flag }) => flag === "signup-button").map((row) => `${row.converted} of ${row.visitors}`);
    await tab.locator(".variants").getByText(expected[0]).waitFor();
    assert.deepEqual((await rows(card(tab, "Results of signup-button"))).map(([, converted]) => converted), expected);
    assert.equal((await address(tab)).get("outcome"), "plan_selected");
    await tab.getByRole("link", { name: "new-editor" }).click();
    await card(tab, "Results of new-editor").getByText("Only one variant was seen").waitFor();
    assert.equal((await address(tab)).get("chosen"), "new-editor");
  },

  async "flags that nobody saw are listed with their state"() {
    const send = (method, path, body) => fetch(`${service.address}/public/v1/flags${path}`, { method, headers: { "Content-Type": "application/json", Authorization: `Bearer ${service.key}` }, body: body && JSON.stringify(body) });
    const flag = { clientId: service.websiteId, type: "rollout", defaultValue: false, rolloutPercentage: 12.5 };
    for (const key of ["unseen", "paused"]) {
      const { flag: made } = await (await send("POST", "", { ...flag, key, status: key === "paused" ? "inactive" : "active" })).json();
      try {
        const tab = await open({ section: "flags", ...dates, chosen: key });
        await settled(tab);
        const row = tab.locator(".subjects tbody tr").filter({ hasText: key });
        assert.deepEqual(await row.locator("td").allTextContents(), [`${key}${key === "paused" ? "inactive" : "on for 12.5%"}`, "0", "0"]);
        await card(tab, `Results of ${key}`).getByText("Nobody saw this flag in this range.").waitFor();
        await accessible(tab, `a flag that is ${key}`);
      } finally {
        await send("DELETE", `/${made.id}?clientId=${service.websiteId}`);
      }
    }
  },

  async "the map tells countries, and filters by them"() {
    const tab = await open(dates), asked = [];
    tab.on("request", (sent) => asked.push(new URL(sent.url()).pathname));
    await settled(tab);
    assert.equal(await tab.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/world.js")).length), 0, "the map is loaded before it is opened");
    await tab.getByRole("tab", { name: "Map" }).click();
    const map = tab.getByRole("listbox"), tip = map.locator(".tip");
    await map.waitFor();
    assert.ok(asked.some((path) => path.endsWith("/world.js")));
    const [countries] = await site([{ name: "countries", limit: 300, sortBy: "visitors", sortOrder: "desc" }]);
    const known = countries.filter(({ country_code: code }) => code);
    assert.deepEqual(await map.getByRole("option").evaluateAll((all) => all.map((one) => one.dataset.code).sort()), known.map(({ country_code: code }) => code).sort());
    const words = ({ name, visitors }) => `${name}: ${visitors.toLocaleString("en-GB")} visitors`;
    await tab.locator("#map-US").hover();
    assert.equal(await tip.textContent(), words(known.find(({ country_code: code }) => code === "US")));
    await accessible(tab, "the map");
    await tab.mouse.move(0, 0);
    await tip.waitFor({ state: "hidden" });
    await tab.getByRole("tab", { name: "Map" }).focus();
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Home");
    await tab.keyboard.press("ArrowRight");
    assert.equal(await tip.textContent(), words(known[1]));
    assert.equal(await map.getAttribute("aria-activedescendant"), `map-${known[1].country_code}`);
    await accessible(tab, "a country of the map");
    await tab.keyboard.press("Enter");
    await settled(tab);
    const filtered = async (code) => (await site(["summary_metrics"], [{ field: "country", op: "eq", value: code }]))[0][0].pageviews;
    const views = async (page) => number(await page.locator("#tiles .tile").filter({ hasText: "Pageviews" }).locator("strong").textContent());
    assert.equal(await views(tab), await filtered(known[1].country_code));
    assert.deepEqual((await address(tab)).getAll("filter"), [JSON.stringify(["country", "is", known[1].country_code])]);

    const phone = await open({ ...dates, tab: "map" }, { viewport: { width: 390, height: 800 }, hasTouch: true });
    await settled(phone);
    await phone.locator("#map-US").tap();
    assert.match(await phone.locator(".world .tip").textContent(), /^United States: .* Tap again to filter\.$/);
    assert.ok(!(await address(phone)).has("filter"), "the first touch filters");
    await phone.locator("#map-US").tap();
    await phone.locator(".chip").waitFor();
    await settled(phone);
    assert.equal(await views(phone), await filtered("US"));
  },

  async "errors have details, and pages have web vitals"() {
    const tab = await open({ ...dates, list: "errors" });
    const [errors, [top], vitals] = await site([{ name: "errors", limit: 100 }, { name: "errors_by_page", limit: 1 }, { name: "web_vitals_by_page", limit: 100, sortBy: "p75_lcp", sortOrder: "desc" }]);
    assert.ok(top.path);
    const dialog = tab.locator("dialog"), cells = () => dialog.locator("tbody tr").first().locator("td");
    await dialog.locator("tbody tr").first().waitFor();
    assert.deepEqual((await cells().allTextContents()).slice(1, 3).map(number), [errors[0].count, errors[0].users]);
    assert.equal(await cells().nth(4).textContent(), errors[0].error_type);
    assert.equal(await cells().nth(5).textContent(), errors[0].path);
    assert.match(await cells().nth(6).textContent(), /^\d+ \w+ \d{4}, \d\d:\d\d$/);
    await accessible(tab, "errors");
    await dialog.getByRole("link", { name: /^Pages with the error/ }).first().click();
    await tab.getByRole("heading", { name: `Pages with the error ${errors[0].message}` }).waitFor();
    const [pages] = await site([{ name: "errors_by_page", limit: 100, filters: [{ field: "message", op: "eq", value: errors[0].message }] }]);
    await dialog.getByText(`Rows 1 to ${pages.length}`).waitFor();
    assert.equal(number(await cells().nth(1).textContent()), pages[0].errors);
    await accessible(tab, "the pages of an error");

    const speed = await open({ ...dates, list: "speed", sort: "-p75_lcp", tab: "speed" });
    await speed.locator("dialog tbody tr").first().waitFor();
    const slowest = await speed.locator("dialog tbody tr").first().locator("td").allTextContents();
    assert.equal(slowest[0], vitals[0].path);
    assert.equal(slowest[2], ms(vitals[0].p75_lcp));
    assert.match(slowest.at(-1), vitals[0].p75_lcp > 4000 ? /^poor: / : vitals[0].p75_lcp > 2500 ? /^(poor|needs work): / : /./);
    await accessible(speed, "web vitals by page");
  },

  async "sections without anything to see are not offered, and tell how to get it"() {
    const response = await fetch(`${service.address}/v1/tokens`, {
      method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${service.key}` },
      body: JSON.stringify({ ttl: 600, scopes: ["read:data"], resources: [{ kind: "website", id: service.otherId }] }),
    });
    const { token } = await response.json(), names = (tab) => tab.locator("#sections a").allTextContents();
    const all = await open(dates);
    await all.locator("#sections a").filter({ hasText: "Flags" }).waitFor();
    for (const name of ["Short links", "Uptime", "Flags"]) assert.ok((await names(all)).includes(name), name);
    for (const [section, text] of Object.entries({ links: /sightline links add/, uptime: /sightline monitors add/, flags: /sightline flags add/ })) {
      const tab = await open({ key: token, website: service.otherId, section });
      await settled(tab);
      assert.match(await tab.locator("#answers").textContent(), text);
      await tab.waitForLoadState("networkidle");
      for (const name of ["Short links", "Uptime", "Flags"]) assert.ok(!(await names(tab)).includes(name), `${name} is offered to a key that can see none`);
      await everywhere(tab, `${section}: nothing to see`);
    }
  },

  async "it is accessible in light and dark, wide and narrow"() {
    for (const width of [1440, 390]) {
      for (const colorScheme of ["light", "dark"]) {
        for (const [name, hash] of Object.entries({ links: { section: "links" }, uptime: { section: "uptime" }, flags: { section: "flags" }, map: { tab: "map" } })) {
          const tab = await open({ ...dates, ...hash }, { viewport: { width, height: 900 }, colorScheme });
          await settled(tab);
          if (name === "map") await tab.getByRole("listbox").waitFor();
          await accessible(tab, `${name}, ${width} px, ${colorScheme}`);
          assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than ${width} px`);
          await picture(tab, `others-${name}-${width}-${colorScheme}`);
          await tab.context().close();
        }
      }
    }
  },
});
