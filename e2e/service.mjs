// Functions that all clients share: the address of the example, and requests to it.
import { randomUUID } from "node:crypto";

/** The example's address, key and ids, from the line that it prints when ready. */
export function ready() {
  const line = process.argv[2] ?? process.env.READY;
  if (!line) {
    console.error(`usage: node ${process.argv[1]} '{"address":…,"trackAddress":…,"key":…,"websiteId":…}'`);
    process.exit(2);
  }
  return JSON.parse(line);
}

/** A name that no earlier run has used. */
export const unique = (name) => `${name}_${randomUUID().slice(0, 8)}`;

/** Ends the run with text unless what it says should hold does. */
export function check(holds, text) {
  if (!holds) {
    console.error(`failed: ${text}`);
    process.exit(1);
  }
}

/** The results of one query about the website, each of which must have succeeded. */
export async function query({ address, key, websiteId }, body) {
  const response = await fetch(`${address}/v1/query?website_id=${websiteId}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  check(response.status === 200 && answer.success, `query: ${response.status} ${JSON.stringify(answer)}`);
  for (const result of answer.data) {
    check(result.success, `query ${result.parameter}: ${result.error}`);
  }
  return answer.data;
}

/** The row of custom_events of the events called name, if there is one. */
export async function customEvent(service, name) {
  const [events] = await query(service, {
    preset: "last_7d",
    parameters: ["custom_events"],
    filters: [{ field: "event_name", op: "eq", value: name }],
  });
  return events.data[0];
}
