// The settings of the panel: see panel-page.mjs.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { accessible, address, everywhere, open, picture, refused, run, service, settled } from "./panel-page.mjs";
import { unique } from "./service.mjs";

const card = (tab, title) => tab.locator(".card").filter({ has: tab.locator(`h2:text-is("${title}")`) });
const shown = (tab) => tab.waitForFunction(() => document.querySelector("dialog[open]") && !document.querySelector("dialog [aria-busy]"));
const closed = (tab) => tab.locator("dialog").waitFor({ state: "hidden" });
const secretIn = async (tab) => (await tab.locator("dialog code").filter({ hasText: "sl_" }).textContent()).trim();

/** Sends a request to the API, and returns its status and answer. */
async function ask(path, { key = service.key, method = "GET", body, headers } = {}) {
  const response = await fetch(service.address + path, {
    method, body: body && JSON.stringify(body), headers: { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }), ...headers },
  });
  return { status: response.status, answer: await response.json() };
}

async function settings(hash, options) {
  const tab = await open({ section: "settings", ...hash }, options);
  await settled(tab);
  return tab;
}

/** Creates a key by the API and returns its id and secret. */
async function keyWith(scopes, more = { all: true }) {
  const { status, answer } = await ask("/v1/keys", { method: "POST", body: { name: unique("test"), scopes, ...more } });
  assert.equal(status, 200, JSON.stringify(answer));
  return { id: answer.key.id, secret: answer.secret };
}

/** Waits until a request with a key has a status. Servers may apply a change a second later. */
async function until(status, key) {
  for (const end = Date.now() + 20_000; ;) {
    const got = (await ask("/v1/query/websites", { key })).status;
    if (got === status || Date.now() > end) return assert.equal(got, status);
    await new Promise((done) => setTimeout(done, 100));
  }
}

await run({
  async "keys are created, used, changed, rotated and revoked"() {
    const tab = await settings(), name = unique("Ann & <b>שלום</b>");
    await card(tab, "Keys").getByRole("button", { name: "Create key" }).click();
    await shown(tab);
    assert.equal((await address(tab)).get("edit"), "key:");
    assert.equal(await tab.evaluate(() => document.activeElement.name), "name");
    await tab.keyboard.type(name);
    await tab.getByLabel("Read statistics").uncheck();
    await tab.locator("dialog form button").click();
    await tab.locator("[data-field=scopes] .fault").filter({ hasText: "Choose at least one." }).waitFor();
    assert.equal(await tab.evaluate(() => document.activeElement.getAttribute("aria-invalid")), "true", "the focus is not on the mistake");
    await accessible(tab, "a mistake in a form");
    await tab.getByLabel("Read statistics").check();
    await tab.getByLabel("Only these websites").check();
    await tab.locator(`dialog input[value="${service.websiteId}"]`).check();
    await tab.locator("dialog select[name=expires]").selectOption("30");
    await tab.locator("dialog form button").click();
    await tab.getByText("It is shown once").waitFor();
    const secret = await secretIn(tab);
    await tab.locator("dialog").getByRole("button", { name: "Copy" }).click();
    await tab.getByText("Copied.").waitFor();
    assert.equal(await tab.evaluate(() => navigator.clipboard.readText()), secret);
    const { answer: { websites } } = await ask("/v1/query/websites", { key: secret });
    assert.deepEqual(websites.map(({ id }) => id), [service.websiteId], "the key sees other websites");
    await tab.keyboard.press("Escape");
    await closed(tab);
    assert.ok(!(await address(tab)).has("edit"));
    assert.ok(!(await tab.content()).includes(secret), "the secret is still in the page");
    const mine = card(tab, "Keys").locator("li").filter({ hasText: name });
    assert.match(await mine.textContent(), /Read statistics · .*ends/);

    const { answer: { keys } } = await ask("/v1/keys"), key = keys.find((one) => one.name === name);
    assert.deepEqual(key.scopes, ["read:data"]);
    assert.ok(Math.abs(new Date(key.expires) - Date.now() - 30 * 86_400_000) <= 86_400_000, `it ends ${key.expires}`);
    await mine.getByRole("button", { name, exact: true }).click();
    await shown(tab);
    await tab.reload();
    await shown(tab);
    assert.equal((await address(tab)).get("edit"), `key:${key.id}`);
    await tab.locator("dialog input[name=name]").fill(`${name}!`);
    await tab.getByRole("button", { name: "Save" }).click();
    await closed(tab);
    await mine.filter({ hasText: `${name}!` }).waitFor();
    const { answer: { key: changed } } = await ask(`/v1/keys/${key.id}`);
    assert.deepEqual({ ...changed, name, lastUsed: null }, { ...key, lastUsed: null }, "more than the name changed");

    await mine.getByRole("button", { name: /^Rotate/ }).click();
    await shown(tab);
    await tab.locator("dialog select[name=grace]").selectOption("1h");
    let escape;
    const escaped = new Promise((done) => { escape = done; });
    await tab.route(/v1\/keys$/, async (route) => { // the dialog closes before the new list arrives
      await escaped;
      await route.continue();
    });
    await tab.locator("dialog form button").click();
    await tab.getByText("It is shown once").waitFor();
    const later = await secretIn(tab);
    assert.notEqual(later, secret);
    await until(200, later);
    await until(200, secret);
    await tab.keyboard.press("Escape");
    await closed(tab);
    escape();
    await mine.filter({ hasText: "the replaced secret works until" }).waitFor({ timeout: 40_000 }); // each minute the page asks by itself
    await tab.unroute(/v1\/keys$/);

    await mine.getByRole("button", { name: /^Revoke/ }).click();
    await shown(tab);
    assert.match(await tab.locator("dialog").textContent(), /cannot be undone/);
    await until(200, later); // it asked first
    await tab.locator("dialog form button").click();
    await closed(tab);
    await until(401, later);
    await card(tab, "Keys").locator("summary").click();
    await card(tab, "Keys").locator("details li").filter({ hasText: name }).filter({ hasText: "revoked" }).waitFor();
  },

  async "rotating the own key does not sign out, revoking it does"() {
    const { id, secret } = await keyWith(["read:data", "manage:keys"]);
    const tab = await settings({ key: secret, edit: `rotate:${id}` });
    await shown(tab);
    await tab.locator("dialog form button").click();
    await tab.getByText("It is shown once").waitFor();
    const later = await secretIn(tab);
    await until(401, secret);
    await tab.reload();
    await shown(tab); // the dialog is in the address, but the secret is not shown again
    assert.equal(await tab.locator("dialog code").count(), 0);
    await tab.keyboard.press("Escape");
    await closed(tab);
    await card(tab, "Keys").locator("li").filter({ hasText: "this session" }).filter({ hasText: later.slice(0, 8) }).getByRole("button", { name: /^Revoke/ }).click();
    await tab.getByText("You will be signed out").waitFor();
    await tab.locator("dialog form button").click();
    await tab.getByText("This key is not valid").waitFor();
  },

  async "the audit trail has pages and shows who did what"() {
    const { id, secret } = await keyWith(["read:data"]), size = 50;
    for (let i = 0; i < size + 10; i++) await ask(`/v1/websites/none_${i}/analytics`, { key: secret });
    await until(200, secret);
    const tab = await settings({ search: id }), rows = card(tab, "Audit trail").locator("tbody tr"), texts = () => rows.allTextContents();
    for (let i = 0; i < 20 && (await rows.count()) < size; i++) { // entries appear a second later
      await tab.reload();
      await settled(tab);
    }
    assert.equal(await rows.count(), size);
    const first = await texts();
    await tab.getByRole("button", { name: "Older entries" }).click();
    await settled(tab);
    await tab.getByRole("button", { name: "Newest entries" }).waitFor();
    const second = await texts();
    assert.ok((await address(tab)).has("of"), "the page is not in the address");
    assert.equal(new Set([...first, ...second].filter((text) => text.includes("none_"))).size, size + 10, "an entry is lost or shown twice");
    await tab.reload();
    await settled(tab);
    assert.deepEqual(await texts(), second);
    await tab.goBack();
    await settled(tab);
    assert.deepEqual(await texts(), first);
    await tab.locator("select[name=audit-key]").selectOption("");
    const made = await keyWith(["read:data"]);
    for (let i = 0; i < 20 && !(await texts()).some((text) => text.includes(`Created a keyKey ${made.id}`)); i++) {
      await tab.reload();
      await settled(tab);
    }
    assert.ok((await texts()).some((text) => text.includes(`Created a keyKey ${made.id}`)), "the audit trail does not show who created a key");
  },

  async "a website is added, shows how to install the script, turns to numbers, and is removed"() {
    const tab = await settings(), name = unique("Shop"), domain = `${unique("shop").replace("_", "-")}.example`;
    await card(tab, "Websites").getByRole("button", { name: "Add website" }).click();
    await shown(tab);
    await tab.locator("dialog input[name=domain]").fill("two words");
    await tab.locator("dialog input[name=name]").fill(name);
    await tab.locator("dialog form button").click();
    await tab.locator("[data-field=domain] .fault").filter({ hasText: "Must be a host" }).waitFor();
    await tab.locator("dialog input[name=domain]").fill(`https://${domain}/`);
    await tab.locator("dialog form button").click();
    await tab.locator("dialog").getByText("<script src=").waitFor();
    await accessible(tab, "the script tag");
    const id = (await address(tab)).get("website");
    assert.equal((await address(tab)).get("edit"), `tag:${id}`);
    assert.equal(await tab.locator("#notices li").count(), 0);
    await tab.keyboard.press("Escape");
    await closed(tab);

    // Its overview shows the element, and then numbers.
    await tab.getByRole("link", { name: "Overview" }).click();
    await tab.getByText("Waiting for the first event").waitFor();
    await tab.getByText("<script src=").waitFor();
    await everywhere(tab, "a website without events");
    await picture(tab, "settings-first");
    assert.ok((await tab.locator(".first").textContent()).includes(domain));
    await tab.getByLabel("Only this version of the script").check();
    const tag = await tab.locator(".first code").textContent();
    const [, source, integrity] = tag.match(/src="([^"]+)" integrity="([^"]+)" .*data-client-id="[^"]+"/);
    assert.ok(tag.includes(`data-client-id="${id}"`));
    const script = Buffer.from(await (await fetch(source)).arrayBuffer());
    assert.equal(`sha384-${createHash("sha384").update(script).digest("base64")}`, integrity);
    await tab.evaluate(() => { globalThis.kept = true; });

    // What was refused in the meantime is told, with a button that allows it, or the command for readers who may not.
    const stray = () => fetch(`${source.slice(0, source.indexOf("/tracker/"))}/?website_id=${id}`, {
      method: "POST", headers: { "Content-Type": "application/json", Origin: "http://stage.partner.example", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36" },
      body: JSON.stringify({ type: "track", name: "screen_view", eventId: unique("e"), path: "http://stage.partner.example/", anonymousId: "a1", sessionId: unique("s"), timestamp: Date.now() }),
    });
    assert.equal((await stray()).status, 403);
    await tab.getByText("The server refused 1 request from pages of other hosts").waitFor();
    await everywhere(tab, "a refused origin");
    const token = await fetch(`${service.address}/v1/tokens`, { method: "POST", headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }, body: JSON.stringify({ scopes: ["read:data"] }) }).then((answer) => answer.json()).then(({ token: made }) => made);
    const reader = await open({ key: token, website: id });
    await reader.getByText(`sightline websites change ${id} --allow-origin localhost`).waitFor();
    await reader.context().close();
    await tab.getByLabel("Host to allow").fill("stage.partner.example");
    await tab.getByRole("button", { name: "Allow", exact: true }).click();
    await tab.getByText("Pages of stage.partner.example may send events now.").waitFor();
    await fetch(`${service.address}/v1/websites/${id}`, { method: "PATCH", headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }, body: JSON.stringify({ allowedOrigins: [] }) }); // events without an origin count again
    const sent = await fetch(`${source.slice(0, source.indexOf("/tracker/"))}/?website_id=${id}`, {
      method: "POST", headers: { "Content-Type": "application/json", "User-Agent": await tab.evaluate(() => navigator.userAgent.replace("Headless", "")) },
      body: JSON.stringify({ type: "track", name: "screen_view", eventId: unique("e"), path: `https://${domain}/`, anonymousId: "a1", sessionId: unique("s"), timestamp: Date.now() }),
    });
    assert.equal(sent.status, 200, await sent.text());
    await tab.locator("#tiles .tile").filter({ hasText: "Pageviews" }).filter({ hasText: "1" }).waitFor();
    assert.equal(await tab.evaluate(() => globalThis.kept), true, "the page was loaded again");
    assert.equal(await tab.locator(".first").count(), 0);

    // Its rules.
    await tab.getByRole("link", { name: "Settings" }).click();
    const mine = card(tab, "Websites").locator("li").filter({ hasText: name });
    await mine.getByRole("button", { name, exact: true }).click();
    await shown(tab);
    await tab.locator("dialog summary").filter({ hasText: "Who may send" }).click();
    await tab.locator("dialog textarea[name=allowedOrigins]").fill("*.partner.example\nnot a host");
    await tab.locator("dialog textarea[name=blockedAddresses]").fill("203.0.113.7");
    await tab.locator("dialog summary").filter({ hasText: "How long" }).click();
    await tab.locator("dialog input[name=retentionDays]").fill("3");
    await tab.locator("dialog summary").filter({ hasText: "How long" }).click();
    await tab.getByRole("button", { name: "Save" }).click();
    await tab.locator("[data-field=retentionDays] .fault").filter({ hasText: "between 7 and 36500 days" }).waitFor(); // its part opens again
    await tab.locator("[data-field=allowedOrigins] .fault").filter({ hasText: "not a host" }).waitFor();
    await accessible(tab, "mistakes in the rules of a website");
    await tab.locator("dialog textarea[name=allowedOrigins]").fill("*.partner.example");
    await tab.locator("dialog input[name=retentionDays]").fill("400");
    await tab.getByRole("button", { name: "Save" }).click();
    await closed(tab);
    await mine.filter({ hasText: "rows for 400 days" }).waitFor();
    const { answer: { website } } = await ask(`/v1/websites/${id}`);
    assert.deepEqual([website.allowedOrigins, website.blockedAddresses, website.retentionDays, website.domain, website.name], [["*.partner.example"], ["203.0.113.7/32"], 400, domain, name]);

    await mine.getByRole("button", { name: /^Remove/ }).click();
    await shown(tab);
    assert.match(await tab.locator("dialog").textContent(), /events stay stored/);
    assert.equal((await ask(`/v1/websites/${id}`)).status, 200); // it asked first
    await tab.locator("dialog form button").click();
    await closed(tab);
    await mine.waitFor({ state: "detached" });
    assert.equal((await ask(`/v1/websites`)).answer.websites.some((one) => one.id === id), false);
    assert.equal(await tab.locator(`select[name=website] option[value="${id}"]`).count(), 0, "the website can still be chosen");
    assert.equal(await tab.locator("#notices li").count(), 0);
  },

  async "keys that may less are told so"() {
    const site = { resources: [{ kind: "website", id: service.websiteId }] }, asked = [];
    const noted = { kind: "annotation", name: unique("noted"), body: { at: new Date().toISOString(), text: "Version 2.2" } };
    assert.equal((await ask(`/v1/websites/${service.websiteId}/definitions`, { method: "POST", body: noted })).status, 200);
    const reader = await settings({ key: (await keyWith(["read:data"], site)).secret });
    for (const title of ["Websites", "Keys", "Audit trail"]) assert.match(await card(reader, title).textContent(), /With this key you cannot/);
    assert.deepEqual(await reader.locator("#answers button").allTextContents(), ["Script tag"]);
    await everywhere(reader, "a key that may only read");
    reader.on("request", (sent) => sent.url().endsWith("/v1/self") && asked.push(sent.url()));
    await reader.reload();
    for (const section of ["Goals", "Overview"]) {
      await reader.getByRole("link", { name: section }).click();
      await settled(reader);
    }
    await reader.getByRole("slider").waitFor();
    await reader.getByRole("button", { name: "Annotations" }).click();
    await reader.locator("dialog li").first().waitFor();
    assert.equal(await reader.locator("dialog li button, dialog form").count(), 0, "a reader is offered to annotate");
    await accessible(reader, "annotations of a reader");
    await reader.keyboard.press("Escape");
    assert.equal(asked.length, 1, "the page asks more than once what the key may do");
    assert.deepEqual(refused, [], "the page asked for what the key may not");
    await reader.goto(`${service.address}/#website=${service.websiteId}&section=settings&edit=website:${service.websiteId}`);
    await reader.locator("dialog [role=alert]").waitFor();
    await reader.goto(`${service.address}/#website=${service.websiteId}&section=settings&edit=nothing:1`);
    await closed(reader);

    const limited = await settings({ key: (await keyWith(["read:data", "manage:websites", "manage:keys"], site)).secret });
    assert.match(await card(limited, "Websites").textContent(), /limited to these/);
    assert.equal(await limited.getByRole("button", { name: "Add website" }).count(), 0);
    await limited.getByRole("button", { name: "Create key" }).click();
    await shown(limited);
    assert.equal(await limited.getByLabel("Everything, also").count(), 0, "the form offers more than the key has");
    assert.equal(await limited.getByLabel("Erase visitors").count(), 0);

    // A key that sees no website has the settings alone.
    const blind = await settings({ key: (await keyWith(["manage:keys", "manage:websites"])).secret });
    await card(blind, "Keys").getByText("this session").waitFor();
    assert.ok((await card(blind, "Websites").locator("li").count()) > 0);
    await everywhere(blind, "a key that sees no website");
  },

  async "they are accessible in light and dark, wide and narrow"() {
    const { id } = await keyWith(["read:data"]);
    const states = { "": "", "key:": "key", [`key:${id}`]: "key-change", [`rotate:${id}`]: "rotate", [`revoke:${id}`]: "revoke", "website:": "website", [`website:${service.websiteId}`]: "website-change", [`tag:${service.websiteId}`]: "tag", [`remove:${service.websiteId}`]: "remove" };
    for (const width of [1440, 390]) {
      for (const colorScheme of ["light", "dark"]) {
        const tab = await settings({}, { viewport: { width, height: 900 }, colorScheme });
        for (const [edit, name] of Object.entries(states)) {
          await tab.goto(`${service.address}/#${new URLSearchParams({ website: service.websiteId, section: "settings", ...(edit && { edit }) })}`);
          await settled(tab);
          if (edit) await shown(tab);
          if (name === "website-change") for (const part of await tab.locator("dialog summary").all()) await part.click();
          await accessible(tab, `${edit || "settings"}, ${width} px, ${colorScheme}`);
          assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${edit}: the page is wider than ${width} px`);
          assert.ok(await tab.evaluate(() => [...document.querySelectorAll("dialog[open]")].every((one) => one.scrollWidth <= one.clientWidth)), `${edit}: the dialog is wider than ${width} px`);
          await picture(tab, `settings-${name || "all"}-${width}-${colorScheme}`);
        }
        await tab.context().close();
      }
    }
  },
});
