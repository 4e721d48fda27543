// What the panel does for all its readers: links to share, shortcuts, print, programs, long lists, foreign texts, slow networks,
// clocks and languages. See panel-page.mjs; manyId, textsId and clockId are websites that this script fills, root is the module.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessible, address, night, number, open, picture, refused, run, service, settled } from "./panel-page.mjs";
import { query } from "./service.mjs";

const sizes = [1440, 768, 390], both = ["light", "dark"];
const visitors = async (tab) => number(await tab.locator("#tiles strong").first().textContent());
const totals = async (body, websiteId = service.websiteId) => (await query({ ...service, websiteId }, { timezone: "Europe/Berlin", preset: "last_7d", parameters: ["summary_metrics"], ...body }))[0].data[0];
const names = (tab) => tab.locator("dialog td.name > :first-child").allTextContents();
const listed = (tab) => tab.waitForFunction(() => document.querySelector("dialog .rows")?.childElementCount > 0 && !document.querySelector("dialog [aria-busy]"));
const copied = (tab) => tab.evaluate(() => navigator.clipboard.readText());

/** Sends items of tracking, a hundred at a time. */
async function send(website, path, items) {
  const batches = [];
  for (let i = 0; i < items.length; i += 100) batches.push(items.slice(i, i + 100));
  await Promise.all([0, 1, 2, 3].map(async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const response = await fetch(`${service.trackAddress}/${path}?client_id=${website}`, {
        method: "POST", body: JSON.stringify(batch), headers: { "Content-Type": "application/json", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36" },
      });
      assert.equal(response.status, 200, await response.text());
    }
  }));
}

const view = (i, path, timestamp, more = {}) => ({ type: "track", name: "screen_view", eventId: `v${i}`, path, timestamp, anonymousId: `a${i % 500}`, sessionId: `s${i}`, ...more });

await run({
  async "a list has all rows"() {
    const yesterday = Date.now() - 86_400_000, path = (i) => `https://many.example/p/${String(i).padStart(5, "0")}`;
    await send(service.manyId, "batch", Array.from({ length: 40_000 }, (_, i) => view(i, path(i + 1), yesterday - i)));
    const tab = await open({ website: service.manyId, preset: "last_7d" });
    await settled(tab);
    assert.match(await tab.locator(".card").nth(2).textContent(), /Countries, regions and cities are not known/);
    await tab.getByRole("tab", { name: "Campaigns" }).click();
    await tab.getByText("To see campaigns, add utm_campaign to the addresses").waitFor();
    await tab.getByRole("button", { name: "See all: Pages" }).click();
    await listed(tab);
    const status = tab.locator(".pages [role=status]");
    assert.equal(await status.textContent(), "Rows 1 to 100");
    await tab.getByRole("button", { name: "Last rows" }).click();
    await tab.getByText("Rows 39,901 to 40,000").waitFor();
    await listed(tab);
    assert.equal(await tab.getByRole("button", { name: "Rows after" }).isDisabled(), true);
    assert.equal(await tab.evaluate(() => document.activeElement.className), "rows", "the focus is lost when the last page has no next one");
    await accessible(tab, "the last page of a list");
    const search = tab.getByRole("searchbox");
    await search.fill("P/3999"); // in any case
    await tab.getByText("Rows 1 to 10", { exact: true }).waitFor();
    await listed(tab);
    assert.deepEqual((await names(tab)).sort(), Array.from({ length: 10 }, (_, i) => `/p/3999${i}`));
    await search.fill("p/.999");
    await tab.getByText("Nothing matches.").waitFor();
    const [file] = await Promise.all([tab.waitForEvent("download"), search.fill("").then(() => tab.getByText("Rows 1 to 100").waitFor()).then(() => tab.getByRole("button", { name: "CSV" }).click())]);
    assert.equal(readFileSync(await file.path(), "utf8").trim().split("\r\n").length, 40_001);
    await tab.keyboard.press("Escape");
    await tab.locator("dialog").waitFor({ state: "hidden" });
    assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), "all pages", "the focus is not where it was before the dialog");

    // The server searches sessions with such a page; the page leaves out those that began elsewhere.
    const entry = await open({ website: service.manyId, preset: "last_7d", list: "entry", search: "/p/2000" });
    await listed(entry);
    assert.deepEqual((await names(entry)).sort(), Array.from({ length: 10 }, (_, i) => `/p/2000${i}`));
  },

  async "lists are searched by what they show"() {
    const tab = await open({ preset: "last_30d", list: "sources", search: "googl" });
    await listed(tab);
    assert.deepEqual(await names(tab), ["Google"]);
    for (const [list, text, found] of [["countries", "german", /Germany/], ["cities", "GERMANY", /, Germany$/], ["devices", "phone|mobile", null], ["events", "SIGNUP", /^signup/], ["entry", "pric", /pric/], ["browsers", "chrom", /chrom/i]]) {
      await tab.evaluate((hash) => { location.hash = hash; }, String(new URLSearchParams({ website: service.websiteId, preset: "last_30d", list, search: text })));
      await tab.waitForFunction((wanted) => document.querySelector("#dialog-title").textContent === wanted, { countries: "Countries", cities: "Cities", devices: "Devices", events: "Events", entry: "Entry", browsers: "Browsers" }[list]);
      await listed(tab);
      const shown = await names(tab);
      if (found) assert.ok(shown.length > 0 && shown.every((name) => found.test(name)), `${list}: ${shown}`);
      else assert.deepEqual(shown, [], list);
    }
  },

  async "texts of strangers are texts"() {
    const texts = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "\"><svg onload=alert(1)>", "'`${alert(1)}`", "שלום עולם", "مرحبا بالعالم", "abc\u202egnp.exe", "👩‍👩‍👧‍👦 🇩🇪", "e\u0301".repeat(40), "=HYPERLINK(\"x\")", "W".repeat(120)];
    const now = Date.now() - 3_600_000, at = "https://texts.example", who = (i) => ({ anonymousId: `a${i}`, sessionId: `t${i}`, timestamp: now });
    await send(service.textsId, "batch", texts.flatMap((text, i) => [
      view(`t${i}`, `${at}/${encodeURIComponent(text)}`, now, { ...who(i), utm_source: text, utm_medium: text, utm_campaign: text, title: text, language: text.slice(0, 30), referrer: `https://xn--mnchen-3ya.example/${encodeURIComponent(text)}` }),
      { type: "outgoing_link", eventId: `l${i}`, href: `https://other.example/${encodeURIComponent(text)}`, text, path: `${at}/`, ...who(i) },
    ]));
    await send(service.textsId, "events", texts.map((text, i) => ({ name: text, eventId: `e${i}`, path: `${at}/`, properties: { [text.slice(0, 60)]: text }, ...who(i) })));
    for (let i = 0; i < texts.length; i += 1) await send(service.textsId, "errors", [{ eventId: `x${i}`, message: texts[i], errorType: texts[i].slice(0, 60), path: `${at}/`, ...who(i) }]);
    for (const width of [1440, 390]) {
      const tab = await open({ website: service.textsId, preset: "last_7d" }, { viewport: { width, height: 900 } });
      tab.on("dialog", () => assert.fail("a text opened a dialog"));
      await settled(tab);
      const made = () => tab.evaluate(() => document.querySelectorAll("main :is(img, script, [onload], [onerror]), dialog :is(img, script, [onload], [onerror])").length);
      for (const id of await tab.locator("[role=tab]").evaluateAll((all) => all.map((one) => one.id))) {
        await tab.locator(`#${id}`).click();
        await settled(tab);
        assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${id}: the page is wider than ${width} px`);
      }
      assert.equal(await made(), 0);
      await picture(tab, `texts-${width}`);
      await accessible(tab, `texts of strangers, ${width} px`);
      for (const [list, shown] of Object.entries({ pages: (text) => `/${text}`, utm_source: (text) => text, campaigns: (text) => text, events: (text) => text, errors: (text) => text })) {
        await tab.evaluate((hash) => { location.hash = hash; }, String(new URLSearchParams({ website: service.textsId, preset: "last_7d", list })));
        await tab.waitForFunction((wanted) => document.querySelector("#dialog-title")?.textContent === wanted, { pages: "Pages", utm_source: "UTM source", campaigns: "Campaigns", events: "Events", errors: "Errors" }[list]);
        await listed(tab);
        const there = (await names(tab)).map((name) => (list === "pages" ? decodeURIComponent(name) : name).normalize()); // paths are escaped
        for (const text of texts) assert.ok(there.includes(shown(text).normalize()), `${list} does not show ${text}: ${there.join("\n")}`);
        assert.ok(await tab.evaluate(() => document.querySelector("dialog").scrollWidth <= document.querySelector("dialog").clientWidth), `${list}: the dialog is wider than itself`);
      }
      assert.equal(await made(), 0);
      await tab.keyboard.press("Escape");
      await tab.locator("select[name=website]").selectOption(service.textsId);
      assert.match(await tab.title(), /<b>Texts<\/b> שלום 👋 – Sightline$/);
      // A filter by such a text, and a search for it.
      const filtered = await open({ website: service.textsId, preset: "last_7d", list: "events", search: texts[0], filter: JSON.stringify(["utm_source", "is", texts[0]]) }, { viewport: { width, height: 900 } });
      await listed(filtered);
      assert.deepEqual(await names(filtered), [texts[0]]);
      await tab.context().close();
    }
  },

  async "a link to share"() {
    const tab = await open({ preset: "last_7d", filter: JSON.stringify(["country", "is", "DE", "FR"]) });
    await settled(tab);
    const some = await visitors(tab), all = (await totals()).visitors;
    assert.ok(some < all);
    await tab.locator("summary").click();
    await tab.getByRole("button", { name: "Share a link" }).click();
    assert.equal((await address(tab)).get("edit"), "share");
    assert.equal(await tab.locator("details").getAttribute("open"), null, "the options stay open");
    await accessible(tab, "sharing");
    const share = async (end, only) => {
      await tab.locator("dialog select[name=end]").selectOption(end);
      await tab.locator("dialog input[name=only]").setChecked(only);
      await tab.getByRole("button", { name: "Make the link" }).click();
      await tab.getByText(/^The link works until .*\. It is copied\.$/).waitFor();
      const link = new URL(await copied(tab));
      assert.equal(await tab.locator("dialog input[name=link]").inputValue(), link.href);
      return new URLSearchParams(link.hash.slice(1));
    };
    const asked = [];
    tab.on("request", (sent) => sent.method() === "POST" && /v1\/(tokens|keys)/.test(sent.url()) && asked.push([sent.url().split("/v1/")[1], sent.postDataJSON()]));
    for (const [end, only] of [["hour", false], ["day", true], ["month", true]]) {
      const guest = await open(await share(end, only));
      await settled(guest);
      assert.ok(!/token|key/.test(await guest.evaluate(() => location.hash)), "the secret stays in the address");
      assert.equal(await visitors(guest), some);
      assert.equal(await guest.locator("select[name=website] option").count(), 1, "the link shows other websites");
      await guest.getByRole("button", { name: /^Remove the filter/ }).click();
      await settled(guest);
      assert.equal(await visitors(guest), only ? some : all, `${end}: what the link shows without the filter`);
      await guest.locator("summary").click();
      const offered = await guest.getByRole("button", { name: "Share a link" }).count();
      assert.equal(offered, end === "month" ? 1 : 0, `${end}: a panel token may not share, a key may`);
      const hash = await address(guest);
      hash.set("edit", "share");
      await guest.goto(`${service.address}/#${hash}`);
      if (offered) assert.deepEqual(await guest.locator("dialog select[name=end] option").evaluateAll((all) => all.map(({ value }) => value)), ["hour", "day"], "longer links need a key that may make keys");
      else await guest.getByText(/^You are not allowed to make this link/).waitFor();
      await accessible(guest, `${end}: sharing as a guest`);
      assert.deepEqual(refused, [], "the page asked for what the guest may not");
      await guest.context().close();
    }
    assert.deepEqual(asked.slice(0, 2).map(([path, { ttl }]) => [path, ttl]), [["tokens", 3600], ["tokens", 86_400]]);
    assert.equal(asked[2][0], "keys");
    assert.ok(Math.abs(Date.parse(asked[2][1].expires) - Date.now() - 30 * 86_400_000) < 3_600_000);
    assert.deepEqual(asked[2][1].scopes, ["read:data"]);
    for (const width of sizes) {
      await tab.setViewportSize({ width, height: 900 });
      await picture(tab, `share-${width}`);
    }
  },

  async "the request as Go compiles and gives the rows"() {
    const filters = [["country", "is", "DE", "FR"], ["path", "contains_not", "\"quoted\" \u202e\ufeff"], ["event", "contains", "sign"]];
    const hash = new URLSearchParams({ key: service.key, website: service.websiteId, preset: "last_30d", timezone: "Europe/Berlin", list: "pages", sort: "pageviews", search: "/" });
    for (const filter of filters) hash.append("filter", JSON.stringify(filter));
    const tab = await open(hash), folder = mkdtempSync(join(tmpdir(), "panel-go-"));
    try {
      await listed(tab);
      const shown = await tab.locator("dialog tbody tr").count();
      await tab.getByRole("button", { name: "Copy as Go" }).click();
      await tab.getByText("Copied. The program takes its key from SIGHTLINE_KEY.").waitFor();
      const file = join(folder, "main.go"), program = await copied(tab);
      writeFileSync(file, program);
      assert.equal(execFileSync("gofmt", ["-l", file], { encoding: "utf8" }), "", program);
      const out = execFileSync("go", ["run", file], { cwd: service.root, encoding: "utf8", env: { ...process.env, SIGHTLINE_KEY: service.key } });
      assert.equal(out.trim().split("\n").length, shown, out);
      assert.ok(shown > 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
    await tab.getByRole("button", { name: "Copy as curl" }).click();
    await tab.getByText("Put your key in the place of KEY").waitFor();
    const answer = JSON.parse(execFileSync("sh", ["-c", (await copied(tab)).replace("Bearer KEY", `Bearer ${service.key}`)], { encoding: "utf8" }));
    assert.equal(answer.data[0].data.length, await tab.locator("dialog tbody tr").count());
    // Without the clipboard, as on a page that is not secure, the text is shown.
    await tab.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await tab.getByRole("button", { name: "Copy as Go" }).click();
    assert.match(await tab.getByLabel("Text to copy").inputValue(), /^package main/);
    await accessible(tab, "a text to copy");
  },

  async "a printed page"() {
    const tab = await open({ preset: "last_7d", filter: JSON.stringify(["country", "is", "DE"]) }, { colorScheme: "dark" });
    await settled(tab);
    await tab.emulateMedia({ media: "print" });
    for (const gone of ["#controls", "#live", ".foot", "[data-key='add filter']", "[aria-label^='Remove the filter']"]) assert.equal(await tab.locator(gone).first().isVisible(), false, `${gone} is printed`);
    for (const there of ["#place", "#status", ".chip .label", "#chart svg", "#cards table"]) assert.equal(await tab.locator(there).first().isVisible(), true, `${there} is not printed`);
    assert.match(await tab.locator("h1").textContent(), /Overview of Notes \(demo\)/);
    assert.equal(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)", "dark paper");
    await tab.setViewportSize({ width: 720, height: 1000 }); // about A4
    await tab.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth); // the chart is drawn again
    await picture(tab, "print");
    await tab.emulateMedia({ media: "screen" });
    await tab.getByRole("button", { name: "See all: Pages" }).click();
    await listed(tab);
    await tab.emulateMedia({ media: "print" });
    assert.equal(await tab.locator("main").isVisible(), false, "the page behind the dialog is printed");
    assert.equal(await tab.locator("dialog tbody tr").last().isVisible(), true);
    assert.ok(await tab.evaluate(() => document.querySelector(".rows").scrollHeight <= document.querySelector(".rows").clientHeight + 1), "rows are cut");
    await picture(tab, "print-list");
    assert.match((await tab.pdf({ format: "A4" })).toString("latin1", 0, 8), /^%PDF-/);
    const long = await open({ website: service.manyId, preset: "last_7d", list: "pages" });
    await listed(long);
    assert.ok((await long.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g).length > 2, "a list of 100 rows ends with the first page");
  },

  async "keys do what the controls do"() {
    const tab = await open({ preset: "last_7d" });
    await settled(tab);
    const press = async (key) => { await tab.keyboard.press(key); await settled(tab); };
    for (const [key, preset] of Object.entries({ d: "today", e: "yesterday", w: "last_7d", m: "this_month", p: "last_month", y: "this_year", l: "last_12m", a: "all_time" })) {
      await press(key);
      assert.equal((await address(tab)).get("preset"), preset, key);
    }
    await press("r");
    assert.equal(await tab.locator("select[name=preset]").inputValue(), "last_30d");
    await press("ArrowLeft");
    const from = (await address(tab)).get("from");
    assert.ok(from, "the arrow does not go to the period before");
    await press("ArrowRight");
    assert.notEqual((await address(tab)).get("from"), from);
    await press("c");
    assert.equal((await address(tab)).get("compare"), "previous_period");
    await tab.keyboard.press("?");
    await tab.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
    assert.match(await tab.locator("dialog dl").textContent(), /dToday.*←Earlier period.*fAdd filter/);
    await accessible(tab, "the list of shortcuts");
    for (const width of sizes) {
      await tab.setViewportSize({ width, height: 900 });
      await picture(tab, `shortcuts-${width}`);
    }
    await tab.setViewportSize({ width: 1440, height: 900 });
    await tab.keyboard.press("d"); // the dialog is open
    assert.notEqual((await address(tab)).get("preset"), "today");
    await tab.getByLabel("Use shortcuts on this device").uncheck();
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("d");
    assert.notEqual((await address(tab)).get("preset"), "today", "shortcuts that are switched off");
    await tab.evaluate(() => localStorage.clear());
    await tab.keyboard.press("f");
    await tab.locator("dialog textarea").fill("d");
    await tab.locator("dialog textarea").press("d");
    assert.equal(await tab.locator("dialog textarea").inputValue(), "dd");
    assert.notEqual((await address(tab)).get("preset"), "today", "a key was taken while the reader typed");
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("/");
    await listed(tab);
    assert.equal(await tab.evaluate(() => document.activeElement.type), "search");
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("Control+d");
    assert.notEqual((await address(tab)).get("preset"), "today", "a key of the browser was taken");
  },

  async "light and dark are kept on the device"() {
    const tab = await open({ preset: "last_7d" }, { colorScheme: "light" });
    await settled(tab);
    const colour = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor), light = await colour();
    await tab.keyboard.press("t"); // light
    await tab.keyboard.press("t"); // dark
    assert.notEqual(await colour(), light);
    await tab.reload();
    await settled(tab);
    assert.notEqual(await colour(), light, "a reload forgets the choice");
    assert.equal(await tab.locator("select[name=theme]").inputValue(), "dark");
    await tab.locator("summary").click();
    await accessible(tab, "dark by choice");
    assert.ok(await tab.evaluate(() => document.querySelector(".options").scrollWidth <= document.querySelector(".options").clientWidth), "a control is wider than the options");
    await tab.locator("select[name=theme]").selectOption("system");
    assert.equal(await colour(), light);
    await tab.keyboard.press("Escape");
    assert.equal(await tab.evaluate(() => document.activeElement.localName), "summary");
    await tab.locator("summary").click();
    await tab.locator("#chart").click({ position: { x: 40, y: 40 } }); // beside the options
    assert.equal(await tab.locator("details").getAttribute("open"), null, "a click elsewhere leaves the options open");
  },

  async "numbers and dates are those of the reader"() {
    const tab = await open({ preset: "last_30d" }, { locale: "de-DE" });
    await settled(tab);
    const { pageviews, bounce_rate } = await totals({ preset: "last_30d" }), tile = (name) => tab.locator("#tiles .tile").filter({ hasText: name }).locator("strong").textContent();
    assert.equal(await tile("Pageviews"), pageviews.toLocaleString("de-DE"));
    assert.match(await tile("Pageviews"), /^\d+\.\d{3}$/);
    assert.equal(await tile("Bounce rate"), (bounce_rate / 100).toLocaleString("de-DE", { style: "percent", maximumFractionDigits: 1 }));
    assert.match(await tab.locator("#status").textContent(), /^\d+\.(–\d+\.)? \S+/);
    const formats = await tab.evaluate(async () => {
      const { changed, seconds } = await import(document.querySelector("script[src$='app.js']").src.replace("app.js", "format.js"));
      return [changed(169_041, 1, "whole"), changed(169_041, 10, "whole").text, changed(31.2, 29.4, "percent").text, seconds(28_800), seconds(4_830)];
    });
    assert.deepEqual(formats.map((text) => text?.replaceAll("\u00a0", " ")), [undefined, "over +1.000 %", "+1,8 pts", "8 h", "1 h 20 min"]);
  },

  async "hours, clocks and zones"() {
    // The clocks of Berlin went back on 26 October 2025 at 01:00 UTC. An event in every half hour of three days in UTC.
    const start = Date.UTC(2025, 9, 25), items = Array.from({ length: 144 }, (_, i) => view(`c${i}`, "https://clock.example/", start + i * 1_800_000 + 60_000, { anonymousId: `c${i}` }));
    await send(service.clockId, "batch", items);
    const hash = { website: service.clockId, from: "2025-10-25", to: "2025-10-27", interval: "hourly", metric: "pageviews", timezone: "Europe/Berlin" };
    const tab = await open(hash);
    await settled(tab);
    const read = async () => {
      const slider = tab.getByRole("slider"), found = {};
      await slider.focus();
      await tab.keyboard.press("Home");
      const count = Number(await slider.getAttribute("aria-valuemax"));
      for (let i = 0; i < count; i += 1) {
        const [, hour, value] = (await slider.getAttribute("aria-valuetext")).match(/^(.*?): ([\d,]+) Pageviews/);
        found[hour] = Number(value);
        await tab.keyboard.press("ArrowRight");
      }
      return [count, found];
    };
    for (const [zone, hour, twice] of [["Europe/Berlin", "Sun, 26 Oct 2025, 02:00", 4], ["Australia/Adelaide", "Sun, 26 Oct 2025, 02:00", 2], ["UTC", "Sun, 26 Oct 2025, 01:00", 2]]) {
      if (zone !== "Europe/Berlin") await tab.locator("summary").click().then(() => tab.locator("select[name=timezone]").selectOption(zone)).then(() => tab.locator("summary").click());
      await settled(tab);
      const [count, found] = await read(), [{ data }] = await query({ ...service, websiteId: service.clockId }, { timezone: zone, startDate: hash.from, endDate: hash.to, granularity: "hourly", parameters: [{ name: "summary", limit: 1000 }] });
      assert.equal(count, data.length, zone);
      assert.equal(found[hour], twice, `${zone}: the hour when clocks change`);
      assert.equal(Object.values(found).reduce((a, b) => a + b), data.reduce((sum, row) => sum + row.pageviews, 0), zone);
    }
  },

  async "a slow network"() {
    const tab = await open({ preset: "last_7d" });
    await settled(tab);
    const network = await tab.context().newCDPSession(tab);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 });
    const began = Date.now();
    await tab.reload();
    await tab.getByText("Loading …").waitFor();
    await settled(tab);
    console.log(`numbers after ${Date.now() - began} ms at 50 KB/s and 400 ms`);
    // The reader does not wait: the last choice wins, and old numbers are grey in between.
    for (const preset of ["last_90d", "today", "last_30d"]) await tab.locator("select[name=preset]").selectOption(preset);
    assert.equal(await tab.locator("#answers").getAttribute("aria-busy"), "true");
    await settled(tab);
    assert.equal(await visitors(tab), (await totals({ preset: "last_30d" })).visitors);
    assert.equal((await address(tab)).get("preset") ?? "last_30d", "last_30d");
  },

  async "touch and the mouse read the chart"() {
    const tab = await open({ preset: "last_7d" }, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await settled(tab);
    const box = await tab.getByRole("slider").boundingBox(), [{ data }] = await query(service, { timezone: "Europe/Berlin", preset: "last_7d", parameters: ["summary"] });
    await tab.touchscreen.tap(box.x + 2, box.y + 40);
    assert.match(await tab.locator(".tip").textContent(), new RegExp(`: ${data[0].visitors} Visitors`));
    await tab.touchscreen.tap(box.x + box.width - 2, box.y + 40);
    assert.match(await tab.locator(".tip").textContent(), new RegExp(`: ${data[6].visitors} Visitors`));
    assert.equal(await tab.locator(".tip").isVisible(), true, "the values go when the finger does");
    assert.ok((await tab.locator("#chart").boundingBox()).y < 844 * 0.6, "the chart begins below the upper part of the screen");

    const wide = await open({ preset: "last_7d" });
    await settled(wide);
    const { x, y, width } = await wide.getByRole("slider").boundingBox();
    await wide.mouse.move(x + width / 6, y + 60);
    await wide.mouse.down();
    await wide.mouse.move(x + width / 2, y + 60);
    assert.equal(await wide.locator(".marks rect").count(), 1);
    await wide.mouse.up();
    await settled(wide);
    const at = await address(wide);
    assert.deepEqual([at.get("from"), at.get("to")], [data[1].date, data[3].date]);
    await wide.goBack();
    await settled(wide);
    assert.equal((await address(wide)).get("preset"), "last_7d");
  },

  async "faults of earlier pages"() {
    const enter = await open(new URLSearchParams());
    assert.doesNotMatch(await enter.locator("main").textContent(), /go run|keys create/, "a reader is told to run a program");
    assert.equal(await enter.evaluate(() => document.activeElement.name), "key");
    for (const width of [...sizes, 320]) {
      const tab = await open({ preset: "last_7d" }, { viewport: { width, height: 900 } });
      await settled(tab);
      const broken = await tab.evaluate(() => [...document.querySelectorAll("#cards td:not(.name), #tiles .change, #tiles strong")].filter((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return one.textContent.includes("%") && new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size > 1;
      }).map((one) => one.textContent));
      assert.deepEqual(broken, [], `${width} px: a percent sign is on a line of its own`);
      const rows = await tab.locator("#tiles .tile").evaluateAll((all) => Object.values(Object.groupBy(all, (one) => Math.round(one.getBoundingClientRect().top))).map((row) => row.length));
      assert.equal(new Set(rows).size, 1, `${width} px: rows with ${rows} tiles`);
      assert.doesNotMatch(await tab.locator("#cards").textContent(), /\$flag_evaluated/);
      const labels = await tab.evaluate(async () => {
        const { labelled } = await import(document.querySelector("script[src$='app.js']").src.replace("app.js", "chart.js"));
        return labelled(24, 6);
      });
      assert.deepEqual(labels, [0, 4, 8, 12, 16, 20]);
      const small = await tab.evaluate(() => [...document.querySelectorAll(":is(main, header) :is(button, a, summary, select)")].filter((one) => one.checkVisibility()).map((one) => [one.textContent, one.getBoundingClientRect()])
        .filter(([, { width: wide, height }]) => Math.min(wide, height) < 23.9).map(([text, { width: wide, height }]) => `${text}: ${wide} by ${height} px`));
      assert.deepEqual(small, [], `${width} px: places to click that are too small`);
      assert.doesNotMatch(await tab.locator("#status").textContent(), /\d{4}-\d\d-\d\d|Asking/);
      assert.match(await tab.locator("#status").textContent(), /, compared with /);
      await tab.context().close();
    }
    // Changes have words, and a narrow page shows which section is open.
    const phone = await open({ preset: "last_week", section: "settings" }, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await settled(phone);
    await phone.waitForFunction(() => {
      const { left, right } = document.querySelector("#sections [aria-current]").getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    });
    await phone.locator("#sections a").first().click();
    await settled(phone);
    const { data: [{ visitors: after }], previous: [{ visitors: before }], meta } = (await query(service, { timezone: "Europe/Berlin", preset: "last_week", weekStart: "monday", parameters: [{ name: "summary_metrics", compare: "previous_weeks" }] }))[0];
    const by = Math.round((100 * after) / before - 100), span = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).formatRange(new Date(meta.previous.startDate), new Date(meta.previous.endDate));
    const told = by === 0 ? "no change" : `${by > 0 ? "up" : "down"} ${Math.abs(by)}%`;
    await phone.getByRole("button", { name: `Visitors ${after.toLocaleString("en-GB")} ${told} from ${before.toLocaleString("en-GB")} in ${span}`, exact: true }).waitFor();
    const touch = await phone.evaluate(() => [...document.querySelectorAll("#controls :is(select, summary, button), #sections a, #tiles button, #cards [role=tab], #cards td.name > a:first-child")].filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.9).map((one) => one.textContent));
    assert.deepEqual(touch, [], "places that are too small for fingers");
    // The title names what is shown, and Tab goes from top to bottom.
    const tab = await open({ preset: "last_7d" });
    await settled(tab);
    assert.equal(await tab.locator("h1").count(), 1);
    assert.match(await tab.locator("h1").textContent(), /^Sightline Overview of Notes \(demo\)$/);
    const order = [];
    await tab.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 40; i += 1) {
      await tab.keyboard.press("Tab");
      order.push(await tab.evaluate(() => document.activeElement.closest("#controls, #sections, #filters, #tiles, #chart, #cards")?.id));
    }
    const places = order.filter((one, i) => one && one !== order[i - 1]);
    assert.deepEqual(places.filter((one) => one !== "sections"), ["controls", "filters", "tiles", "chart", "cards"]);
  },

  async "new states are accessible, wide and narrow, light and dark"() {
    for (const width of sizes) {
      for (const colorScheme of night ? both : [width === 768 ? "dark" : "light"]) {
        for (const state of [{ edit: "share" }, { edit: "shortcuts" }, { list: "cities" }]) {
          const tab = await open({ preset: "last_7d", filter: JSON.stringify(["path", "contains", "/"]), ...state }, { viewport: { width, height: 900 }, colorScheme });
          await settled(tab);
          if (state.list) await listed(tab);
          const name = `${Object.values(state)[0]}-${width}-${colorScheme}`;
          await accessible(tab, name);
          assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector("dialog").scrollWidth <= document.querySelector("dialog").clientWidth), `${name}: wider than the screen`);
          await picture(tab, name);
          await tab.context().close();
        }
      }
    }
  },
});
