// Runs in a browser on a page of another origin than the service: the SDK's flags manager,
// OpenFeature's OFREP provider for the web, and the calls of the SDK's overlay. It sends its
// results to /result of the page's origin.
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { evaluate } from "./flags-reference.mjs";

const { address, key, websiteId: clientId } = JSON.parse(decodeURIComponent(location.hash.slice(1)));

function check(holds, text) {
  if (!holds) throw new Error(text);
}

/** A call as the overlay makes it; of what it answers the overlay reads flags or error. */
async function overlay(method, path, body) {
  const response = await fetch(`${address}/public/v1/flags${path}`, {
    method, credentials: "omit", headers: { "x-api-key": key, ...(body && { "content-type": "application/json" }) },
    body: body && JSON.stringify({ clientId, ...body }),
  });
  const answer = await response.json();
  check(response.ok, `${method} ${path}: ${response.status} ${answer.error}`);
  return answer;
}

const list = async () => (await overlay("GET", `/definitions?clientId=${clientId}`)).flags;

/** List, create, change and delete, each seen by the list right after it. */
async function manage() {
  const find = async () => (await list()).find((f) => f.key === "overlay");
  check((await find()) === undefined, "a flag is there before it is made");
  await overlay("POST", "", { key: "overlay", type: "multivariant", defaultValue: true, description: "d", variants: [{ key: "a", type: "string", value: "A" }] });
  const made = await find();
  check(made?.status === "active" && made.variants[0].value === "A", `made: ${JSON.stringify(made)}`);
  await overlay("PATCH", `/${encodeURIComponent(made.id)}`, { status: "inactive", description: null });
  const changed = await find();
  check(changed?.status === "inactive" && !changed.description, `changed: ${JSON.stringify(changed)}`);
  await overlay("DELETE", `/${encodeURIComponent(made.id)}?clientId=${clientId}`);
  check((await find()) === undefined, "a flag is there after it was deleted");
}

/** The SDK's manager, which the package gives to its React and Vue parts. */
async function sdk() {
  const parts = await (await fetch("/node_modules/@databuddy/sdk/dist/vue/index.mjs")).text();
  const [, file] = /a as BrowserFlagsManager \} from '\.\.([^']+)'/.exec(parts);
  const { a: BrowserFlagsManager } = await import(`/node_modules/@databuddy/sdk/dist${file}`);
  const user = { userId: "user-1", email: "ada@acme.example", properties: { plan: "pro" } };
  const manager = new BrowserFlagsManager({ config: { clientId, apiUrl: address, user, autoFetch: false } });
  const set = { flags: await list(), groups: [] };
  const want = (name) => JSON.stringify(evaluate(set, name, user, Date.now()));
  const same = (name, got) => check(JSON.stringify(got) === want(name), `${name}: ${JSON.stringify(got)}, want ${want(name)}`);
  const names = set.flags.filter((f) => f.status === "active").map((f) => f.key);
  same(names[0], await manager.getFlag(names[0]));
  const [one, two, none] = await Promise.all([manager.getFlag(names[1]), manager.getFlag(names[2]), manager.getFlag("none")]);
  same(names[1], one);
  same(names[2], two);
  check(none.reason === "NOT_FOUND", `a flag that is not there: ${JSON.stringify(none)}`);
  await manager.fetchAllFlags();
  const all = manager.getMemoryFlags();
  names.forEach((name) => same(name, all[name]));
  return names.length;
}

/** OpenFeature as another type, without a prerequisite, and with an attribute that is too large for one of the flags. */
async function faults(client) {
  await overlay("POST", "", { key: "of-web-off", type: "boolean", defaultValue: false });
  await overlay("POST", "", { key: "of-web-text", type: "multivariant", defaultValue: true, dependencies: ["of-web-off"], variants: [{ key: "a", type: "string", value: "A" }] });
  await overlay("POST", "", { key: "of-web-cart", type: "boolean", defaultValue: false, rules: [{ type: "property", field: "cart", operator: "equals", value: "x", enabled: true }] });
  await OpenFeature.setContext({ targetingKey: "user-1", cart: "x".repeat(20_000) });
  const text = client.getStringDetails("of-web-text", "fallback");
  check(text.value === "fallback" && text.errorCode !== "TYPE_MISMATCH", `a flag without its prerequisite: ${JSON.stringify(text)}`);
  const other = client.getStringDetails("of-web", "fallback");
  check(other.value === "fallback" && other.errorCode === "TYPE_MISMATCH", `a flag as another type: ${JSON.stringify(other)}`);
  const fine = client.getBooleanDetails("of-web", false);
  check(fine.value === true && !fine.errorCode, `a flag that does not read a large attribute: ${JSON.stringify(fine)}`);
  const cart = client.getBooleanDetails("of-web-cart", true);
  check(cart.value === true && cart.errorCode, `a flag that reads it: ${JSON.stringify(cart)}`);
}

/** OpenFeature, whose provider asks again and again, sees a flag change. */
async function openFeature() {
  const { flag } = await overlay("POST", "", { key: "of-web", type: "boolean", defaultValue: false });
  const statuses = [];
  const counted = async (request) => {
    const response = await fetch(request);
    statuses.push(response.status);
    return response;
  };
  const provider = new OFREPWebProvider({ baseUrl: address, headers: [["X-Client-Id", clientId]], pollInterval: 50, cacheMode: "disabled", fetchImplementation: counted });
  await OpenFeature.setProviderAndWait(provider, { targetingKey: "user-1" });
  const client = OpenFeature.getClient();
  check(client.getBooleanValue("of-web", true) === false, "it is on before it was changed");
  while (!statuses.includes(304)) await new Promise((then) => setTimeout(then, 10));
  const flipped = new Promise((then) => client.addHandler(ProviderEvents.ConfigurationChanged, then));
  await overlay("PATCH", `/${flag.id}`, { defaultValue: true });
  await flipped;
  check(client.getBooleanValue("of-web", false) === true, "it is off after it was changed");
  await faults(client);
  await OpenFeature.close();
}

try {
  await manage();
  const flags = await sdk();
  await openFeature();
  await report(`ok: ${flags} flags, ${location.origin} to ${address}`);
} catch (fault) {
  await report(`failed: ${fault.stack ?? fault}`);
}
