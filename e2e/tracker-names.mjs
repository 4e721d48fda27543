// Ids, elements, links, paths, scripts and apps of other forms: rows by the number of the fault.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { expect, filter, rows, serve, service, stored, story, tag, visit } from "./tracker-shop.mjs";
import { to, watch } from "./tracker-watch.mjs";

export const names = {
  async "T13 ids are sent as they are written"() {
    const { sent, leave } = await watch("/t13/id", { head: tag().replace(service.websiteId, "023558") });
    await leave();
    assert.ok(sent.length > 0 && sent.every((text) => text.includes("client_id=023558&")), sent.join("\n"));
    const config = await watch("/t13/config", {
      head: tag().replace(/data-client-id="[^"]*"/, ""),
      change: (id) => {
        window.databuddyConfig = { clientId: id };
      },
      argument: service.websiteId,
    });
    await config.leave();
    await story("a client id of the page's config", config.session, ["exit /t13/config", "pageview /t13/config"]);
  },

  async "T13 the names of the page's elements hide nothing"() {
    const ids = [
      "databuddy",
      "db",
      "databuddyConfig",
      "databuddyOptOut",
      "navigation",
      "fetch",
      "crypto",
      "localStorage",
      "performance",
    ];
    const names = [
      "title",
      "referrer",
      "visibilityState",
      "readyState",
      "addEventListener",
      "currentScript",
      "cookie",
      "documentElement",
      "querySelectorAll",
    ];
    const elements =
      ids.map((id) => `<div id="${id}"></div>`).join("") +
      names.map((name) => `<form name="${name}"><input name="track"></form>`).join("");
    const { tab, leave, session, thrown } = await watch("/t13/names", {
      head: `${elements}${tag("data-track-interactions")}`,
    });
    await tab.evaluate(() => window.databuddy.track("named"));
    await leave();
    await story("elements with names of interfaces", session, [
      "event named",
      "exit /t13/names",
      "pageview /t13/names",
    ]);
    await expect("their titles", ["Shop"], async () => [
      ...new Set((await stored()).filter((row) => row.path === "/t13/names" && row.title).map((row) => row.title)),
    ]);
    assert.deepEqual(thrown, []);
  },

  async "T13 rejections say what was rejected"() {
    const { tab, leave } = await watch("/t13/errors");
    await tab.evaluate(() => {
      for (const reason of [
        { code: "E_PAY", status: 402 },
        "text",
        undefined,
        new RangeError("range"),
        { message: "of an object" },
      ])
        Promise.reject(reason);
      document.body.append(Object.assign(new Image(), { src: "data:none" }));
    });
    await expect(
      "rejections",
      [
        ["of an object", 1],
        ["range", 1],
        ["text", 1],
        ["undefined", 1],
        [`{"code":"E_PAY","status":402}`, 1],
      ],
      async () => (await rows("errors", filter("path", "/t13/errors"), (r) => [r.message, r.count])).sort(),
    );
    await leave();
  },

  async "T13 links of maps, images and components"() {
    const { tab, session, leave } = await watch("/t13/links");
    await tab.evaluate(() => {
      document.body.insertAdjacentHTML(
        "beforeend",
        `<map name="m"><area href="http://www.partner.example/area" alt="Area"></map>
        <svg><a href="http://www.partner.example/svg"><text>Drawn</text></a><a xlink:href="http://www.partner.example/old"><text>Old</text></a></svg>
        <a href="http://www.partner.example/slot"><x-icon></x-icon></a><a id="nowhere">nowhere</a><a href="mailto:a@b.example">mail</a>`,
      );
      const icon = document.querySelector("x-icon").attachShadow({ mode: "open" });
      icon.innerHTML = "<b>icon</b>";
      addEventListener("click", (e) => e.preventDefault());
      for (const each of [...document.querySelectorAll("area, svg text, #nowhere, a[href^=mailto]"), icon.firstChild]) {
        each.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true, cancelable: true }));
      }
    });
    await leave();
    await story("links", session, [
      ...["area", "old", "slot", "svg"].map((name) => `click http://www.partner.example/${name}`),
      "exit /t13/links",
      "pageview /t13/links",
    ]);
  },

  async "T13 spellings of a path are one view"() {
    const { tab, leave, session } = await watch("/t13/k%C3%BCche");
    for (const path of ["/t13/k%c3%bcche", "/t13/küche/", "/t13/%6B%C3%BCche", "/t13/ku%CC%88che"]) await to(tab, path);
    await leave();
    await story("spellings", session, ["exit /t13/küche", "pageview /t13/küche"]);
  },

  async "T13 a clock that is set does not end a visit"() {
    const { tab, leave, session } = await watch("/t13/clock/a");
    await tab.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() + 2 * 3_600_000;
      history.pushState({}, "", "/t13/clock/b");
    });
    await leave();
    await story("a clock that is set", session, [
      "exit /t13/clock/a",
      "exit /t13/clock/b",
      "pageview /t13/clock/a",
      "pageview /t13/clock/b",
    ]);
  },

  async "T13 the script may have another name, and may be a module"() {
    const own = tag()
      .replace(/src="[^"]*"/, `src="/copy/s.js"`)
      .replace(/ (integrity|data-api-url)="[^"]*"/g, "");
    const renamed = await watch("/t13/renamed", { head: own });
    await renamed.leave();
    assert.deepEqual([renamed.said, renamed.sent], [["Sightline: check the option apiUrl"], []]);
    const other = await watch("/t13/told", {
      head: own.replace("<script", `<script data-api-url="${service.trackAddress}"`),
    });
    await other.leave();
    await story("another name and the address", other.session, ["exit /t13/told", "pageview /t13/told"]);
    const told = encodeURIComponent(service.trackAddress);
    const query = `client-id=${service.websiteId}&api-url=${told}&ignore-bot-detection&batch-timeout=100`;
    for (const [name, head] of Object.entries({
      attributes: tag().replace("<script", `<script type="module"`),
      query: `<script type="module" src="/copy/tracker.js?${query}"></script>`,
    })) {
      const { leave, session } = await watch(`/t13/module/${name}`, { head });
      await leave();
      await story(`a module with ${name}`, session, [`exit /t13/module/${name}`, `pageview /t13/module/${name}`]);
    }
    const nobody = await watch("/t13/nobody", { head: tag().replace(/ data-client-id="[^"]*"/, "") });
    await nobody.leave();
    assert.deepEqual([nobody.said, nobody.sent], [["Sightline: check the option clientId"], []]);
  },

  async "T14 pages of apps on localhost count, and others do not"() {
    const app = await watch("/t14/tauri", { host: "http://tauri.localhost" });
    await app.tab.evaluate(() => databuddy.flush());
    await app.leave();
    assert.ok(
      app.sent.some((text) => text.includes("http://tauri.localhost/t14/tauri")),
      "a page of Tauri",
    );
    for (const name of ["Capacitor", "__TAURI_INTERNALS__"]) {
      const local = await watch(`/t14/${name}`, {
        host: service.here,
        change: (global) => (window[global] = {}),
        argument: name,
      });
      await local.leave();
      assert.ok(local.sent.length > 0, name);
    }
    const site = await watch("/t14/site", { host: service.here });
    await site.leave();
    assert.deepEqual(site.sent, [], "a page of a developer");
  },

  async "paths are compared as the server compares them"() {
    const vectors = JSON.parse(await readFile(service.vectors, "utf8"));
    serve("/vectors", "", "");
    const { tab } = await visit("/vectors");
    const got = await tab.evaluate(
      async (paths) => {
        const { normal } = await import("/source/paths.js");
        return paths.map(normal);
      },
      vectors.map(([path]) => path),
    );
    assert.deepEqual(
      vectors.map(([path], i) => [path, got[i]]),
      vectors,
    );
    assert.ok(vectors.length >= 20);
    await tab.context().close();
  },
};
