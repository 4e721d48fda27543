// A second evaluator of feature flags. It was written only from the documentation of package flags, in JavaScript,
// because the documentation defines strings and numbers as in ECMAScript.

import { mix, part } from "./flags-hash.mjs";

/** What a flag is for a context at an instant in milliseconds, of a set {flags, groups}. */
export function evaluate(set, key, context, now) {
  const find = (name) => set.flags.find((f) => f.key === name && (f.environment ?? "") === (context.environment ?? "") && !f.deletedAt);
  const flag = find(key);
  if (!flag) return { enabled: false, value: false, payload: null, reason: "FLAG_NOT_FOUND" };
  const varies = flag.type === "multivariant" && flag.variants.length > 0;
  const result = (enabled, reason) => {
    const payload = enabled ? flag.payload ?? null : null;
    if (!varies) return { enabled, value: enabled, payload, reason };
    if (!enabled) return { enabled, payload, reason };
    const variant = pick(flag, context);
    return { enabled, value: variant.value, payload, reason, variant: variant.key };
  };
  if (state(flag, now).status !== "active") return result(false, "FLAG_NOT_FOUND");
  if (chain(flag, find, []) > 32) return result(false, "DEPENDENCY_NOT_SATISFIED");
  if (!flag.dependencies.every((name) => evaluate(set, name, context, now).enabled)) return result(false, "DEPENDENCY_NOT_SATISFIED");

  for (const rule of flag.rules) {
    if (matches(rule, context, splitOf(flag, "percentage"))) return result(rule.enabled, "USER_RULE_MATCH");
  }
  for (const id of flag.targetGroupIds) {
    for (const rule of set.groups.find((g) => g.id === id)?.rules ?? []) {
      if (matches(rule, context, splitOf(flag, "percentage", id))) return result(rule.enabled, "TARGET_GROUP_MATCH");
    }
  }
  if (varies) return result(true, "MULTIVARIANT_EVALUATED");
  if (flag.type === "rollout") {
    const on = below(splitOf(flag, "rollout"), unit(flag, context), state(flag, now).percentage);
    return result(on, on ? "ROLLOUT_ENABLED" : "ROLLOUT_DISABLED");
  }
  return result(flag.defaultValue, "BOOLEAN_DEFAULT");
}

/** What the schedule has made of a flag by now. */
function state(flag, now) {
  let { status, rolloutPercentage: percentage } = flag;
  for (const step of flag.schedule) {
    if (Date.parse(step.scheduledAt) > now) continue;
    if (step.action === "enable") status = "active";
    if (step.action === "disable") status = "inactive";
    if (step.action === "update_rollout") percentage = step.value;
  }
  return { status, percentage };
}

function hash(text) {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return Math.abs(h);
}

/** How many flags are in the longest chain of dependencies from a flag; Infinity for a cycle. */
function chain(flag, find, above) {
  if (above.includes(flag)) return Infinity;
  const below = flag.dependencies.map(find).filter(Boolean);
  return 1 + Math.max(0, ...below.map((next) => chain(next, find, [...above, flag])));
}

/** How a flag divides people for a purpose: buckets of an id, how many of them one percent is, and n equal parts. */
function splitOf({ key, hashVersion }, purpose, name = key) {
  if (hashVersion === 2) {
    const draw = (id) => mix(purpose, name, id);
    return { bucket: (id) => part(draw(id), 10_000), limit: (percent) => Math.round(percent * 100), equal: (id, n) => part(draw(id), n) };
  }
  const start = { rollout: `${name}:`, variant: `${name}:variant:`, percentage: "percentage:" }[purpose];
  return { bucket: (id) => hash(start + id) % 100, limit: (percent) => percent, equal: (id, n) => hash(start + id) % n };
}

const below = (split, id, percent) => split.bucket(id) < split.limit(percent);

const person = (context) => context.userId || context.email || "anonymous";

function unit(flag, context) {
  if (flag.rolloutBy === "organization") return context.organizationId || "anonymous";
  if (flag.rolloutBy === "team") return context.teamId || "anonymous";
  return person(context);
}

function pick(flag, context) {
  const { variants } = flag;
  const split = splitOf(flag, "variant");
  const id = person(context);
  if (!variants.some((v) => typeof v.weight === "number")) return variants[split.equal(id, variants.length)];
  const bucket = split.bucket(id);
  let sum = 0;
  return variants.find((v) => bucket < split.limit((sum += v.weight ?? 0))) ?? variants.at(-1);
}

function matches(rule, context, split) {
  if (rule.batch && rule.batchValues?.length > 0) return matchesBatch(rule, subject(rule, context));
  const subjected = rule.type === "user_id" || rule.type === "email" || (rule.type === "property" && rule.field);
  if (subjected && readers.has(rule.operator)) return matchesRead(rule, subject(rule, context));
  if (rule.type === "user_id" || rule.type === "email") return matchesId(rule, subject(rule, context));
  if (rule.type === "property" && rule.field) return matchesProperty(rule, subject(rule, context));
  if (rule.type === "property" && typeof rule.value === "number") return below(split, person(context), rule.value);
  return false;
}

const holds = { eq: (a) => a === 0, gt: (a) => a > 0, gte: (a) => a >= 0, lt: (a) => a < 0, lte: (a) => a <= 0 };
const numbers = ["gt", "gte", "lt", "lte"];
const versions = Object.keys(holds).map((name) => `semver_${name}`);
const readers = new Set([...numbers, ...versions, "matches"]);

function matchesRead({ operator, value }, got) {
  if (got === undefined) return false;
  if (operator === "matches") {
    const short = ["string", "number", "boolean"].includes(typeof got) && new TextEncoder().encode(String(got)).length <= 512;
    return typeof value === "string" && short && new RegExp(value, "u").test(String(got));
  }
  const [read, compare] = numbers.includes(operator) ? [number, (a, b) => a - b] : [version, precedence];
  const [a, b] = [read(got), read(value)];
  return a !== undefined && b !== undefined && holds[operator.replace("semver_", "")](compare(a, b));
}

function number(value) {
  const text = typeof value === "string" && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value);
  return (text || typeof value === "number") && Number.isFinite(Number(value)) ? Number(value) : undefined;
}

/** The three numbers of a version, and the parts of its pre-release. */
function version(text) {
  const whole = "(0|[1-9]\\d*)", part = "(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)";
  const form = `^v?${whole}(?:\\.${whole}(?:\\.${whole}(?:-(${part}(?:\\.${part})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?)?)?$`;
  const found = typeof text === "string" && text.match(new RegExp(form));
  return found ? { numbers: [1, 2, 3].map((i) => BigInt(found[i] ?? 0)), before: found[4]?.split(".") ?? [] } : undefined;
}

function precedence(a, b) {
  const order = (x, y) => (x < y ? -1 : x > y ? 1 : 0);
  for (const i of [0, 1, 2]) if (a.numbers[i] !== b.numbers[i]) return order(a.numbers[i], b.numbers[i]);
  if (!a.before.length || !b.before.length) return order(!a.before.length, !b.before.length);
  for (let i = 0; i < Math.min(a.before.length, b.before.length); i++) {
    const [x, y] = [a.before[i], b.before[i]];
    if (x === y) continue;
    const [m, n] = [x, y].map((part) => /^\d+$/.test(part));
    if (m !== n) return m ? -1 : 1;
    return m ? order(BigInt(x), BigInt(y)) : order(x, y);
  }
  return order(a.before.length, b.before.length);
}

/** What a rule is about; undefined when it is missing. */
function subject(rule, context) {
  if (rule.type === "user_id") return context.userId || undefined;
  if (rule.type === "email") return context.email || undefined;
  return (context.properties ?? {})[rule.field ?? ""] ?? undefined;
}

function matchesBatch({ operator, batchValues }, value) {
  const there = value !== undefined;
  const text = there ? String(value) : "";
  if (operator === "in") return there && batchValues.includes(text);
  if (operator === "not_in") return !there || !batchValues.includes(text);
  return there && batchValues.some((other) => compare(operator, text, other));
}

function matchesId({ operator, value, values = [] }, id) {
  if (id === undefined) return false;
  if (operator === "in") return values.includes(id);
  if (operator === "not_in") return !values.includes(id);
  return typeof value === "string" && compare(operator, id, value);
}

function matchesProperty({ operator, value, values = [] }, property) {
  const scalar = ["string", "number", "boolean"].includes(typeof property);
  switch (operator) {
    case "exists":
      return property !== undefined;
    case "not_exists":
      return property === undefined;
    case "in":
      return scalar && values.includes(property);
    case "not_in":
      return !(scalar && values.includes(property));
    case "equals":
      return scalar && property === value;
    case "contains":
      return property !== undefined && value !== undefined && String(property).includes(String(value));
  }
  return false;
}

function compare(operator, text, other) {
  switch (operator) {
    case "equals":
      return text === other;
    case "contains":
      return text.includes(other);
    case "starts_with":
      return text.startsWith(other);
    case "ends_with":
      return text.endsWith(other);
  }
  return false;
}
