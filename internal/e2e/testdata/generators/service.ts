// What all clients share: the service, from the line that `sightline serve --json` prints, and what they ask.
import type { components } from "./generated/openapi.js";

export const service: { address: string; key: string; websiteId: string } = JSON.parse(process.argv[2] ?? "{}");

export const headers = { Authorization: `Bearer ${service.key}` };

/** Three questions: by name, with a filter, and of goals. */
export const question = {
  preset: "last_7d",
  parameters: [
    "summary",
    { name: "pages", limit: 3, filters: [{ field: "device_type", op: "in", value: ["mobile", "desktop"] }] },
    { name: "goals", goals: [{ name: "Pricing", page: "/pricing" }] },
  ],
} satisfies components["schemas"]["Query"];

export const event = (name: string) => ({ name: `generated_${name}`, anonymousId: "a", sessionId: "s", properties: { size: 3 } });

/** Throws an error with what was found unless holds is true. */
export function check(holds: unknown, what: string, found: unknown): asserts holds {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(found)}`);
}

/** Checks that all three questions have rows. */
export function checkAnswer(answer: unknown) {
  const { success, data } = answer as { success: boolean; data: { success: boolean; data: object[] }[] };
  check(success && data.length === 3 && data.every((result) => result.success && result.data.length > 0), "the answer", answer);
}
