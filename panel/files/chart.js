// The chart: one metric as a line over a soft fill, that of the other period as a second line, and lanes of what happened below.
// Values are shown on hover, touch and arrow keys.
import { bucketOf, timeInBucket } from "./annotations.js";
import { addDays, compareOf, minutesOf } from "./dates.js";
import { element, replace } from "./dom.js";
import { bucket, changed, onScale, shown, span } from "./format.js";
import { texts } from "./texts.js";

const margin = { right: 34, top: 12, bottom: 28 }, height = 340, lane = 22; // of the chart without lanes, and of one lane
const digit = 7.2; // the width of a digit of a scale

/** Returns the values of four or five lines from 0 to at least value, at round distances. whole has no fractions. */
export function linesTo(value, whole) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9) / 4));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * unit).find((n) => n * 4 >= value * 0.999999 && (!whole || Number.isInteger(n))) ?? 1;
  return Array.from({ length: Math.max(3, Math.ceil((value * 0.999999) / step)) + 1 }, (_, i) => i * step);
}

/** Returns the indexes of the labels: as many as fit, at equal distances, the last one always far from the end. */
export function labelled(count, fit) {
  const step = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 56, 84, 168].find((n) => count / n <= fit) ?? Math.ceil(count / fit);
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}

/** Returns the runs of indexes from one to another whose points have a value. */
function runsOf(points, from, to) {
  const runs = [[]];
  for (let i = from; i < to; i++) {
    if (points[i] == null) runs.push([]);
    else runs.at(-1).push(i);
  }
  return runs.filter(({ length }) => length > 0);
}

/** Draws the chart of an answer into a figure, and again when its width changes. */
export class Chart {
  constructor(figure) {
    this.figure = figure;
    this.at = null; // the bucket whose values are shown, by date
    this.annotations = [];
    this.outages = new Map();
    new ResizeObserver(() => {
      if (this.answer && figure.clientWidth > 0 && figure.clientWidth !== this.width) this.draw();
    }).observe(figure);
  }

  /**
   * metric.second is the column of a second line in the same unit, for answers without another period. metric.axis is the format of the
   * scale. zoom gets the dates that the reader chooses by dragging; without it the chart does not zoom.
   */
  show(answer, metric, interval, zoom) {
    Object.assign(this, { answer, metric, interval, zoom });
    this.draw();
  }

  /**
   * Sets what show and draw add: annotations with at and text, an element for the caption, and a function that makes an annotation for
   * a day, if the reader may do so.
   */
  annotate(annotations, more, note) {
    Object.assign(this, { annotations, more, note });
  }

  /** Sets the outages to show: texts by the date of their bucket. */
  interrupt(outages) {
    this.outages = outages;
  }

  draw() {
    const { answer, metric, interval } = this;
    if (!answer.success) return replace(this.figure, element("p", { class: "failed" }, texts.faults.other(answer.error)));
    this.width = this.figure.clientWidth || 320; // hidden: drawn again when it is shown
    const { data, meta, previous } = answer;
    if (data.length === 0) return replace(this.figure, element("p", { class: "soft" }, texts.noRows));
    const future = meta.partialFrom ? data.findIndex((row) => row.date === meta.partialFrom) : -1;
    const begun = future < 0 ? data.length : Math.max(1, future);
    const values = data.slice(0, begun).map((row) => row[metric.column]), others = (metric.second ? data.slice(0, begun) : previous)?.map((row) => row?.[metric.second?.column ?? metric.column] ?? null) ?? [];
    const ticks = linesTo(Math.max(metric.format === "whole" ? 4 : 1, ...values.map(Number), ...others.map(Number)), metric.format === "whole"), top = ticks.at(-1);
    const scale = ticks.map((tick) => onScale(tick, metric.axis ?? metric.format)), left = Math.ceil(Math.max(...scale.map(({ length }) => length)) * digit) + 20;
    const inner = Math.max(100, this.width - 2 - left - margin.right), bottom = height - margin.bottom;
    const x = (i) => left + (data.length === 1 ? inner / 2 : (i * inner) / (data.length - 1)), y = (n) => margin.top + (1 - n / top) * (bottom - margin.top);
    const line = (points, from, to, kind) => {
      const d = runsOf(points, from, to).map((run) => `M${run.map((i) => `${x(i).toFixed(1)},${y(points[i]).toFixed(1)}`).join("L")}`).join("");
      return d && element("path", { d, class: kind });
    };
    const area = element("path", { class: "area", d: runsOf(values, 0, begun).filter(({ length }) => length > 1)
      .map((run) => `M${x(run[0]).toFixed(1)},${bottom}L${run.map((i) => `${x(i).toFixed(1)},${y(values[i]).toFixed(1)}`).join("L")}L${x(run.at(-1)).toFixed(1)},${bottom}Z`).join("") });
    const solid = meta.partial ? begun - 1 : begun;
    const grid = ticks.map((tick, i) => [element("line", { class: "grid", x1: left, x2: left + inner, y1: y(tick), y2: y(tick) }),
      element("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, scale[i])]);
    const labels = labelled(data.length, Math.max(2, Math.floor(inner / 76))).map((i) => element("text", {
      x: x(i), y: height - 8, "text-anchor": "middle", "data-at": i,
    }, bucket(data[i].date, interval)));
    const marks = element("g", { class: "marks" });
    this.pinned = new Map(); // the annotations by bucket: their times and texts
    for (const one of this.annotations) {
      const at = bucketOf(one, answer);
      if (at >= 0 && at < begun) this.pinned.set(at, [...(this.pinned.get(at) ?? []), { when: timeInBucket(one, interval), text: one.text }]);
    }
    this.broken = new Map(data.slice(0, begun).map(({ date }, i) => [i, this.outages.get(date)]).filter(([, told]) => told)); // the outages by bucket
    const lanes = [(this.note || this.pinned.size > 0) && "notes", this.broken.size > 0 && "outages"].filter(Boolean), whole = height + lanes.length * lane;
    const middle = (name) => height + lanes.indexOf(name) * lane + lane / 2 - 2, half = data.length > 1 ? Math.min(14, Math.max(3, inner / (data.length - 1) / 2 - 1)) : 14;
    const pins = [...this.pinned].map(([i, { length }]) => [element("line", { x1: x(i), x2: x(i), y1: margin.top, y2: bottom }),
      element("circle", { cx: x(i), cy: middle("notes"), r: length > 1 ? 8 : 6 }), length > 1 && element("text", { x: x(i), y: middle("notes") + 3.5, "text-anchor": "middle" }, length > 9 ? "+" : String(length))]);
    const rails = lanes.map((name) => element("line", { class: "grid", x1: left, x2: left + inner, y1: middle(name), y2: middle(name) }));
    const breaks = [...this.broken.keys()].map((i) => element("rect", { x: x(i) - half, width: 2 * half, y: middle("outages") - 5, height: 10, rx: 5 }));
    const lines = [line(others, 0, others.length, "other"), line(values, 0, solid, "this"), meta.partial && line(values, Math.max(0, solid - 1), begun, "this open")];
    const dots = runsOf(values, 0, begun).filter(({ length }) => length === 1).map(([i]) => element("circle", { cx: x(i), cy: y(values[i]), r: 3 })); // else they could not be seen
    const svg = element("svg", { "aria-hidden": "true", width: this.width - 2, height: whole, viewBox: `0 0 ${this.width - 2} ${whole}` }, grid.flat(), rails, labels, area, element("g", { class: "pins" }, pins.flat()), element("g", { class: "breaks" }, breaks), lines, dots, marks);
    const tip = element("div", { class: "tip", hidden: true });
    const slider = element("div", {
      class: "reader", role: "slider", tabindex: 0, "data-key": "chart", "aria-label": texts.chart(metric.title), "aria-valuemin": 1, "aria-valuemax": begun, "aria-valuenow": begun,
      "aria-valuetext": this.words(begun - 1), pointermove: (event) => mark(indexAt(event)), pointerdown: (event) => press(event), pointerup: (event) => release(event),
      pointercancel: () => hide(), pointerleave: (event) => event.pointerType === "mouse" && dragged == null && hide(),
      blur: () => hide(), focus: (event) => event.target.matches(":focus-visible") && mark(this.index(begun) ?? begun - 1), keydown: (event) => key(event),
    });
    let dragged = null; // the bucket where dragging began
    const hide = () => {
      this.at = dragged = null;
      tip.hidden = true;
      marks.replaceChildren();
    };
    const mark = (i, again = false) => {
      this.at = data[i].date;
      slider.setAttribute("aria-valuenow", i + 1);
      slider.setAttribute("aria-valuetext", this.words(i));
      marks.replaceChildren(...[dragged != null && dragged !== i && element("rect", { x: Math.min(x(i), x(dragged)), width: Math.abs(x(i) - x(dragged)), y: margin.top, height: bottom - margin.top }), element("line", { x1: x(i), x2: x(i), y1: margin.top, y2: bottom }),
        others[i] != null && element("circle", { cx: x(i), cy: y(others[i]), r: 4, class: "other" }), values[i] != null && element("circle", { cx: x(i), cy: y(values[i]), r: 4 })].filter(Boolean));
      tip.replaceChildren(...this.lines(i).map((text, n) => element("p", { class: n === 0 ? "this" : "other" }, text)), ...(this.pinned.get(i) ?? []).map(({ when, text }) => element("p", { class: "pinned" }, when, element("bdi", {}, text))),
        ...(this.broken.get(i) ?? []).map((text) => element("p", { class: "broken", dir: "auto" }, text)), ...(again ? [element("p", { class: "other" }, texts.tapForDay)] : []));
      tip.hidden = false;
      tip.style.setProperty("left", `${Math.min(Math.max(x(i) - tip.offsetWidth / 2, 4), this.width - tip.offsetWidth - 6)}px`);
    };
    const off = (i, at) => Math.abs(x(i) - left - at);
    const indexAt = (event) => {
      const at = event.clientX - slider.getBoundingClientRect().left, reach = event.pointerType === "touch" ? 14 : 4;
      const pin = dragged == null ? [...this.pinned.keys()].sort((a, b) => off(a, at) - off(b, at))[0] : null;
      if (pin != null && off(pin, at) <= reach) return pin;
      return Math.min(begun - 1, Math.max(0, Math.round((at / slider.clientWidth) * (data.length - 1))));
    };
    const press = (event) => {
      if (this.zoom && event.pointerType === "mouse" && event.button === 0) {
        dragged = indexAt(event);
        slider.setPointerCapture(event.pointerId);
      }
      mark(indexAt(event));
    };
    const release = (event) => {
      const at = indexAt(event), ends = dragged != null && [dragged, at].sort((a, b) => a - b), again = this.zoom && event.pointerType === "touch" && this.touched === data[at].date;
      dragged = null;
      mark(at, Boolean(this.zoom) && event.pointerType === "touch" && !again && this.leads(at));
      this.touched = data[at].date; // the first touch tells, the second one goes there
      if (ends) this.choose(...ends);
      else if (again) this.choose(at, at);
    };
    const key = (event) => {
      const at = this.index(begun) ?? begun - 1;
      const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: begun - 1, PageUp: at + 7, PageDown: at - 7 }[event.key];
      if (event.key === "Escape") hide();
      if (event.key === "Enter" && this.zoom) this.choose(at, at);
      if (event.key === "n" && this.note && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.note(data[at].date.slice(0, 10));
      }
      if (to == null) return;
      event.preventDefault();
      mark(Math.min(begun - 1, Math.max(0, to)));
    };
    slider.style.setProperty("left", `${left}px`);
    slider.style.setProperty("width", `${inner}px`);
    slider.style.setProperty("height", `${height}px`);
    const track = !this.note ? null : element("div", { class: "track", title: texts.annotations.here, pointermove: (event) => mark(indexAt(event)), pointerleave: () => hide(), click: (event) => this.note(data[indexAt(event)].date.slice(0, 10)) });
    track?.style.setProperty("inset", `${height}px auto auto ${left}px`);
    track?.style.setProperty("width", `${inner}px`);
    const caption = element("figcaption", {}, element("span", { class: "key this" }, metric.title), metric.second && element("span", { class: "key other" }, metric.second.title), previous && element("span", { class: "key other" }, span(meta.previous.startDate, meta.previous.endDate)), meta.partial && element("span", {}, texts.unfinished), this.broken.size > 0 && element("span", { class: "key broken" }, texts.outagesOn), this.more);
    caption.style.setProperty("padding-left", `${left}px`);
    const listed = this.pinned.size > 0 && element("ul", { class: "hidden", "aria-label": texts.annotations.inRange }, [...this.pinned].sort(([a], [b]) => a - b).flatMap(([i, all]) => all.map(({ when, text }) => element("li", {}, `${bucket(data[i].date, interval, true)}: ${when}`, element("bdi", {}, text)))));
    const told = this.at; // the old slider loses the focus, and hides it
    replace(this.figure, element("div", { class: "plot" }, svg, slider, track, tip), listed, caption);
    this.at = told;
    if (told && this.index(begun) != null) mark(this.index(begun));
  }

  index(begun) {
    const at = this.answer.data.findIndex((row) => row.date === this.at);
    return at < 0 || at >= begun ? null : at;
  }

  /** The lines of text about bucket i: the value, and that of the other period with its own date. */
  lines(i) {
    const { answer: { data, previous }, metric, interval } = this, before = previous?.[i], { second } = metric;
    const value = (row) => shown(row[metric.column], metric.format), by = before && changed(data[i][metric.column], before[metric.column], metric.format);
    return [texts.bucket(bucket(data[i].date, interval, true), metric.title, value(data[i])), second && texts.bucketOther(second.title, shown(data[i][second.column], metric.format)), before && texts.bucketOther(bucket(before.date, interval, true), value(before)), by && texts.changeOf(by.text)].filter(Boolean);
  }

  // Whether a choice of bucket i would change the dates.
  leads(i) {
    return this.narrows(this.datesOf(i, i));
  }

  narrows({ from, to }) {
    const [start, end] = minutesOf(this.answer.meta);
    return `${from} 00:00` !== start || `${to} 23:59` !== end;
  }

  // Zooms to the dates of buckets.
  choose(first, last) {
    const dates = this.datesOf(first, last);
    if (this.narrows(dates)) this.zoom(dates.from, dates.to);
  }

  // The dates from one bucket to another. The first week or month may begin before the range.
  datesOf(first, last) {
    const { answer: { data, meta }, interval } = this, [start, end] = minutesOf(meta).map((minute) => minute.slice(0, 10)), day = (i) => data[i].date.slice(0, 10);
    if (!["weekly", "monthly"].includes(interval)) return { from: day(first), to: day(last) };
    return { from: day(first) < start ? start : day(first), to: last + 1 < data.length ? addDays(day(last + 1), -1) : end };
  }

  words(i) {
    return [...this.lines(i), ...(this.pinned.get(i) ?? []).map(({ when, text }) => texts.annotations.told(when + text)), ...(this.broken.get(i) ?? [])].join(". ");
  }
}

export const metrics = [
  { column: "visitors", format: "whole", good: 1 }, { column: "sessions", format: "whole", good: 1 }, { column: "pageviews", format: "whole", good: 1 },
  { column: "bounce_rate", format: "percent", good: -1 }, { column: "median_session_duration", format: "seconds", good: 1 }, { column: "pages_per_session", format: "decimal", good: 1 },
].map((metric) => ({ ...metric, title: texts.metrics[metric.column] }));

/** The parameter that asks for the metrics of a view. */
export const totalsOf = (view) => ({ name: "summary_metrics", id: "totals", compare: compareOf(view) });
