// Annotations: texts about days and times, such as "Version 2.1". The chart of the overview shows them to everybody who reads the website.
import { allowed, Fault } from "./api.js";
import { instantOf, isDate, localOf, minutesOf, today } from "./dates.js";
import { remove, save, savedOf } from "./definitions.js";
import { button, element, focusOn, replace } from "./dom.js";
import { bucket } from "./format.js";
import { field, form } from "./forms.js";
import { learn, maySave } from "./self.js";
import { texts } from "./texts.js";

const words = texts.annotations, kind = "annotation", longestName = 100;
let known = { website: "", all: [] };

function use(website) {
  if (known.website !== website) known = { website, all: [] };
}

/**
 * Gives a chart what is known of the annotations of a view, and loads them anew if answered is another answer than before. When they
 * have arrived, the chart is drawn again, so that numbers need not wait for them.
 */
export function annotate(chart, view, answered, act) {
  use(view.website);
  Object.assign(known, { chart, view, act });
  give();
  if (known.asked === answered) return;
  known.asked = answered;
  load(view).catch((error) => { // the section says what fails; the next drawing tries again
    if (!(error instanceof Fault)) throw error;
    if (known.asked === answered) known.asked = null;
  });
}

async function load({ website }) {
  const all = await allowed(savedOf(website, kind), []);
  if (website !== known.website || JSON.stringify(all) === JSON.stringify(known.all)) return;
  known.all = all;
  give();
  known.chart?.draw();
}

function give() {
  const { all, chart, view, act } = known, shown = all.length > 0 || maySave();
  chart?.annotate(marksOf(all, view.zone), shown && button(words.title, () => act.edit("annotations"), { class: "quiet", "data-key": "annotations" }), maySave() && ((day) => act.edit(`annotations:${day}`)));
}

/** Returns annotations with at as a day or time of a zone, such as 2026-11-28 or 2026-11-28 09:42, the oldest first. */
function marksOf(all, zone) {
  const marks = all.map(({ name, body: { at, text } }) => ({ name, text, at: isDate(at) ? at : localOf(at, zone) }));
  return marks.filter(({ at }) => at).sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at));
}

/** Returns the dialog that lists the annotations of the website, adds one, and removes them. day is the date of a new one. */
export function annotationsDialog(view, act, day) {
  const list = element("div", {}, element("p", { class: "soft" }, `${texts.loading} …`)), said = element("p", { class: "soft", role: "status" });
  const content = element("div", { class: "annotations" }, said, list);
  use(view.website);
  Promise.all([load(view), learn()]).then(() => {
    if (maySave()) content.prepend(addForm());
    draw();
  }, fail);

  function draw() {
    const marks = marksOf(known.all, view.zone);
    replace(list, marks.length === 0 ? element("p", { class: "soft" }, words.none) : element("ul", { class: "records" }, marks.reverse().map(row)));
  }

  function row(mark) {
    const { name, at, text } = mark;
    let sure = false; // it is removed for everybody
    const gone = maySave() && button(words.remove, async () => {
      if (!sure) {
        sure = true;
        gone.textContent = words.removeAgain;
        return;
      }
      gone.disabled = true;
      await attempt(() => remove(view.website, kind, name), words.removed);
      focusOn(list, "remove annotation") || content.querySelector("input[name=text]").focus();
    }, { class: "danger", "aria-label": words.removeOf(text), "data-key": "remove annotation" });
    return element("li", {}, element("div", {}, element("p", { class: "soft" }, timeOf(at)), element("p", { dir: "auto" }, text)), gone && element("p", { class: "foot" }, gone));
  }

  function addForm() {
    const date = element("input", { type: "date", name: "date", required: true, value: isDate(day ?? "") ? day : today(view.zone) }), time = element("input", { type: "time", name: "time" });
    const text = element("input", { name: "text", required: true, maxlength: 200, dir: "auto", autocomplete: "off" });
    const made = form([element("div", { class: "pair" }, field("at", words.date, date), field("time", words.time, time, words.timeHelp(view.zone))), field("text", words.text, text, words.textHelp)], words.add, async () => {
      if (!isDate(date.value)) throw new Fault("other", "", 0, [{ field: "at", message: words.noDate }]);
      const body = { at: time.value ? instantOf(date.value, time.value, view.zone) : date.value, text: text.value.trim() };
      await save(view.website, kind, newName(body), body);
      text.value = "";
      await changed(words.added);
      text.focus();
    });
    return made;
  }

  async function attempt(change, done) {
    try {
      await change();
    } catch (error) {
      if (error.kind !== "missing") return fail(error); // somebody else has removed it
    }
    await changed(done);
  }

  async function changed(text) {
    await load(view).catch(fail);
    draw();
    said.textContent = text;
  }

  function fail(error) {
    if (!(error instanceof Fault)) throw error;
    if (error.kind === "key") act.close();
    if (error.kind === "key") act.fail(error);
    else said.textContent = error.wait ? texts.faults[error.kind](Math.ceil(error.wait)) : texts.faults.other(error.message);
    draw();
  }

  return { title: words.title, content };
}

/**
 * Returns, for each of some periods with their two instants, the annotations of a view's website in it: when as text, and their texts,
 * the oldest first.
 */
export async function annotationsIn({ website, zone }, periods) {
  const marks = marksOf(await allowed(savedOf(website, kind), []), zone);
  return periods.map(([from, to]) => {
    const [start, end] = minutesOf({ from, to, timezone: zone });
    return marks.filter(({ at }) => at >= start.slice(0, at.length) && at <= end.slice(0, at.length)).map(({ at, text }) => ({ when: timeOf(at), text }));
  });
}

// The name only identifies an annotation: it has the time and as much of the text as fits.
function newName({ at, text }) {
  const taken = new Set(known.all.filter(({ body }) => body.at !== at || body.text !== text).map(({ name }) => name));
  for (let n = 1; ; n++) {
    const end = n > 1 ? ` (${n})` : "", name = [...`${at} ${text}`].slice(0, longestName - end.length).join("").trim() + end;
    if (!taken.has(name)) return name;
  }
}

const timeOf = (at) => [bucket(at.slice(0, 10), "daily", true), at.slice(11)].filter(Boolean).join(", ");

/** Returns when a mark is as text, as far as its bucket of an interval does not say it. It ends with ": ", or is "". */
export function timeInBucket({ at }, interval) {
  const day = ["weekly", "monthly"].includes(interval) && bucket(at.slice(0, 10), "daily");
  return [day, at.slice(11)].filter(Boolean).join(", ").replace(/.$/, "$&: ");
}

/** Returns the place of the bucket that has a mark among the rows of an answer, or -1. */
export function bucketOf({ at }, { data, meta }) {
  const day = at.slice(0, 10), [start, end] = minutesOf(meta).map((minute) => minute.slice(0, at.length));
  if (at < start || at > end) return -1;
  const whole = at === day ? data.findIndex(({ date }) => date.slice(0, 10) === day) : -1; // the first hour of the day
  return whole >= 0 ? whole : data.findLastIndex(({ date }) => date.slice(0, 16).replace("T", " ") <= at);
}
