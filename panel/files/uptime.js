// The section "Uptime": the monitors that the key can read, and the response times and outages of one.
import { askAbout, askEach, listed } from "./api.js";
import { intervalOf } from "./dates.js";
import { element, replace } from "./dom.js";
import { shown } from "./format.js";
import { outagesOf } from "./outages.js";
import { learn, mayRead } from "./self.js";
import { card, choice, chosenOf, Frame, missing, none, pageOf, pagesOf, tableOf } from "./subjects.js";
import { texts } from "./texts.js";

async function all() {
  await learn();
  return mayRead("read:monitors") ? listed("/v1/query/monitors", "monitors") : [];
}


const nameOf = ({ name, url, id }) => name || url || id;
const days = 10; // the days with downtime whose outages are listed
const old = 3_600_000; // ms after which the latest check does not tell the status
let drawn = null; // the elements of the section, while it is shown

/** See sections.js. */
export const uptime = {
  own: ["chosen"],
  unfiltered: true,
  offered: async () => (await all()).length > 0,
  async load(view) {
    const known = await all(), shownHere = pageOf(known, view), chosen = chosenOf(known, view);
    const [rows, detail] = await Promise.all([Promise.all(shownHere.map((one) => stateOf(one, view))), chosen && detailOf(chosen, view)]);
    return { known, rows, chosen, detail };
  },
  draw(parent, view, { loaded: { known, rows, chosen, detail } }, act) {
    const words = texts.others.uptime;
    if (!chosen) return replace(parent, none(words.title, words.none, words.command));
    drawn = Frame.in(parent, drawn);
    const row = ({ monitor, overview, latest }) => [choice(monitor.id, nameOf(monitor), monitor.url, chosen.id, act), status(latest, act),
      shown(overview.uptime_percentage, "percent"), shown(overview.p50_response_time, "ms"), shown(overview.p95_response_time, "ms")];
    replace(drawn.list, missing(view, chosen.id, nameOf(chosen)), card(words.title, tableOf([words.monitor, words.now, words.uptime, words.p50, words.p95], rows.map(row), "subjects monitors"), pagesOf(known, view, act)));
    drawn.show(words.times(nameOf(chosen)), detail.series, { column: "p50_response_time", format: "ms", axis: "whole", title: words.median, second: { column: "p95_response_time", title: words.slowest } }, intervalOf(view));
    replace(drawn.cards, outages(detail, act), card(words.regions, regions(detail.regions)), card(words.certificate, certificate(detail.certificate, act)));
  },
};

/** Returns a monitor with its numbers in the range, and its latest check, whatever the range. */
async function stateOf(monitor, view) {
  const [now, range] = await askEach({ schedule_id: monitor.id }, view, [
    { preset: "last_7d", parameters: [{ name: "uptime_recent_checks", limit: 1 }] }, { parameters: [{ name: "uptime_overview" }] },
  ]);
  return { monitor, latest: now.data[0].data[0], overview: range.data[0].data[0] ?? {} };
}

async function detailOf({ id }, view) {
  const series = { name: "uptime_time_series", limit: 10_000 }, subject = { schedule_id: id };
  const [shape, daily] = await Promise.all([
    askAbout(subject, view, [series, { name: "uptime_by_region" }, { name: "uptime_ssl_status" }]), askAbout(subject, { ...view, interval: "daily" }, [series]),
  ]);
  const bad = daily.data[0].data.filter((row) => row.downtime_seconds > 0), late = bad.slice(-days);
  const checks = await askEach(subject, view, late.map(({ date }) => ({ preset: "", from: date, to: date, parameters: [{ name: "uptime_recent_checks", limit: 10_000 }] })));
  const { until, to } = daily.data[0].meta;
  return {
    series: shape.data[0], regions: shape.data[1], certificate: shape.data[2], all: bad.length === late.length,
    downtime: daily.data[0].data.reduce((sum, row) => sum + row.downtime_seconds, 0), outages: outagesOf(checks.flatMap(({ data }) => data[0].data), Date.parse(until ?? to)),
  };
}

function status(latest, act) {
  const { statuses, noCheck, since } = texts.others.uptime;
  if (!latest) return element("span", { class: "soft" }, noCheck);
  const at = act.moment(latest.timestamp);
  if (Date.now() - Date.parse(latest.timestamp) > old) return element("span", { class: "soft" }, since(at));
  const [text, kind] = statuses[latest.status] ?? [String(latest.status), "soft"];
  return element("span", { class: `status ${kind}`, title: at }, text);
}

function outages({ outages: found, all: whole, downtime }, act) {
  const words = texts.others.uptime;
  if (found.length === 0) return card(words.outages, element("p", { class: "soft" }, words.noOutage));
  const rows = found.map((one) => [element("td", { class: "name" }, act.moment(new Date(one.from).toISOString()), element("span", { class: "soft", dir: "auto" }, one.reasons.join(texts.or))),
    one.open ? element("span", { class: "worse" }, words.open(shown(one.seconds, "seconds"))) : shown(one.seconds, "seconds"), shown(one.checks, "whole")]);
  return card(words.outages, element("p", { class: "soft" }, words.downtime(shown(downtime, "seconds"))), tableOf([words.began, words.lasted, words.failed], rows, "outages"),
    !whole && element("p", { class: "soft" }, words.latestDays(days)));
}

function regions({ success, data, error }) {
  if (!success) return element("p", { class: "failed" }, texts.faults.other(error));
  if (data.length === 0) return element("p", { class: "soft" }, texts.noRows);
  const words = texts.others.uptime;
  return tableOf([words.region, words.uptime, words.mean, words.p95], data.map((row) => [element("td", { class: "name" }, row.region || texts.none), shown(row.uptime_percentage, "percent"), shown(row.avg_response_time, "ms"), shown(row.p95_response_time, "ms")]));
}

function certificate({ success, data, error }, act) {
  if (!success) return element("p", { class: "failed" }, texts.faults.other(error));
  const words = texts.others.uptime, [row] = data;
  if (!row?.ssl_expiry) return element("p", { class: "soft" }, words.noCertificate);
  return [element("p", { class: row.ssl_valid === false ? "worse" : false }, row.ssl_valid === false ? words.invalid : words.valid), element("p", {}, words.expires(act.moment(row.ssl_expiry)))];
}
