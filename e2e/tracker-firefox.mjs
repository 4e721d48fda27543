// Firefox for the tests of the tracker.
import { readFile, writeFile } from "node:fs/promises";

// Firefox does not know the command by which the driver sets the colour scheme of pages.
const driver = "node_modules/playwright-core/lib/coreBundle.js";
const unknown = /await [\w.]+\.send\("emulation\.setMediaFeaturesOverride", /g;

/** Starts Firefox. All its requests go to a proxy. The driver must not have been imported before. */
export async function start(executablePath, proxy) {
  await writeFile(driver, (await readFile(driver, "utf8")).replace(unknown, "void ("));
  const { firefox } = await import("playwright-core");
  return firefox.launch({
    channel: "moz-firefox",
    executablePath,
    proxy: { server: proxy },
    firefoxUserPrefs: { "network.proxy.allow_hijacking_localhost": true },
  });
}

/** Runs in the page: says that it is on a phone, which the driver cannot do. */
export function phone() {
  const ask = window.matchMedia;
  window.matchMedia = (query) => (query === "(pointer: coarse)" ? { matches: true } : ask.call(window, query));
}
