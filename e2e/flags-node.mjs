// Creates random flags through the API, and evaluates them for random users with every client for
// servers: the SDK's flags manager, single and bulk, and OpenFeature's OFREP provider. Each answer
// must equal the result of the second evaluator.
//
//   node flags-node.mjs "$READY"
import { isDeepStrictEqual } from "node:util";
import { createServerFlagsManager } from "@databuddy/sdk/node";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OpenFeature } from "@openfeature/server-sdk";
import { random } from "./flags-random.mjs";
import { evaluate } from "./flags-reference.mjs";
import { check, ready } from "./service.mjs";

const service = ready();
const clientId = service.websiteId;
const seed = Number(process.env.SIGHTLINE_SEED ?? Date.now() % 1e9);
const source = random(seed);
let compared = 0;

await makeFlags("", 40);
await makeFlags("e", 30);
const sets = { "": await definitions(""), e: await definitions("e") };
for (let i = 0; i < 90; i++) await askFor(source.context());
await askOpenFeature();
console.log(JSON.stringify({ seed, compared }));
check(compared >= 2000, `only ${compared} results were compared`);

async function manage(method, path, body) {
  const response = await fetch(`${service.address}/public/v1/flags${path}`, {
    method, headers: { "x-api-key": service.key, "content-type": "application/json" }, body: body && JSON.stringify({ clientId, ...body }),
  });
  const answer = await response.json();
  check(response.ok && answer.success, `${method} ${path} (seed ${seed}): ${response.status} ${JSON.stringify(answer)} of ${JSON.stringify(body)}`);
  return answer;
}

async function makeFlags(environment, count) {
  const keys = [];
  for (let i = 0; i < count; i++) {
    const flag = source.goodFlag(`flag-${i}${i % 7 ? "" : "-ü🎉"}`, keys);
    await manage("POST", "", environment ? { ...flag, environment } : flag);
    keys.push(flag.key);
  }
}

async function definitions(environment) {
  const { flags } = await manage("GET", `/definitions?clientId=${clientId}&environment=${environment}`);
  return { flags, groups: [] };
}

function same(got, set, key, context, how) {
  const want = JSON.parse(JSON.stringify(evaluate(set, key, context, Date.now())));
  const { success, ...result } = got;
  check(isDeepStrictEqual(result, want), `${key} by ${how} (seed ${seed}) for ${JSON.stringify(context)}:\n${JSON.stringify(got)}\nwant ${JSON.stringify(want)}`);
  compared++;
}

/** Asks the SDK and the address for one person. */
async function askFor(sent) {
  const context = JSON.parse(JSON.stringify(sent));
  const { environment = "", ...user } = context;
  const set = sets[environment];
  const manager = createServerFlagsManager({ clientId, apiUrl: service.address, user, environment: environment || undefined });
  await manager.waitForInit();
  const keys = set.flags.map((f) => f.key);

  const some = [source.pick(keys), source.pick(keys), source.pick(keys)];
  const results = await Promise.all(some.map((key) => manager.getFlag(key))); // one request for all
  results.forEach((result, i) => {
    // A flag that is not active is none among all flags, and the SDK makes up its result.
    const made = { enabled: false, value: false, payload: null, reason: "NOT_FOUND" };
    const inactive = set.flags.find((f) => f.key === some[i]).status !== "active";
    if (inactive && isDeepStrictEqual(result, made)) return;
    same(result, set, some[i], context, "getFlag");
  });

  await manager.fetchAllFlags();
  const all = manager.getMemoryFlags();
  for (const key of keys) {
    const active = set.flags.find((f) => f.key === key).status === "active";
    check(active || all[key] === undefined || some.includes(key), `${key} is not active, and among all flags`);
    if (active) same(all[key], set, key, context, "fetchAllFlags");
  }
  manager.destroy();

  const query = new URLSearchParams({ clientId, key: some[0], ...context, properties: JSON.stringify(context.properties ?? {}) });
  same(await (await fetch(`${service.address}/public/v1/flags/evaluate?${query}`)).json(), set, some[0], context, "evaluate");
}

/** Asks as a server with OpenFeature does, and changes a flag meanwhile. */
async function askOpenFeature() {
  const { flag } = await manage("POST", "", { key: "of-server", type: "rollout", defaultValue: false, rolloutPercentage: 0 });
  await manage("POST", "", { key: "of-off", type: "boolean", defaultValue: false });
  await manage("POST", "", { key: "of-text", type: "multivariant", defaultValue: true, dependencies: ["of-off"], variants: [{ key: "a", type: "string", value: "A" }] });
  await manage("POST", "", { key: "of-cart", type: "boolean", defaultValue: false, rules: [{ type: "property", field: "cart", operator: "equals", value: "x", enabled: true }] });
  const client = OpenFeature.getClient();
  for (const headers of [[["X-Client-Id", clientId]], [["Authorization", `Bearer ${service.siteKey}`]]]) {
    await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: service.address, headers }));
    for (const on of [false, true]) {
      await manage("PATCH", `/${flag.id}`, { rolloutPercentage: on ? 100 : 0 });
      const got = await client.getBooleanDetails("of-server", !on, { targetingKey: "user-1" });
      check(got.value === on && got.reason === "SPLIT" && !got.errorCode, `OpenFeature says ${JSON.stringify(got)}, want ${on}`);
    }
    const none = await client.getBooleanDetails("no-such-flag", true, {});
    check(none.value === true && none.errorCode === "FLAG_NOT_FOUND", `OpenFeature says of no flag ${JSON.stringify(none)}`);
    await askAllTypes(client);
    await askFaults(client);
  }
}

/** Asks OpenFeature for a flag without its prerequisite, for one as another type, and with an attribute that is too large. */
async function askFaults(client) {
  const off = await client.getStringDetails("of-text", "fallback", {});
  check(off.value === "fallback" && off.errorCode !== "TYPE_MISMATCH", `a flag without its prerequisite: ${JSON.stringify(off)}`);
  const other = await client.getStringDetails("of-off", "fallback", {});
  check(other.value === "fallback" && other.errorCode === "TYPE_MISMATCH", `a flag as another type: ${JSON.stringify(other)}`);
  const large = { targetingKey: "user-1", cart: "x".repeat(20_000) };
  const fine = await client.getBooleanDetails("of-off", true, large);
  check(fine.value === false && !fine.errorCode, `a flag that does not read a large attribute: ${JSON.stringify(fine)}`);
  const cart = await client.getBooleanDetails("of-cart", true, large);
  check(cart.value === true && cart.errorCode === "INVALID_CONTEXT", `a flag that reads it: ${JSON.stringify(cart)}`);
}

/** Asks OpenFeature for every multivariant flag that is on, as its kind of value. */
async function askAllTypes(client) {
  const context = { userId: "user-7", properties: { p: "pro" } };
  const ask = { boolean: "getBooleanDetails", string: "getStringDetails", number: "getNumberDetails", object: "getObjectDetails" };
  for (const { key } of sets[""].flags) {
    const want = evaluate(sets[""], key, context, Date.now());
    if (want.reason === "FLAG_NOT_FOUND" || want.value === null) continue;
    if (want.value === undefined) { // it is off, so programs use their own value, whatever its type
      const off = await client.getStringDetails(key, "fallback", { targetingKey: context.userId, p: "pro" });
      check(off.value === "fallback" && off.errorCode !== "TYPE_MISMATCH", `${key} by OpenFeature, off: ${JSON.stringify(off)}`);
      compared++;
      continue;
    }
    const fallback = { boolean: !want.value, string: "fallback", number: -1, object: {} }[typeof want.value];
    const got = await client[ask[typeof want.value]](key, fallback, { targetingKey: context.userId, p: "pro" });
    check(isDeepStrictEqual(got.value, want.value) && got.variant === want.variant && got.flagMetadata.reason === want.reason,
      `${key} by OpenFeature (seed ${seed}): ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
    compared++;
  }
}
