// What pages, browsers and visitors do to the tracker, and what the server must count all the same.
import { counts } from "./tracker-counts.mjs";
import { interfaces } from "./tracker-interfaces.mjs";
import { manners } from "./tracker-manners.mjs";
import { names } from "./tracker-names.mjs";

const atOnce = 4;

/** Runs the tests. Their error names each that failed. */
export async function faults() {
  const waiting = Object.entries({ ...manners, ...counts, ...names, ...interfaces });
  const failed = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, run] = next;
      await run().catch((error) => failed.push(`${name}: ${error.stack}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failed.length > 0) throw new Error(failed.join("\n\n"));
}
