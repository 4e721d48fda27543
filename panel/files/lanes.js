// The lane of outages below the chart of the overview: when the monitors of the website were down.
import { askAbout, Fault, listed } from "./api.js";
import { intervalOf } from "./dates.js";
import { shown } from "./format.js";
import { learn, mayRead } from "./self.js";
import { texts } from "./texts.js";

const most = 5; // monitors that are asked: each costs a request
let known = { asked: "", told: new Map() };

/**
 * Gives a chart what is known of the outages of a view, and asks for them if another answer is shown than before. When they have
 * arrived, the chart is drawn again.
 */
export function interrupt(chart, view, answered) {
  const asked = JSON.stringify([view.website, view.preset, view.from, view.to, view.zone, intervalOf(view)]);
  if (known.asked !== asked) known = { asked, told: new Map() };
  known.chart = chart;
  chart.interrupt(known.told);
  if (known.answered === answered) return;
  known.answered = answered;
  const now = known;
  load(view).then((told) => {
    if (now !== known || JSON.stringify([...told]) === JSON.stringify([...now.told])) return;
    now.told = told;
    now.chart.interrupt(told);
    now.chart.draw();
  }, (error) => { // the next drawing tries again
    if (!(error instanceof Fault)) throw error;
    now.answered = null;
  });
}

async function load(view) {
  await learn();
  const all = mayRead("read:monitors") ? await listed("/v1/query/monitors", "monitors") : [], told = new Map();
  await Promise.all(all.filter(({ websiteId }) => websiteId === view.website).slice(0, most).map(async ({ id, name, url }) => {
    const { data: [answer] } = await askAbout({ schedule_id: id }, view, [{ name: "uptime_time_series", limit: 10_000 }]);
    for (const { date, downtime_seconds: seconds } of answer.data ?? []) {
      if (seconds > 0) told.set(date, [...(told.get(date) ?? []), texts.outage(name || url || id, shown(seconds, "seconds"))]);
    }
  }));
  return told;
}
