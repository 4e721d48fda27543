// Sends custom events with the SDK's node client to a running example, one by one and
// in batches, and reads them back with a query.
//
//   node node-client.mjs "$READY"
//
// READY is the line that `sightline serve --json` prints when it serves.
import { Databuddy } from "@databuddy/sdk/node";
import { check, customEvent, query, ready, unique } from "./service.mjs";

const service = ready();
const settings = {
  apiKey: service.key,
  apiUrl: service.trackAddress,
  websiteId: service.websiteId,
  source: "server",
  namespace: "e2e",
};

const single = unique("node_single");
const one = new Databuddy({ ...settings, enableBatching: false });
for (let i = 0; i < 3; i++) {
  const sent = await one.track({
    name: single,
    anonymousId: `anon_${i % 2}`,
    anonymizeVisitorIds: false,
    sessionId: `sess_${single}`,
    properties: { i, plan: "team", price: 9.5, tags: ["a", "ü"] },
  });
  check(sent.success, `event ${i} sent singly: ${sent.error}`);
}

const batched = unique("node_batched");
const many = new Databuddy({ ...settings, batchSize: 25, batchTimeout: 60_000 });
for (let i = 0; i < 60; i++) {
  const sent = await many.track({ name: batched, profileId: `user_${i % 7}`, properties: i % 2 ? { i } : undefined });
  check(sent.success, `event ${i} sent in a batch: ${sent.error}`);
}
const flushed = await many.flush();
check(flushed.success, `the last batch: ${flushed.error}`);

const user = unique("user");
const named = await one.identify({ profileId: user, anonymousId: "anon_1", traits: { name: "Ada Lovelace", plan: "team" } });
check(named.success, `a user was identified: ${named.error}`);
const bought = await one.track({ name: unique("node_bought"), profileId: user });
check(bought.success, `an event of the user: ${bought.error}`);

const row = await customEvent(service, single);
check(row?.total_events === 3, `3 events sent singly, the query says ${JSON.stringify(row)}`);
check(row.unique_users === 2, `2 people sent them, the query says ${JSON.stringify(row)}`);
check(row.unique_sessions === 1, `in one session, the query says ${JSON.stringify(row)}`);

const rows = await customEvent(service, batched);
check(rows?.total_events === 60, `60 events sent in batches, the query says ${JSON.stringify(rows)}`);
check(rows.unique_users === 7, `7 people sent them, the query says ${JSON.stringify(rows)}`);
check(rows.events_with_properties === 30, `30 carry properties, the query says ${JSON.stringify(rows)}`);

const [profiles] = await query(service, {
  preset: "last_7d",
  parameters: ["profiles"],
  filters: [{ field: "profile_id", op: "eq", value: user }],
});
const [profile] = profiles.data;
check(
  profiles.data.length === 1 && profile.profile_id === user && profile.display_name === "Ada Lovelace" && profile.custom_event_count === 1,
  `the user has one event and a name, the query says ${JSON.stringify(profiles.data)}`,
);

console.log(JSON.stringify({ single: row, batched: rows }));
