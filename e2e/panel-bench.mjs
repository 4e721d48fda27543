// How fast the panel is, as medians of ten. See panel-page.mjs. It is no part of the tests: times depend on the machine.
//
//   SIGHTLINE_BENCH_PANEL=1 go test -v -run '^TestPanel$/^bench$' ./internal/e2e
import { loadavg } from "node:os";
import { open, run, settled } from "./panel-page.mjs";

const median = (all) => Math.round(all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]);
const times = 10;

// The time from the request of the page to its first numbers, and to the first paint, in ms.
const loaded = (tab) => tab.evaluate(() => ({
  numbers: performance.getEntriesByName("numbers")[0].startTime, paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  bytes: performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0), requests: performance.getEntriesByType("resource").length + 1,
}));

async function watch(tab) {
  await tab.context().addInitScript(() => {
    new MutationObserver((_, self) => {
      if (!document.querySelector("#tiles strong")) return;
      performance.mark("numbers");
      self.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
}

const report = (name, all) => console.log(`${name}: numbers ${median(all.map(({ numbers }) => numbers))} ms, paint ${median(all.map(({ paint }) => paint))} ms, ${median(all.map(({ requests }) => requests))} requests, ${median(all.map(({ bytes }) => bytes))} bytes`);

await run({
  async "loading and filtering"() {
    const cold = [], warm = [], filters = [];
    for (let i = 0; i < times; i += 1) {
      const tab = await open({ preset: "last_30d" }); // a browser without a cache; the first page only signs in
      await settled(tab);
      await watch(tab);
      const network = await tab.context().newCDPSession(tab);
      await network.send("Network.clearBrowserCache");
      await tab.reload();
      await settled(tab);
      cold.push(await loaded(tab));
      await tab.reload();
      await settled(tab);
      warm.push(await loaded(tab));
      filters.push(await tab.evaluate((n) => new Promise((resolve) => {
        const rows = document.querySelectorAll("#panel-pages td.name a"), began = performance.now(), answers = document.querySelector("#answers");
        new MutationObserver((_, self) => {
          if (answers.hasAttribute("aria-busy")) return;
          self.disconnect();
          resolve(performance.now() - began);
        }).observe(answers, { attributes: true, attributeFilter: ["aria-busy"] });
        rows[n % rows.length].click();
      }), i));
      await tab.context().close();
    }
    report("first load", cold);
    report("later loads", warm);
    console.log(`change of a filter: ${median(filters)} ms`);
    console.log(`medians of ${times}, load ${loadavg()[0].toFixed(1)}`);
  },
});
