// Generates random flags and contexts. As a program it prints one case per line. The evaluator of the
// service must give the same results as the second evaluator:
//
//   node flags-random.mjs SEED CASES
import { pathToFileURL } from "node:url";
import { evaluate } from "./flags-reference.mjs";

const texts = ["", "a", "user-1", "user-2", "ü🎉", "a@b.c", "@b.c", "pro", "free", "1", "true", "é", "漢字", "user-", "10", "-1.5e3", "v1.10.0", "1.9", "1.10.0-rc.1", "1.10.0-rc.a+b", "2.0.0", "x".repeat(60)];
const scalars = [...texts, 1, 0, -0, 1.5, 1e21, 1e-7, 123456789012, true, false];
const anything = [...scalars, null, ["a", 1, null, ["b"]], [], {}, { a: 1 }];
const operators = ["equals", "contains", "starts_with", "ends_with", "in", "not_in", "exists", "not_exists", "gt", "gte", "lt", "lte", "semver_eq", "semver_gt", "semver_gte", "semver_lt", "semver_lte", "matches", "odd"];
const epoch = Date.UTC(2026, 2, 29);

/** A source of flags and contexts that are the same for the same seed. */
export function random(seed) {
  const below = (n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 4294967296) * n);
  };
  const pick = (list) => list[below(list.length)];
  const times = (n, make) => Array.from({ length: n }, (_, i) => make(i));

  function rule() {
    const made = { type: pick(["user_id", "email", "property", "property", "odd"]), operator: pick(operators), enabled: !!below(2) };
    if (below(4)) made.field = pick(["p", "q", "r"]);
    if (below(4)) made.value = below(6) ? pick(scalars) : below(100);
    if (below(2)) made.values = [pick(scalars), pick(scalars)];
    if (!below(4)) Object.assign(made, { batch: true, batchValues: [pick(texts), pick(texts)] });
    return made;
  }
  const rules = () => times(below(4), rule);

  /** A rule that the service takes: of those that it refuses most never match. */
  function goodRule() {
    const enabled = !!below(2);
    const text = () => pick(texts.slice(1));
    switch (below(5)) {
      case 0:
        return { type: pick(["user_id", "email"]), operator: pick(["equals", "contains", "starts_with", "ends_with"]), value: text(), enabled };
      case 1:
        return { type: pick(["user_id", "email"]), operator: pick(["in", "not_in"]), values: [text(), text()], enabled };
      case 2:
        return { type: "property", field: pick(["p", "q"]), operator: pick(["equals", "contains", "in", "not_in", "exists", "not_exists"]), value: pick(scalars), values: [pick(scalars), pick(scalars)], enabled };
      case 3:
        return { type: pick(["user_id", "email", "property"]), field: pick(["p", "q"]), operator: pick(operators.slice(0, 6)), batch: true, batchValues: [pick(texts), pick(texts)], enabled };
    }
    return { type: "property", value: below(101), enabled };
  }

  const variants = () => times(1 + below(4), (i) => ({ key: `v${i}`, type: "json", value: pick(anything) }));

  /** A flag that the service takes, which depends on none but those of earlier. */
  function goodFlag(key, earlier) {
    const type = pick(["boolean", "rollout", "rollout", "multivariant", "multivariant"]);
    const made = {
      key, type, status: below(5) ? "active" : pick(["inactive", "archived"]), defaultValue: !!below(2),
      rules: times(below(3), goodRule), rolloutPercentage: below(101), rolloutBy: pick(["user", "organization", "team"]), variants: variants(),
      dependencies: earlier.length && !below(4) ? [pick(earlier)] : [],
    };
    const version = pick([undefined, 1, 2]); // the service uses 2 by default
    if (version) made.hashVersion = version;
    if (version !== 1 && below(2)) made.rolloutPercentage = below(10_001) / 100;
    if (below(2)) made.payload = { k: pick(scalars) };
    if (below(2)) made.variants.forEach((v, i, all) => (v.weight = i < all.length - 1 ? 10.5 : 100 - 10.5 * (all.length - 1)));
    return made;
  }

  /** Any flag, also such as the service takes from nobody. */
  function flag(key) {
    const made = {
      clientId: "c", key, type: pick(["boolean", "rollout", "rollout", "multivariant", "multivariant"]),
      status: below(3) ? "active" : pick(["active", "inactive", "archived"]), defaultValue: !!below(2), rules: below(2) ? rules() : [],
      targetGroupIds: below(3) ? [] : ["g1", "g2"], rolloutPercentage: below(101), rolloutBy: pick(["user", "organization", "team"]),
      variants: below(4) ? variants() : [], dependencies: below(4) ? [] : [pick(["k0", "k1", "k2"])],
      schedule: below(3) ? [] : [{ scheduledAt: new Date(epoch + below(1000)).toISOString(), action: pick(["enable", "disable", "update_rollout"]), value: below(101) }],
      id: key, revision: 1, createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z",
    };
    if (below(3)) made.hashVersion = 1 + below(2);
    if (below(2)) made.rolloutPercentage = below(10_001) / 100;
    if (!below(4)) made.environment = "e";
    if (below(2)) made.payload = { k: pick(scalars) };
    if (below(2)) made.variants.forEach((v) => below(4) && (v.weight = pick([0, 10, 33.33, 50, 0.07])));
    return made;
  }

  function context() {
    const made = {};
    for (const name of ["userId", "email", "organizationId", "teamId"]) if (below(2)) made[name] = pick([...texts, `u${below(1e6)}`]);
    if (!below(4)) made.environment = "e";
    if (below(4)) made.properties = Object.fromEntries(["p", "q", ""].filter(() => below(2)).map((name) => [name, pick(anything)]));
    return made;
  }

  function testCase() {
    const group = { id: "g1", clientId: "c", name: "g", color: "", rules: rules(), createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" };
    const made = wire({ set: { flags: ["k0", "k1", "ü🎉"].map(flag), groups: [group] }, context: context(), now: epoch + below(1000), key: pick(["k0", "k1", "ü🎉", "none"]) });
    return { ...made, want: evaluate(made.set, made.key, made.context, made.now) };
  }
  return { pick, below, goodFlag, context, testCase };
}

/** A value as the other side of a connection sees it: without -0, for one. */
const wire = (value) => JSON.parse(JSON.stringify(value));

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [seed, cases] = process.argv.slice(2).map(Number);
  const source = random(seed);
  for (let i = 0; i < cases; i++) console.log(JSON.stringify(source.testCase()));
}
