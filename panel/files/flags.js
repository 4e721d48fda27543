// The section "Flags": flags and experiments, with the conversion of each variant and the interval of the difference, in words.
import { ask, condition, listed } from "./api.js";
import { element, replace, select } from "./dom.js";
import { shown } from "./format.js";
import { learn, mayManageFlags } from "./self.js";
import { card, choice, chosenOf, missing, none, pageOf, pagesOf, tableOf } from "./subjects.js";
import { texts } from "./texts.js";

async function definitions(view) {
  await learn();
  return mayManageFlags() ? listed(`/public/v1/flags/definitions?${new URLSearchParams({ clientId: view.website })}`, "flags") : [];
}

const exposures = { name: "flag_exposures", id: "exposures", limit: 1000 };
const bases = ["control", "false", "off"]; // variants that others are compared with, if they are there

/** See sections.js. */
export const flags = {
  own: ["chosen", "outcome"],
  async offered(view) {
    return (await ask({ ...view, preset: "last_90d", filters: [] }, [{ name: "flag_exposures", limit: 1 }])).data[0].data?.length > 0;
  },
  parameters(view) {
    const outcome = view.outcome && { filters: [...view.filters.map((filter) => condition(filter)), { field: "event_name", op: "eq", value: view.outcome }] };
    return [exposures, { name: "flag_outcomes", id: "outcomes", limit: 1000, ...outcome }, { name: "custom_events", id: "events", limit: 100 }];
  },
  load: definitions,
  draw(parent, view, { answers, loaded }, act) {
    const words = texts.others.flags, failed = [answers.exposures, answers.outcomes].find(({ success }) => !success);
    if (failed) return replace(parent, element("p", { class: "failed" }, texts.faults.other(failed.error)));
    const all = flagsOf(answers.exposures.data, loaded), chosen = chosenOf(all, view, ({ key }) => key);
    if (!chosen) return replace(parent, none(words.title, words.none, words.command));
    const row = (flag) => [choice(flag.key, flag.key, stateOf(flag.defined), chosen.key, act), shown(flag.variants.length, "whole"), shown(flag.sum, "whole")];
    replace(parent, element("div", { class: "stack" }, missing(view, chosen.key, chosen.key), card(words.title, tableOf([words.flag, words.variants, words.exposures], pageOf(all, view).map(row), "subjects"), pagesOf(all, view, act)),
      experiment(chosen, answers, view, act)));
  },
};

/** Returns the flags with exposures, most first, and those that are only defined. */
function flagsOf(rows, defined) {
  const found = new Map();
  for (const row of rows) {
    const flag = found.get(row.flag) ?? { key: row.flag, variants: [], sum: 0 };
    flag.variants.push(row);
    flag.sum += row.exposures;
    found.set(row.flag, flag);
  }
  for (const one of defined) found.set(one.key, { key: one.key, variants: [], sum: 0, ...found.get(one.key), defined: one });
  return [...found.values()].sort((a, b) => b.sum - a.sum);
}

function stateOf(defined) {
  const words = texts.others.flags;
  if (!defined) return null;
  return defined.status === "active" && defined.type === "rollout" ? words.rollout(shown(defined.rolloutPercentage, "percent")) : words.statuses[defined.status] ?? defined.status;
}

function experiment(flag, answers, view, act) {
  const words = texts.others.flags, rows = answers.outcomes.data.filter((row) => row.flag === flag.key);
  const events = (answers.events.data ?? []).map(({ name }) => name).filter((name) => !name.startsWith("$"));
  if (view.outcome && !events.includes(view.outcome)) events.unshift(view.outcome);
  const outcome = select(words.outcome, "outcome", [["", words.ownOutcomes], ...events.map((name) => [name, name])], view.outcome, (value) => act.go({ outcome: value }));
  outcome.lastChild.dataset.key = "outcome";
  if (rows.length === 0) return card(words.resultsOf(flag.key), outcome, element("p", { class: "soft" }, words.unseen));
  const base = rows.find(({ variant }) => bases.includes(variant)) ?? rows[0], most = Math.max(1, ...rows.map((row) => row.conversion_high));
  const line = (row) => {
    const seen = flag.variants.find(({ variant }) => variant === row.variant);
    const about = [words.exposuresOf(shown(seen?.exposures, "whole")), row === base && rows.length > 1 && words.base].filter(Boolean).join("; ");
    return [element("td", { class: "name" }, element("span", { dir: "auto" }, row.variant || texts.none), element("span", { class: "soft" }, about)),
      words.of(shown(row.converted, "whole"), shown(row.visitors, "whole")), element("td", {}, shown(row.conversion_rate, "percent"), intervalOf(row, most))];
  };
  const said = rows.filter((row) => row !== base).map((row) => element("p", {}, differenceOf(row, base)));
  return card(words.resultsOf(flag.key), outcome, tableOf([words.variant, words.converted, words.rate], rows.map(line), "variants"),
    said.length > 0 ? [element("div", { class: "said" }, said), element("p", { class: "soft" }, words.once)] : element("p", { class: "soft" }, words.single));
}

/** The interval of a rate as a bar with its ends in words. most is the rate at the end of the scale. */
function intervalOf(row, most) {
  const bar = element("span", { class: "interval", "aria-hidden": "true" }, element("span"), element("span"));
  for (const [name, value] of [["--low", row.conversion_low], ["--high", row.conversion_high], ["--rate", row.conversion_rate]]) bar.style.setProperty(name, `${(100 * value) / most}%`);
  return [bar, element("span", { class: "soft" }, texts.others.flags.interval(shown(row.conversion_low, "percent"), shown(row.conversion_high, "percent")))];
}

/**
 * Returns the 95 % interval of the difference of two rates in percentage points, from their own intervals after Wilson: R. G. Newcombe,
 * Interval estimation for the difference between independent proportions, method 10, 1998.
 */
export function differenceBetween(one, base) {
  const by = one.conversion_rate - base.conversion_rate;
  return {
    by, low: by - Math.hypot(one.conversion_rate - one.conversion_low, base.conversion_high - base.conversion_rate),
    high: by + Math.hypot(one.conversion_high - one.conversion_rate, base.conversion_rate - base.conversion_low),
  };
}

function differenceOf(row, base) {
  const { by, low, high } = differenceBetween(row, base), words = texts.others.flags, points = (n) => shown(Math.abs(n), "points");
  const [name, other] = [row.variant || texts.none, base.variant || texts.none];
  if (row.visitors === 0 || base.visitors === 0) return words.noVisitors(row.visitors === 0 ? name : other);
  if (low > 0) return words.better(name, other, points(by), points(low), points(high));
  if (high < 0) return words.worse(name, other, points(by), points(high), points(low));
  return words.undecided(name, other, points(low), points(high));
}
