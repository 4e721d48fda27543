// "What changed": up to three sentences about what moved the visitors of the range. They are asked beside the numbers, and hold back nothing.
import { Fault } from "./api.js";
import { compareOf } from "./dates.js";
import { element, link, replace } from "./dom.js";
import { shown } from "./format.js";
import { askedFor, fieldOf, moved, valueOf } from "./moved.js";
import { texts } from "./texts.js";

const words = texts.why, metric = "visitors", most = 3;
let told = { asked: "", rows: [] };

/** Shows in an element what changed in a view, as soon as that is known. Nothing is shown if all moved together. */
export function drawChanges(parent, view, act) {
  const asked = askedFor(metric, view);
  replace(parent, asked === told.asked && cardOf(told.rows, act));
  if (compareOf(view) === "none") return;
  moved(metric, view).then(({ success, data }) => {
    if (asked !== askedFor(metric, act.view()) || !parent.isConnected) return;
    told = { asked, rows: success ? surest(data) : [] };
    replace(parent, cardOf(told.rows, act));
  }, (error) => { // the numbers say what fails; the next drawing tries again
    if (!(error instanceof Fault)) throw error;
  });
}

// One cause shows in several dimensions, such as a page as entry page and as page: each value is told once, and each dimension. If one
// value rises, the shares of all others fall: a value is told only if its own number moved the way of its share.
function surest(rows) {
  const seen = new Set();
  return rows.filter(({ dimension, value, difference, weight }) => {
    if (difference * weight <= 0 || seen.has(`field ${dimension}`) || seen.has(value)) return false;
    seen.add(`field ${dimension}`).add(value);
    return true;
  }).slice(0, most);
}

function cardOf(rows, act) {
  if (rows.length === 0) return null;
  const sentence = (row) => {
    const { dimension, value, current, previous, expected } = row, [now, before, usual] = [current, previous, expected].map((n) => shown(n, "whole"));
    return element("li", {}, link([element("strong", { dir: "auto" }, words.of(fieldOf(row), valueOf(row))), words.moved(current, now, before, usual)],
      act.href(act.filtered(dimension, "is", value)), () => act.filter(dimension, "is", value), { "data-key": `changed ${dimension}` }));
  };
  const edit = `why:${metric}`;
  return element("section", { class: "card changes", "aria-label": words.changed }, element("header", {}, element("h2", {}, words.changed),
    link(words.all, act.href({ edit }), () => act.edit(edit), { "data-key": "changed" })), element("ul", {}, rows.map(sentence)));
}
