// The section "Live": the last 30 minutes, by minute, and the visits of now. It renews itself while it is shown.
import { closed } from "./address.js";
import { bars } from "./bars.js";
import { element, link, replace } from "./dom.js";
import { bucket, country, shown } from "./format.js";
import { parameterOf } from "./lists.js";
import { card } from "./subjects.js";
import { rowsOf } from "./tables.js";
import { texts } from "./texts.js";

const words = texts.live, pause = 10_000; // ms between two answers
const lists = ["pages", "sources", "countries"], most = 20; // visits
let timer = 0;

const ofMinutes = (preset) => ({ preset, from: "", to: "", interval: "auto", compare: "none" });

/** See sections.js. */
export const live = {
  range: ofMinutes("last_30m"),
  dialogRange: ofMinutes("last_24h"), // a visit may have begun before
  parameters: () => [
    { name: "summary_metrics", id: "totals" }, { name: "summary", id: "minutes" }, ...lists.map((name) => parameterOf(name)), { name: "session_list", id: "visits", limit: most },
  ],
  draw(parent, view, { answers }, act) {
    renew(act);
    const part = (title, answer, made) => card(title, answer.success ? made() : element("p", { class: "failed" }, texts.faults.other(answer.error)));
    const { visitors = 0, pageviews = 0 } = answers.totals.data?.[0] ?? {};
    replace(parent, element("div", { class: "stack live" },
      part(words.minutes, answers.minutes, () => [element("p", { class: "said" }, words.sum(visitors, shown(visitors, "whole"), pageviews, shown(pageviews, "whole"))), minutesOf(answers.minutes.data)]),
      element("div", { id: "cards" }, lists.map((name) => part(texts.lists[name], answers[name], () => rowsOf(name, answers[name], view, act)))),
      part(words.visits, answers.visits, () => stream(answers.visits.data, act))));
  },
};

function renew(act) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (act.view().section !== "live") return;
    if (document.hidden) renew(act);
    else act.again();
  }, pause);
}

function minutesOf(data) {
  const points = data.map(({ date, visitors }) => ({ label: bucket(date, "minute"), value: visitors })), top = points.reduce((a, b) => (b.value > a.value ? b : a));
  return bars(points, top.value > 0 ? words.most(shown(top.value, "whole"), top.label) : texts.noRows);
}

function stream(visits, act) {
  if (visits.length === 0) return element("p", { class: "soft" }, words.nobody);
  return element("ul", { class: "stream" }, visits.map((visit) => {
    const to = { ...closed, list: "visit", of: visit.session_id }, time = act.second(visit.first_visit);
    const about = [visit.country_code && country(visit.country_code), visit.referrer_name, visit.device_type && shown(visit.device_type, "word"), visit.browser_name].filter(Boolean).join(" · ");
    return element("li", {}, link([element("span", { class: "clock" }, time), element("span", { class: "page", dir: "auto" }, visit.entry_page || texts.none), element("span", { class: "soft", dir: "auto" }, about),
      element("span", { class: "soft" }, words.pagesSeen(visit.page_views))], act.href(to), () => act.open(to), { "data-key": `visit ${visit.session_id}` }));
  }));
}
