// Bundles the scenario of e2e/api-scenario.ts for an edge runtime, as users of the package do, and runs it in workerd.
//
//   node worker.mjs FOLDER "$READY"
//
// FOLDER has the compiled scenario. READY is the line that `sightline serve --json` prints when it serves.
import { build } from "esbuild";
import { Miniflare } from "miniflare";

const [resolveDir, ready] = process.argv.slice(2);
const contents = `
  import { scenario } from "./api-scenario.js";
  const text = (error) => new Response(String(error.stack), { status: 500 });
  export default { fetch: async (request) => scenario(await request.json()).then((said) => new Response(said), text) };`;
const { outputFiles } = await build({
  stdin: { contents, resolveDir }, bundle: true, format: "esm", platform: "neutral", conditions: ["worker"], write: false,
});
const worker = new Miniflare({ modules: true, script: outputFiles[0].text, compatibilityDate: "2026-04-01" });
const answer = await worker.dispatchFetch("http://worker.example/", { method: "POST", body: ready });
console.log(await answer.text());
await worker.dispose();
process.exit(answer.ok ? 0 : 1);
