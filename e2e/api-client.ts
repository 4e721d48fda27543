// Asks a running service with a client that is generated from docs/openapi.json: list, ask, page, compare, saved goals,
// funnels and segments, CSV, an error, a 429 with its retry, track, and the tracked events in an answer. The test generates openapi.ts, checks the types of this file
// and runs it:
//
//   openapi-typescript ../docs/openapi.json -o openapi.ts && tsc && node build/api-client.js "$READY"
//
// READY is the line that `sightline serve --json` prints when it serves.
import createClient from "openapi-fetch";
import { randomUUID } from "node:crypto";
import type { components, paths } from "./openapi.js";

type Ready = { address: string; trackAddress: string; key: string; websiteId: string };
type Schemas = components["schemas"];

const service: Ready = JSON.parse(process.argv[2] ?? "{}");
const website = { website_id: service.websiteId };

/** Throws an error with text unless what it says holds. */
function check(holds: boolean, text: string): asserts holds {
  if (!holds) throw new Error(text);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let refusals = 0;

/** Sends a request again after 429 and 503, when Retry-After says, and a little later than other clients. */
async function patient(request: Request): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(request.clone());
    if ((response.status !== 429 && response.status !== 503) || attempt === 4) return response;
    refusals++;
    await sleep(1000 * Number(response.headers.get("Retry-After") ?? 1) * (1 + Math.random() / 4));
  }
}

/** A client of the API with a key. */
const clientOf = (key: string) =>
  createClient<paths>({ baseUrl: service.address, headers: { Authorization: `Bearer ${key}` }, fetch: patient });

const api = clientOf(service.key);

/** The answer to one parameter, by the name of its query type. */
async function ask<N extends Schemas["Result"]["parameter"]>(parameter: Schemas["Parameter"] & { name: N }) {
  const { data, error } = await api.POST("/v1/query", { params: { query: website }, body: { preset: "last_7d", parameters: [parameter] } });
  check(typeof data === "object" && "data" in data, `query ${parameter.name}: ${JSON.stringify(error)}`);
  const result = data.data[0];
  check(result !== undefined && result.success === true, `query ${parameter.name}: ${JSON.stringify(result)}`);
  return result as Extract<Schemas["Result"], { parameter: N; success: true }>;
}

// List.
const listed = await api.GET("/v1/query/websites");
check(listed.data?.websites.some((w) => w.id === service.websiteId) === true, `the websites are ${JSON.stringify(listed)}`);

// The own key.
const self = await api.GET("/v1/self");
check(self.data?.self.kind === "key" && self.data.self.scopes.includes("read:data"), `the own key is ${JSON.stringify(self)}`);

// Ask.
const pages = await ask({ name: "pages", limit: 5 });
const top = pages.data[0];
check(top !== undefined && top.visitors > 0 && top.path.startsWith("/"), `the first page is ${JSON.stringify(top)}`);

// Page: all pages of two rows are the rows of one large page.
const paged: string[] = [];
for (let page = 1, more = true; more; page++) {
  const part = await ask({ name: "pages", limit: 2, page });
  paged.push(...part.data.map((row) => row.path));
  more = part.meta.hasMore && page < 20;
}
const all = await ask({ name: "pages", limit: 40 });
check(paged.length > 2 && JSON.stringify(paged) === JSON.stringify(all.data.map((row) => row.path)), `paged: ${paged}`);

// Compare.
const compared = await ask({ name: "summary_metrics", compare: "previous_period", totals: true });
check(compared.changes?.length === 1 && "visitors" in (compared.changes[0] ?? {}), `compared: ${JSON.stringify(compared)}`);

// Goals, funnels, segments and annotations are saved by a name. Questions use the first three by it.
const definitions: Schemas["NewDefinition"][] = [
  { kind: "segment", name: "Phones", body: { filters: [{ field: "device_type", op: "eq", value: "mobile" }] } },
  { kind: "goal", name: "Pricing", body: { page: "/pricing" } },
  { kind: "funnel", name: "To pricing", body: { steps: [{ page: "/" }, { page: "/pricing" }], window: "7d" } },
  { kind: "annotation", name: "Release", body: { at: "2026-11-27", text: "Version 2.1" } },
];
const site = { path: { website_id: service.websiteId } };
for (const body of definitions) {
  const saved = await api.POST("/v1/websites/{website_id}/definitions", { params: site, body });
  check(saved.data?.definition.name === body.name, `save ${body.name}: ${JSON.stringify(saved.error)}`);
}
const bySegment = await ask({ name: "summary_metrics", filters: [{ segment: "Phones" }] });
const byFilter = await ask({ name: "summary_metrics", filters: [{ field: "device_type", op: "eq", value: "mobile" }] });
check((byFilter.data[0]?.visitors ?? 0) > 0 && JSON.stringify(bySegment.data) === JSON.stringify(byFilter.data), `the segment: ${JSON.stringify(bySegment)}`);
const goals = await ask({ name: "goals", saved: true });
check(goals.data.some((row) => row.name === "Pricing"), `saved goals: ${JSON.stringify(goals.data)}`);
const funnel = await ask({ name: "funnel", saved: "To pricing" });
check(funnel.data.length === 2 && (funnel.data[0]?.visitors ?? 0) > 0, `the saved funnel: ${JSON.stringify(funnel.data)}`);
const listedDefinitions = await api.GET("/v1/websites/{website_id}/definitions", { params: site });
for (const d of listedDefinitions.data?.definitions ?? []) {
  if (d.kind === "funnel" && d.name === "To pricing") check(d.body.steps.length === 2, `the listed funnel: ${JSON.stringify(d)}`);
  if (d.kind === "annotation" && d.name === "Release") check(d.body.text === "Version 2.1", `the listed annotation: ${JSON.stringify(d)}`);
}
check(definitions.every(({ kind, name }) => listedDefinitions.data?.definitions.some((d) => d.kind === kind && d.name === name)), `definitions: ${JSON.stringify(listedDefinitions)}`);

// The rows of one query type as CSV.
const csv = await api.POST("/v1/query", {
  params: { query: website },
  body: { preset: "last_7d", parameters: [{ name: "pages", limit: 5 }] },
  headers: { Accept: "text/csv" },
  parseAs: "text",
});
const lines = String(csv.data).trim().split("\n");
check(lines.length === 6 && lines[0]?.split(",").includes("visitors") === true, `CSV: ${JSON.stringify(csv)}`);

// An error names the place, the code and a valid value.
const { error } = await api.POST("/v1/query", {
  params: { query: website },
  body: { preset: "last_7d", parameters: [{ name: "pages", limit: 20_000 }] },
});
const place = error && "details" in error ? error.details?.[0]?.field : undefined;
check(error?.code === "VALIDATION_ERROR" && place === "parameters[0].limit", `the error is ${JSON.stringify(error)}`);

// 429: a key with 60 requests a minute is refused at last, waits and is answered.
const made = await api.POST("/v1/keys", { body: { name: "Slow", scopes: ["read:data"], resources: [{ kind: "website", id: service.websiteId }], perMinute: 60 } });
check(typeof made.data?.secret === "string", `the new key: ${JSON.stringify(made.error)}`);
const slow = clientOf(made.data.secret);
for (let i = 0; i < 100 && refusals === 0; i++) {
  const answered = await slow.GET("/v1/query/websites");
  check(answered.response.status === 200, `request ${i}: ${answered.response.status}`);
}
check(refusals > 0, "no request was refused with 429");

// Track, and see it counted. The repeat has the same ids and counts nothing.
const name = `ts_${randomUUID().slice(0, 8)}`;
const events = ["a", "b", "c"].map((id) => ({ name, websiteId: service.websiteId, eventId: `${name}_${id}`, profileId: id }));
for (let repeat = 0; repeat < 2; repeat++) {
  const sent = await api.POST("/ingest/track", { body: events });
  check(sent.data !== undefined && sent.data.status === "success", `track: ${JSON.stringify(sent)}`);
}
const counted = await ask({ name: "custom_events", filters: [{ field: "event_name", op: "eq", value: name }] });
check(counted.data[0]?.total_events === 3 && counted.data[0].unique_users === 3, `counted: ${JSON.stringify(counted.data)}`);

console.log(JSON.stringify({ pages: all.data.length, refusals, counted: counted.data[0] }));
