// The panel in Chromium, for the scripts panel-*.mjs. They use it as a reader does, and compare what it shows with answers of the API.
//
//   node panel-overview.mjs '{"address":…,"key":…,"websiteId":…,"otherId":…,"linkId":…,"scheduleId":…,"chromium":…,"pictures":…}'
//
// ONLY=text in the environment runs the parts whose names have the text. WAIT is the time for each step in ms.
// otherId is a website without events; spikeId is one that panel-why.mjs fills; lnk_other and mon_other are a link without clicks and a monitor without checks. pictures is an
// optional folder for screenshots.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { ready } from "./service.mjs";

export const service = ready();
const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const browser = await chromium.launch({ executablePath: service.chromium, args: ["--no-sandbox"] });
const problems = []; // errors of the console, violations of the policy, and requests to other hosts

/** The requests of the running part that were answered with 403. */
export const refused = [];

/** Opens the panel in a browser of its own. */
export async function open(hash = {}, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: "Europe/Berlin", locale: "en-GB", permissions: ["clipboard-read", "clipboard-write"], ...options });
  context.setDefaultTimeout(Number(process.env.WAIT ?? 60_000)); // a busy machine must not fail the test
  const tab = await context.newPage();
  tab.on("console", (said) => said.type() === "error" && !/status of (400|401|403|429|500)|ERR_(FAILED|CONNECTION)/.test(said.text()) && problems.push(said.text()));
  tab.on("pageerror", (error) => problems.push(String(error)));
  tab.on("request", (sent) => sent.url().startsWith(service.address) || /^(data|blob):/.test(sent.url()) || problems.push(`request to ${sent.url()}`));
  tab.on("response", (got) => got.status() === 403 && refused.push(got.url()));
  await tab.goto(`${service.address}/#${hash instanceof URLSearchParams ? hash : new URLSearchParams({ key: service.key, website: service.websiteId, ...hash })}`);
  return tab;
}

/** Waits until the page shows its answers. After the first ones it draws again, once it knows the annotations and what the key may do. */
export async function settled(tab) {
  await tab.waitForFunction(() => !document.querySelector("#answers").hidden && !document.querySelector("[aria-busy]") && !document.querySelector("#answers.stale"));
  await tab.waitForLoadState("networkidle", { timeout: 3000 }).catch(() => {}); // some tests hold requests back
}

export const number = (text) => Number(text.replaceAll(",", "").match(/^[\d.]+/)[0]);
export const address = async (tab) => new URLSearchParams((await tab.evaluate(() => location.hash)).slice(1));

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * Fails if axe finds a fault. All addresses of the page begin with #, so axe takes each link that is scrolled away for a skip link. That of
 * the page is a button, which panel-overview.mjs presses.
 */
export async function accessible(tab, state, runOnly = rules) {
  await tab.waitForFunction(() => document.getAnimations().length === 0); // texts that fade in have less contrast
  await tab.evaluate(() => scrollTo(0, 0)); // axe takes what scrolls below the bar in sight for small
  if (!(await tab.evaluate(() => "axe" in globalThis))) await tab.evaluate(axe);
  const found = await tab.evaluate((only) => axe.run(document, { runOnly: only, rules: { "skip-link": { enabled: false } }, resultTypes: ["violations"] }), runOnly);
  assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], state);
}

/** Whether the night's tests run, which look at every state. */
export const night = Boolean(process.env.SIGHTLINE_NIGHT);

const contrast = { type: "rule", values: ["color-contrast"] };

// The states that axe looks at: width, colours and rules. Only contrast depends on the colours.
const looks = night
  ? [[390, "light", contrast], [390, "dark", rules], [1440, "dark", contrast], [1440, "light", rules]]
  : [[390, "dark", contrast], [1440, "light", rules]];

/** Fails if axe finds a fault in a state of the page, or if it scrolls sideways: wide and narrow, light and dark. At night it looks at each pair. */
export async function everywhere(tab, state) {
  for (const [width, colorScheme, runOnly] of looks) {
    await tab.setViewportSize({ width, height: 900 });
    await tab.emulateMedia({ colorScheme });
    await accessible(tab, `${state}, ${width} px, ${colorScheme}`, runOnly);
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${state} is wider than ${width} px`);
  }
}

/** Runs parts, functions by their names, one after the other. Each ends with closed contexts and without errors of the console. */
export async function run(parts) {
  for (const [name, part] of Object.entries(parts)) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
    refused.length = 0;
    try {
      await part();
    } catch (error) {
      console.error(`${name}: ${error.stack}`);
      process.exitCode = 1;
    }
    for (const context of browser.contexts()) await context.close();
    assert.deepEqual(problems, [], name);
  }
  await browser.close();
  if (!process.exitCode) console.log("ok");
}

/** Takes a picture of the whole page, if pictures has a folder. */
export async function picture(tab, name) {
  if (service.pictures) await tab.screenshot({ path: `${service.pictures}/${name}.png`, fullPage: true });
}
