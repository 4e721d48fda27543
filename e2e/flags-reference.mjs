// A second evaluator of feature flags, written from the comment of package flags and from
// nothing else, in the language whose strings and numbers that comment is about.

/** What a flag is for a context at an instant in milliseconds, of a set {flags, groups}. */
export function evaluate(set, key, context, now) {
  const active = (name) =>
    set.flags.find((f) => f.key === name && (f.environment ?? "") === (context.environment ?? "") && !f.deletedAt && state(f, now).status === "active");
  const flag = active(key);
  if (!flag) return off("FLAG_NOT_FOUND");
  if (!flag.dependencies.every(active)) return off("DEPENDENCY_NOT_SATISFIED");
  const result = (enabled, reason) => ({ enabled, value: enabled, payload: enabled ? flag.payload ?? null : null, reason });

  for (const rule of flag.rules) {
    if (matches(rule, context)) return result(rule.enabled, "USER_RULE_MATCH");
  }
  for (const id of flag.targetGroupIds) {
    for (const rule of set.groups.find((g) => g.id === id)?.rules ?? []) {
      if (matches(rule, context)) return result(rule.enabled, "TARGET_GROUP_MATCH");
    }
  }
  if (flag.type === "multivariant" && flag.variants.length > 0) {
    const variant = pick(flag, context);
    return { enabled: true, value: variant.value, payload: flag.payload ?? null, reason: "MULTIVARIANT_EVALUATED", variant: variant.key };
  }
  if (flag.type === "rollout") {
    const on = bucket(`${flag.key}:${unit(flag, context)}`) < state(flag, now).percentage;
    return result(on, on ? "ROLLOUT_ENABLED" : "ROLLOUT_DISABLED");
  }
  return result(flag.defaultValue, "BOOLEAN_DEFAULT");
}

const off = (reason) => ({ enabled: false, value: false, payload: null, reason });

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

const bucket = (text) => hash(text) % 100;

const person = (context) => context.userId || context.email || "anonymous";

function unit(flag, context) {
  if (flag.rolloutBy === "organization") return context.organizationId || "anonymous";
  if (flag.rolloutBy === "team") return context.teamId || "anonymous";
  return person(context);
}

function pick({ key, variants }, context) {
  const h = hash(`${key}:variant:${person(context)}`);
  if (!variants.some((v) => typeof v.weight === "number")) return variants[h % variants.length];
  let sum = 0;
  return variants.find((v) => h % 100 < (sum += v.weight ?? 0)) ?? variants.at(-1);
}

function matches(rule, context) {
  if (rule.batch && rule.batchValues?.length > 0) return matchesBatch(rule, subject(rule, context));
  if (rule.type === "user_id" || rule.type === "email") return matchesId(rule, subject(rule, context));
  if (rule.type === "property" && rule.field) return matchesProperty(rule, subject(rule, context));
  if (rule.type === "property" && typeof rule.value === "number") return bucket(`percentage:${person(context)}`) < rule.value;
  return false;
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
