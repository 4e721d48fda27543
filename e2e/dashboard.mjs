// Opens the example's dashboard in Chromium and compares its content with answers of the API.
//
//   node dashboard.mjs '{"address":…,"key":…,"websiteId":…,"chromium":…,"pictures":…}'
//
// pictures is an optional folder for screenshots.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { query, ready } from "./service.mjs";

const service = ready();
const browser = await chromium.launch({ executablePath: service.chromium, args: ["--no-sandbox"] });
const problems = [];

/** The dashboard in a tab of its own. */
async function open(hash, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: "Europe/Berlin", ...options });
  context.setDefaultTimeout(120_000); // a busy machine must not fail the test
  const tab = await context.newPage();
  tab.on("console", (said) => said.type() === "error" && problems.push(said.text()));
  tab.on("pageerror", (error) => problems.push(String(error)));
  await tab.goto(`${service.address}/#${new URLSearchParams(hash)}`);
  return tab;
}

const number = (text) => Number(text.replaceAll(",", "").match(/^[\d.]+/)[0]);
const shown = (tab) => tab.locator("#answers").waitFor({ state: "visible" });

const tab = await open({ key: service.key, website: service.websiteId });
await shown(tab);
assert.ok(!(await tab.evaluate(() => location.href)).includes(service.key), "the key stays in the address");
const ask = { timezone: "Europe/Berlin", preset: "last_30d" };
const [{ data: [totals] }, { data: pages }] = await query(service, { ...ask, parameters: ["summary_metrics", { name: "pages", limit: 8, sortBy: "pageviews", sortOrder: "desc" }] });
const first = tab.locator("section").filter({ hasText: "Pages" }).locator("tbody tr").first();
assert.equal(number(await tab.locator("dt:text-is('Pageviews') + dd").textContent()), totals.pageviews);
assert.deepEqual(await first.locator("td").allTextContents().then(([name, views]) => [name, number(views)]), [pages[0].path, pages[0].pageviews]);
assert.equal(await tab.locator("section .failed").count(), 0, "a table failed");

// A click on a row filters by that page. A click on the filter removes it.
await first.locator("button").click();
await tab.locator("#filters button").waitFor();
const [{ data: [filtered] }] = await query(service, { ...ask, parameters: ["summary_metrics"], filters: [{ field: "path", op: "eq", value: pages[0].path }] });
assert.equal(number(await tab.locator("dt:text-is('Pageviews') + dd").textContent()), filtered.pageviews);
await tab.locator("#filters button").click();
await tab.locator("#filters button").waitFor({ state: "detached" });
assert.deepEqual(problems, []);

const stranger = await open({ key: "sl_nobody" });
await stranger.locator("#status.failed").waitFor();
assert.match(await stranger.locator("#status").textContent(), /^AUTH_REQUIRED: /);

if (service.pictures) {
  for (const [name, width, colorScheme] of [["wide-light", 1280, "light"], ["wide-dark", 1280, "dark"], ["phone-light", 390, "light"], ["phone-dark", 390, "dark"]]) {
    const one = await open({ key: service.key, website: service.websiteId }, { viewport: { width, height: 900 }, colorScheme });
    await shown(one);
    await one.screenshot({ path: `${service.pictures}/${name}.png`, fullPage: true });
  }
}
await browser.close();
console.log("ok");
