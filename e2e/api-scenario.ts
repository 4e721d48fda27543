// One scenario with the package client/typescript: list, ask, page, compare, saved goals, funnels and segments, CSV,
// errors, a 429 with its repeat, track, the tracked events in an answer, and a flag. It runs in every runtime.
import { createClient, SightlineError, type Name, type Parameter, type Schemas } from "@sightline-analytics/client";

/** The service, from the line that `sightline serve --json` prints. */
export type Service = { address: string; trackAddress: string; key: string; websiteId: string };

/** Throws an error with text unless what it says holds. */
export function check(holds: boolean, text: string): asserts holds {
  if (!holds) throw new Error(text);
}

/** Returns the error that a call throws. */
async function thrown(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error(`no error: ${call}`);
}

export async function scenario(service: Service): Promise<string> {
  const unique = crypto.randomUUID().slice(0, 8);
  let refusals = 0;
  const clientOf = (key: string) =>
    createClient({
      url: `${service.address}/`,
      trackUrl: service.trackAddress,
      key,
      fetch: async (...sent) => {
        const response = await fetch(...sent);
        if (response.status === 429) refusals++;
        return response;
      },
    });
  const api = clientOf(`${service.key}\n`); // as a file has it
  const site = { website_id: service.websiteId };
  const ask = <N extends Name>(question: Parameter<N>) => api.ask<N>(site, { ...question, preset: "last_7d" });

  // A key that no header can hold is not shown.
  const broken = await thrown(() => clientOf("secret\nX-Other: 1"));
  check(broken instanceof TypeError && /line feed/.test(broken.message) && !/secret/.test(broken.message), `${broken}`);

  // List, and the own key.
  const { websites } = await api.request("/v1/query/websites", "get");
  check(websites.some((w) => w.id === service.websiteId), `the websites are ${JSON.stringify(websites)}`);
  const { self } = await api.request("/v1/self", "get");
  check(self.kind === "key" && self.scopes.includes("read:data"), `the own key is ${JSON.stringify(self)}`);

  // Ask several questions. One of them fails alone.
  const answer = await api.query(site, {
    preset: "last_7d",
    filters: [{ field: "device_type", op: "in", value: ["mobile", "desktop"] }],
    parameters: ["summary_metrics", { name: "pages", limit: 5 }, { dataset: "events", metrics: ["total_events"] }, "link_total_clicks"],
  });
  const [summary, pages, chosen, failed] = answer.data;
  check(summary.success && (summary.data[0]?.visitors ?? 0) > 0, `the summary is ${JSON.stringify(summary)}`);
  check(pages.success && pages.data[0]?.path.startsWith("/") === true, `the pages are ${JSON.stringify(pages)}`);
  check(chosen.success && (chosen.data[0]?.total_events ?? 0) > 0, `the chosen metrics are ${JSON.stringify(chosen)}`);
  check(!failed.success && failed.code === "WRONG_SUBJECT", `clicks of a website: ${JSON.stringify(failed)}`);

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
  const phones = { field: "device_type", op: "eq", value: "mobile" } as const;
  const definitions: Schemas["NewDefinition"][] = [
    { kind: "segment", name: `Phones ${unique}`, body: { filters: [phones] } },
    { kind: "goal", name: `Pricing ${unique}`, body: { page: "/pricing" } },
    { kind: "funnel", name: `To pricing ${unique}`, body: { steps: [{ page: "/" }, { page: "/pricing" }], window: "7d" } },
    { kind: "annotation", name: `Release ${unique}`, body: { at: "2026-11-27", text: "Version 2.1" } },
  ];
  for (const body of definitions) {
    const { definition } = await api.request("/v1/websites/{website_id}/definitions", "post", { path: site, body });
    check(definition.name === body.name, `save ${body.name}: ${JSON.stringify(definition)}`);
  }
  const bySegment = await ask({ name: "summary_metrics", filters: [{ segment: `Phones ${unique}` }] });
  const byFilter = await ask({ name: "summary_metrics", filters: [phones] });
  check((byFilter.data[0]?.visitors ?? 0) > 0 && JSON.stringify(bySegment.data) === JSON.stringify(byFilter.data), `the segment: ${JSON.stringify(bySegment)}`);
  const goals = await ask({ name: "goals", saved: true });
  check(goals.data.some((row) => row.name === `Pricing ${unique}`), `saved goals: ${JSON.stringify(goals.data)}`);
  const funnel = await ask({ name: "funnel", saved: `To pricing ${unique}` });
  check(funnel.data.length === 2 && (funnel.data[0]?.visitors ?? 0) > 0, `the saved funnel: ${JSON.stringify(funnel.data)}`);
  const listed = await api.request("/v1/websites/{website_id}/definitions", "get", { path: site, query: { limit: 100 } });
  for (const d of listed.definitions) {
    if (d.kind === "funnel" && d.name === `To pricing ${unique}`) check(d.body.steps.length === 2, `the listed funnel: ${JSON.stringify(d)}`);
  }
  check(definitions.every(({ name }) => listed.definitions.some((d) => d.name === name)), `definitions: ${JSON.stringify(listed)}`);

  // The rows of one query type as CSV, of a request with a list in its address.
  const csv = await api.response("/v1/query", "get", {
    query: { ...site, preset: "last_7d", parameters: ["pages"], limit: 5, groupBy: ["country", "device_type"] },
    headers: { Accept: "text/csv" },
  });
  const lines = (await csv.text()).trim().split("\n");
  check(lines.length === 6 && ["visitors", "device_type"].every((column) => lines[0]?.split(",").includes(column)), `CSV: ${lines}`);

  // An error names the place, the code and what would be valid; of one question as of a request.
  for (const wrong of [
    await thrown(() => ask({ name: "pages", limit: 20_000 })),
    await thrown(() => api.request("/v1/query", "post", { query: site, body: { preset: "last_7d", parameters: [{ name: "pages", limit: 20_000 }] } })),
  ]) {
    check(wrong instanceof SightlineError && wrong.code === "VALIDATION_ERROR" && wrong.status === 400, `the error is ${wrong}`);
    check(wrong.mistakes[0]?.field === "parameters[0].limit" && /limit/.test(wrong.message) && wrong.requestId !== "", `the error is ${wrong}`);
  }
  const alone = await thrown(() => ask({ name: "link_total_clicks" }));
  check(alone instanceof SightlineError && alone.code === "WRONG_SUBJECT" && alone.status === 200, `the error is ${alone}`);
  const refused = await thrown(() => clientOf("wrong").request("/v1/self", "get"));
  check(refused instanceof SightlineError && refused.code === "AUTH_REQUIRED" && refused.status === 401, `the error is ${refused}`);
  const elsewhere = createClient({ url: service.address, fetch: async () => new Response("<html>", { status: 502 }) });
  const foreign = await thrown(() => elsewhere.request("/v1/self", "get"));
  check(foreign instanceof SightlineError && foreign.code === "" && foreign.status === 502, `the error is ${foreign}`);
  const aborted = await thrown(() => api.ask(site, { name: "pages" }, { signal: AbortSignal.abort() }));
  check(aborted instanceof Error && aborted.name === "AbortError", `the error is ${aborted}`);

  // 429: a key with 60 requests a minute is refused at last, waits and is answered.
  const made = await api.request("/v1/keys", "post", {
    body: { name: "Slow", scopes: ["read:data"], resources: [{ kind: "website", id: service.websiteId }], perMinute: 60 },
  });
  const slow = clientOf(made.secret ?? "");
  for (let i = 0; i < 100 && refusals === 0; i++) await slow.request("/v1/query/websites", "get");
  check(refusals > 0, "no request was refused with 429");

  // 503: a request that may change something is not sent again. A signal ends the wait.
  const methods: (string | undefined)[] = [];
  const awayFor = (seconds: string) =>
    createClient({
      url: service.address,
      retries: 1,
      fetch: async (_, init) => {
        methods.push(init?.method);
        return new Response("{}", { status: 503, headers: { "Retry-After": seconds } });
      },
    });
  await thrown(() => awayFor("0.01").request("/v1/self", "get"));
  await thrown(() => awayFor("0.01").request("/v1/tokens", "post", { body: {} }));
  check(methods.join() === "GET,GET,POST", `sent while the service is away: ${methods}`);
  const ended = await thrown(() => awayFor("50").request("/v1/self", "get", { signal: AbortSignal.timeout(50) }));
  check(ended instanceof Error && ended.name === "TimeoutError", `the error is ${ended}`);

  // Track, and see it counted. The repeat has the same ids and counts nothing.
  const name = `ts_${unique}`;
  const events = ["a", "b", "c"].map((id) => ({ name, eventId: `${name}_${id}`, profileId: id }));
  for (let repeat = 0; repeat < 2; repeat++) {
    const tracked = await api.track(service.websiteId, events);
    check(tracked.length === 3 && tracked.every((each) => each.status === "success"), `track: ${JSON.stringify(tracked)}`);
  }
  const [one] = await api.track(service.websiteId, { name, profileId: "a", properties: { plan: "pro" } });
  check(one?.status === "success" && one.eventId !== undefined, `track one: ${JSON.stringify(one)}`);
  const nameless = await thrown(() => api.track(service.websiteId, { name: "" }));
  check(nameless instanceof SightlineError && nameless.status === 400 && nameless.mistakes[0]?.field === "name", `the event without a name: ${nameless}`);
  const counted = await ask({ name: "custom_events", filters: [{ field: "event_name", op: "eq", value: name }] });
  check(counted.data[0]?.total_events === 4 && counted.data[0].unique_users === 3, `counted: ${JSON.stringify(counted.data)}`);

  // A flag that is on for a property.
  const key = `flag-${unique}`;
  await api.request("/public/v1/flags", "post", {
    body: {
      clientId: service.websiteId, key, type: "boolean", defaultValue: false,
      rules: [{ type: "property", field: "plan", operator: "equals", value: "pro", enabled: true }],
    },
  });
  const values = [];
  for (const plan of ["pro", "free"]) {
    const results = await api.flags({ clientId: service.websiteId, keys: [key, "missing"], userId: "user_1", properties: { plan } });
    values.push(results[key]?.value, results["missing"]?.value);
  }
  check(JSON.stringify(values) === JSON.stringify([true, undefined, false, undefined]), `the flag: ${values}`);

  return JSON.stringify({ pages: all.data.length, refusals, counted: counted.data[0] });
}
