// What changed, and the drawer that explains a number, with a planted spike: see panel-page.mjs. spikeId is a website that this script
// fills, root is the module.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessible, address, everywhere, number, open, picture, run, service, settled } from "./panel-page.mjs";
import { query } from "./service.mjs";

const spike = { ...service, websiteId: service.spikeId }, timezone = "Europe/Berlin", dayLength = 86_400_000;
const day = (before) => new Intl.DateTimeFormat("sv-SE", { timeZone: timezone }).format(Date.now() - before * dayLength);
const range = { preset: "last_28d", complete: true }, page = "/blog/plain-text", most = 130;
const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const without = JSON.stringify(["path", "is_not", page]);

/** Fills the website: the same visits every day, and ten days ago many from one source to one page. */
async function plant() {
  const noon = Date.parse(`${day(0)}T11:00:00Z`), items = [];
  const visit = (before, n, path, referrer) => {
    const id = `${before}_${n}`;
    items.push({ type: "track", name: "screen_view", path: `https://spike.example${path}`, referrer, timestamp: noon - before * dayLength + n * 1000, eventId: `v${id}`, anonymousId: `a${id}`, sessionId: `s${id}` });
  };
  const sources = ["", "https://www.google.com/", "https://other.example/"];
  for (let before = 1; before <= 56; before += 1) for (let n = 0; n < 9; n += 1) visit(before, n, ["/", "/pricing", "/docs"][n % 3], sources[Math.floor(n / 3)]);
  for (let n = 100; n < 100 + most; n += 1) visit(10, n, page, "https://news.ycombinator.com/item?id=1");
  for (let i = 0; i < items.length; i += 100) {
    const answer = await fetch(`${service.trackAddress}/batch?client_id=${spike.websiteId}`, { method: "POST", body: JSON.stringify(items.slice(i, i + 100)), headers: { "Content-Type": "application/json", "User-Agent": agent } });
    assert.equal(answer.status, 200, await answer.text());
  }
}

async function send(method, path, body) {
  const answer = await fetch(`${service.address}${path}`, { method, headers: { "Content-Type": "application/json", Authorization: `Bearer ${service.key}` }, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.json();
}

const why = async (metric, filters = []) => (await query(spike, { timezone, ...range, filters, parameters: [{ name: "why", metric, compare: "previous_weeks", minWeight: 3 }] }))[0];
const here = (more = {}) => open({ website: spike.websiteId, timezone, ...more });
const go = (tab, more) => tab.goto(`${service.address}/#${new URLSearchParams({ website: spike.websiteId, timezone, ...more })}`);
const changed = (tab) => tab.getByRole("region", { name: "What changed" });
const drawer = (tab) => tab.locator("dialog .why");
const filled = (tab) => tab.waitForFunction(() => document.querySelector("dialog .why") && !document.querySelector("dialog [aria-busy]") && document.querySelector("dialog pre").textContent);
const visitors = async (tab) => number(await tab.locator(".tile strong").first().textContent());

await run({
  async "what changed names the source and the page of a spike"() {
    await plant();
    const { data } = await why("visitors"), first = (name) => data.find(({ dimension }) => dimension === name);
    assert.deepEqual([first("entry_page").value, first("entry_page").current, first("referrer").current], [page, most, most], "the spike is not planted");
    const tab = await here();
    await settled(tab);
    const told = changed(tab).getByRole("listitem");
    await told.first().waitFor();
    const texts = await told.allTextContents(), source = first("referrer").value;
    assert.ok(texts.length <= 3 && texts.some((text) => text.startsWith(`Source ${source}: ${most} visitors, 0 before.`)), texts.join("\n"));
    assert.ok(texts.some((text) => text.startsWith(`Entry page ${page}: ${most} visitors, 0 before.`)), texts.join("\n"));
    assert.ok(!texts.some((text) => text.startsWith("Page ")), "one page is told twice");
    assert.match(source, /hacker|ycombinator/i);
    await everywhere(tab, "what changed");
    await tab.setViewportSize({ width: 360, height: 800 });
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than 360 px");
    await picture(tab, "changed-360");
    await told.filter({ hasText: "Source" }).getByRole("link").click();
    await settled(tab);
    assert.deepEqual((await address(tab)).getAll("filter").map(JSON.parse), [["referrer", "is", source]]);
    assert.equal(await visitors(tab), most);

    // Nothing is said if all moved together, and without another period.
    for (const view of [{ filter: without }, { compare: "none" }]) {
      await go(tab, view);
      await settled(tab);
      assert.ok((await visitors(tab)) > 0);
      assert.equal(await changed(tab).count(), 0, JSON.stringify(view));
    }
    await go(tab, {});
    await changed(tab).getByRole("link", { name: "All of it" }).click();
    await filled(tab);
    assert.equal((await address(tab)).get("edit"), "why:visitors");
  },

  async "a number opens a drawer that explains it"() {
    await send("POST", `/v1/websites/${spike.websiteId}/definitions`, { kind: "annotation", name: "front page", body: { at: day(10), text: "On the <b>front page</b>" } });
    await send("POST", `/v1/websites/${spike.websiteId}/definitions`, { kind: "annotation", name: "old", body: { at: day(40), text: "Version 2" } });
    await send("POST", `/v1/websites/${spike.websiteId}/definitions`, { kind: "annotation", name: "older", body: { at: day(60), text: "Version 1" } });
    const tab = await here();
    await settled(tab);
    const tile = tab.locator(".tile").filter({ hasText: "Visitors" }), shownBefore = await visitors(tab);
    await tile.locator(".number").focus();
    await tab.keyboard.press("Enter");
    await filled(tab);
    assert.equal((await address(tab)).get("edit"), "why:visitors");
    assert.equal((await address(tab)).get("metric"), null, "the number also draws its metric");
    const text = await drawer(tab).textContent(), [{ data: [now], previous: [before], meta }] = await query(spike, { timezone, ...range, parameters: [{ name: "summary_metrics", compare: "previous_weeks" }] });
    assert.equal(shownBefore, now.visitors);
    assert.ok(text.includes("Counts: Distinct visitors with a pageview."), text);
    assert.ok(text.includes(`from ${before.visitors}`) && number(await drawer(tab).locator(".number strong").textContent()) === now.visitors, text);
    const moment = (at) => new Intl.DateTimeFormat("en-GB", { timeZone: timezone, dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
    assert.deepEqual((await drawer(tab).locator("dd").allTextContents()).slice(0, 2), [`${moment(meta.from)} – ${moment(meta.to)}`, `${moment(meta.previous.from)} – ${moment(meta.previous.to)}`]);
    // What moved it: the rows of the API, each a link to the filtered view.
    const { data } = await why("visitors"), rows = await drawer(tab).locator("tbody tr").evaluateAll((all) => all.map((row) => [row.querySelector("bdi").textContent, ...[...row.cells].slice(1).map((cell) => cell.textContent)]));
    assert.equal(rows.length, data.length);
    const at = data.findIndex(({ dimension }) => dimension === "entry_page"), { weight } = data[at];
    assert.deepEqual(rows[at], [page, String(most), "0", "0", `+${weight.toFixed(1)}`]);
    assert.ok(weight >= 3);
    // What was noted in the two periods, as texts.
    assert.ok(text.includes("On the <b>front page</b>") && text.includes("Version 2") && !text.includes("Version 1"), text);
    // The focus stays in the drawer, and goes back to the number.
    for (let n = 0; n < 30; n += 1) {
      await tab.keyboard.press("Tab");
      assert.ok(await tab.evaluate(() => document.activeElement === document.body || document.activeElement.closest("dialog") !== null), "the focus leaves the drawer");
    }
    await everywhere(tab, "the drawer of a number");
    await tab.setViewportSize({ width: 360, height: 800 });
    const fits = () => tab.evaluate(() => [document.documentElement, document.querySelector("dialog")].every((one) => one.scrollWidth <= one.clientWidth + 1));
    assert.ok(await fits(), "the drawer does not fit 360 px");
    await picture(tab, "why-360");
    await tab.setViewportSize({ width: 1440, height: 900 });
    await picture(tab, "why-1440");
    await tab.keyboard.press("Escape");
    await drawer(tab).waitFor({ state: "detached" });
    assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), "why visitors");

    await tile.locator(".number").click();
    await filled(tab);
    const row = drawer(tab).locator("tbody tr").nth(at).getByRole("link");
    assert.deepEqual(new URLSearchParams((await row.getAttribute("href")).slice(1)).getAll("filter").map(JSON.parse), [["entry_page", "is", page]]);
    await row.click();
    await settled(tab);
    assert.equal(await drawer(tab).count(), 0);
    assert.equal(await visitors(tab), most);
    await tab.goBack();
    await filled(tab);
    await drawer(tab).getByRole("link", { name: "Single visits of this period" }).click();
    await tab.getByRole("heading", { name: "Visits", exact: true }).waitFor();
    assert.equal((await address(tab)).get("list"), "sessions");
  },

  async "the drawer says what it cannot explain"() {
    const tab = await here({ edit: "why:bounce_rate" });
    await filled(tab);
    assert.match(await drawer(tab).textContent(), /Counts: Share of sessions.*The server explains counts, not rates and times\. Look at what moved: Visitors Visits Pageviews/);
    await accessible(tab, "the drawer of a rate");
    await drawer(tab).getByRole("link", { name: "Visits", exact: true }).click();
    await tab.getByRole("heading", { name: "Why: Visits" }).waitFor();
    await filled(tab);
    assert.ok((await drawer(tab).locator("tbody tr").count()) > 0);
    await go(tab, { edit: "why:visitors", filter: without });
    await drawer(tab).getByText("Everything moved together").waitFor();
    assert.match(await drawer(tab).locator("dl").textContent(), /Page is not \/blog\/plain-text/);
    await go(tab, { edit: "why:visitors", preset: "today" });
    await drawer(tab).getByText("This period is counted up to now, and the other one up to the same time.").waitFor();
    await drawer(tab).getByText("One of the two periods has no visits").waitFor();
    await go(tab, { edit: "why:visitors", compare: "none" });
    await drawer(tab).getByText("This range is compared with nothing.").waitFor();
    await drawer(tab).getByRole("button", { name: "Compare it with the same weekdays before" }).click();
    await drawer(tab).locator("tbody tr").first().waitFor();
    await go(tab, { edit: "why:nothing" });
    await tab.waitForFunction(() => !location.hash.includes("edit"));
  },

  async "its request runs as curl, as Go and as SQL"() {
    const tab = await here({ edit: "why:visitors" }), folder = mkdtempSync(join(tmpdir(), "panel-why-")), form = (name) => drawer(tab).getByRole("button", { name, exact: true });
    await filled(tab);
    const { data } = await why("visitors"), shown = (wanted) => tab.waitForFunction((text) => document.querySelector("dialog pre").textContent.includes(text), wanted);
    const copied = async () => {
      await form("Copy").click();
      await drawer(tab).locator(".said").filter({ hasText: "Copied." }).waitFor();
      return tab.evaluate(() => navigator.clipboard.readText());
    };
    const runs = async () => JSON.parse(execFileSync("sh", ["-c", (await copied()).replace("Bearer KEY", `Bearer ${service.key}`)], { encoding: "utf8" })).data[0];
    assert.equal((await runs()).data[0].visitors, await visitors(tab));
    await tab.locator("dialog select[name=about]").selectOption("why");
    await shown("minWeight");
    assert.deepEqual((await runs()).data, data);
    await form("Go").click();
    await shown("package main");
    try {
      const file = join(folder, "main.go");
      writeFileSync(file, await copied());
      assert.equal(execFileSync("gofmt", ["-l", file], { encoding: "utf8" }), "");
      assert.equal(execFileSync("go", ["run", file], { cwd: service.root, encoding: "utf8", env: { ...process.env, SIGHTLINE_KEY: service.key } }).trim().split("\n").length, data.length);
    } finally {
      rmSync(folder, { recursive: true });
    }
    await form("SQL").click();
    await shown("SELECT");
    assert.match(await copied(), /count\(DISTINCT [^]*\n-- \$?p?1: /);
    await accessible(tab, "the SQL of a number");

    // A panel token reads, and sees no SQL.
    const { token } = await send("POST", "/v1/tokens", { ttl: 600, scopes: ["read:data"], resources: [{ kind: "website", id: spike.websiteId }] });
    const reader = await open({ key: token, website: spike.websiteId, timezone, edit: "why:visitors" });
    await filled(reader);
    assert.equal(await drawer(reader).locator("tbody tr").count(), data.length);
    await drawer(reader).getByRole("button", { name: "SQL" }).click();
    await drawer(reader).getByText("This key cannot see SQL.").waitFor();
  },

  async "a slow or failed explanation holds back nothing"() {
    const tab = await open({ website: service.otherId, timezone }), held = {};
    held.promise = new Promise((resolve) => { held.resolve = resolve; });
    await settled(tab);
    let answer = (route) => held.promise.then(() => route.continue());
    await tab.route("**/v1/query?*", (route) => (route.request().postData().includes('"why"') ? answer(route) : route.continue()));
    await go(tab, {});
    await tab.locator("[data-card=pages] tbody tr").first().waitFor();
    await tab.locator("[data-card=health] [role=tabpanel]:not([aria-busy])").waitFor();
    assert.ok((await visitors(tab)) > most);
    assert.equal(await changed(tab).count(), 0);
    held.resolve();
    await changed(tab).waitFor();
    answer = (route) => route.fulfill({ status: 500, contentType: "application/json", body: "{}" });
    await go(tab, { preset: "last_14d", edit: "why:visitors" });
    await drawer(tab).getByText("The server has a fault.").waitFor();
    await drawer(tab).locator(".number strong").waitFor();
    assert.ok(!(await tab.locator("#status").getAttribute("class"))?.includes("failed"), "the page fails with its explanation");
    await tab.keyboard.press("Escape");
    await drawer(tab).waitFor({ state: "detached" });
    await settled(tab);
    assert.equal(await changed(tab).count(), 0, "what changed in another range is shown");
  },
});
