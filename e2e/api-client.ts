// Runs the scenario of api-scenario.ts in Node, Bun or Deno. The test compiles it as an ES module and as CommonJS:
//
//   tsc && node build/api-client.js "$READY"
//
// READY is the line that `sightline serve --json` prints when it serves.
import { scenario } from "./api-scenario.js";

void scenario(JSON.parse(process.argv[2] ?? "{}")).then(console.log);
