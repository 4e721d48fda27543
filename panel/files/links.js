// The section "Short links": the links that the key can read with their clicks, and where the clicks of one came from.
import { askAbout, listed } from "./api.js";
import { compareOf, intervalOf } from "./dates.js";
import { replace } from "./dom.js";
import { country, shown } from "./format.js";
import { learn, mayRead } from "./self.js";
import { breakdown, card, choice, chosenOf, Frame, missing, none, pageOf, pagesOf, tableOf } from "./subjects.js";
import { changeOf } from "./tables.js";
import { texts } from "./texts.js";

async function all() {
  await learn();
  return mayRead("read:links") ? listed("/v1/query/links", "links") : [];
}


const nameOf = ({ name, slug, id }) => name || slug || id;
const parts = { referrers: "link_top_referrers", countries: "link_top_countries", devices: "link_top_devices", browsers: "link_top_browsers" };
let drawn = null; // the elements of the section, while it is shown

/** See sections.js. */
export const links = {
  own: ["chosen"],
  unfiltered: true,
  offered: async () => (await all()).length > 0,
  async load(view) {
    const known = await all(), shownHere = pageOf(known, view), chosen = chosenOf(known, view), compare = compareOf(view);
    const [totals, answer] = await Promise.all([
      Promise.all(shownHere.map(({ id }) => askAbout({ link_id: id }, view, [{ name: "link_total_clicks", compare }]))),
      chosen && askAbout({ link_id: chosen.id }, view, [
        { name: "link_clicks_by_day", id: "series", limit: 10_000, compare }, ...Object.entries(parts).map(([id, name]) => ({ name, id, limit: 10 })),
      ]),
    ]);
    const rows = shownHere.map((link, i) => ({ link, total: totals[i].data[0] })).sort((a, b) => (b.total.data[0]?.total ?? 0) - (a.total.data[0]?.total ?? 0));
    return { known, rows, chosen, answers: Object.fromEntries((answer?.data ?? []).map((one) => [one.id, one])) };
  },
  draw(parent, view, { loaded: { known, rows, chosen, answers } }, act) {
    const words = texts.others.links;
    if (!chosen) return replace(parent, none(words.title, words.none, words.command));
    drawn = Frame.in(parent, drawn);
    const row = ({ link, total: { success, data, previous } }) => {
      const value = success ? data[0]?.total ?? 0 : null;
      return [choice(link.id, nameOf(link), link.targetUrl, chosen.id, act), shown(value, "whole"), changeOf(value, previous?.[0]?.total, "whole", 1) ?? "–"];
    };
    replace(drawn.list, missing(view, chosen.id, nameOf(chosen)), card(words.title, tableOf([words.link, words.clicks, texts.columns.change], rows.map(row), "subjects"), pagesOf(known, view, act)));
    drawn.show(words.clicksOf(nameOf(chosen)), answers.series, { column: "clicks", format: "whole", title: words.clicks }, intervalOf(view));
    const label = { referrers: (r) => r.domain || r.name, countries: (r) => (r.country_code ? country(r.country_code) : r.name) };
    replace(drawn.cards, Object.keys(parts).map((part) => breakdown(texts.lists[part], answers[part], label[part] ?? ((r) => r.name), "clicks")));
  },
};
