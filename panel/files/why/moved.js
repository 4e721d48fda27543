// What moved a metric between the range of a view and the period that it is compared with: the query type why.
import { ask, currentKey, question, questionPath } from "./api.js";
import { compareOf } from "./dates.js";
import { country, shown } from "./format.js";
import { texts } from "./texts.js";

const least = 3, fresh = 5 * 60_000; // the weight from which a row is no chance, and ms for which an answer is used again

/** The metrics whose changes the server explains. */
export const explained = ["visitors", "sessions", "pageviews"];

export const whyOf = (metric, view) => ({ name: "why", metric, compare: compareOf(view), minWeight: least });

const known = new Map(); // by metric: the latest question, when it was asked, and the promise of its answer

/** Returns what identifies the answer about a metric of a view. */
export const askedFor = (metric, view) => `${currentKey()} ${questionPath(view)}${JSON.stringify(question(view, [whyOf(metric, view)]))}`;

/** Returns a promise of the answer about a metric of a view that is compared with something. An answer of the last minutes is used again. */
export function moved(metric, view) {
  const asked = askedFor(metric, view), last = known.get(metric);
  if (last?.asked === asked && Date.now() - last.at < fresh) return last.answer;
  const answer = ask(view, [whyOf(metric, view)]).then(({ data: [one] }) => one);
  known.set(metric, { asked, at: Date.now(), answer });
  answer.catch(() => known.get(metric)?.answer === answer && known.delete(metric));
  return answer;
}

/** Returns the value of a row as text. */
export function valueOf({ dimension, value }) {
  if (dimension === "country") return country(value);
  return dimension === "device_type" || value === "direct" ? shown(value, "word") : value;
}

/** Returns the field of a row as text. */
export const fieldOf = ({ dimension }) => texts.fields[dimension] ?? dimension;
