// The chart: one metric as a line, that of the other period as a second one. Values are shown on hover, touch and arrow keys.
import { bucketOf, timeInBucket } from "./annotations.js";
import { addDays } from "./dates.js";
import { element, replace } from "./dom.js";
import { bucket, changed, onScale, shown, span } from "./format.js";
import { texts } from "./texts.js";

const margin = { left: 52, right: 34, top: 10, bottom: 26 }, height = 240;

/** Returns a round number that is at least value. */
export function topOf(value) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return [1, 2, 4, 6, 8, 10].map((n) => n * unit).find((n) => n >= value * 0.999999);
}

/** Returns the indexes of the labels: as many as fit, at equal distances, the last one always far from the end. */
export function labelled(count, fit) {
  const step = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 56, 84, 168].find((n) => count / n <= fit) ?? Math.ceil(count / fit);
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}

/** Draws the chart of an answer into a figure, and again when its width changes. */
export class Chart {
  constructor(figure) {
    this.figure = figure;
    this.at = null; // the bucket whose values are shown, by date
    this.annotations = [];
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

  /** Sets what show and draw add: annotations with at and text, and an element for the caption. */
  annotate(annotations, more) {
    Object.assign(this, { annotations, more });
  }

  draw() {
    const { answer, metric, interval } = this;
    if (!answer.success) return replace(this.figure, element("p", { class: "failed" }, texts.faults.other(answer.error)));
    this.width = this.figure.clientWidth || 320; // hidden: drawn again when it is shown
    const inner = Math.max(100, this.width - 2 - margin.left - margin.right), { data, meta, previous } = answer;
    if (data.length === 0) return replace(this.figure, element("p", { class: "soft" }, texts.noRows));
    const future = meta.partialFrom ? data.findIndex((row) => row.date === meta.partialFrom) : -1;
    const begun = future < 0 ? data.length : Math.max(1, future);
    const values = data.slice(0, begun).map((row) => row[metric.column]), others = (metric.second ? data.slice(0, begun) : previous)?.map((row) => row?.[metric.second?.column ?? metric.column] ?? null) ?? [];
    const top = topOf(Math.max(metric.format === "whole" ? 4 : 1, ...values.map(Number), ...others.map(Number)));
    const x = (i) => margin.left + (data.length === 1 ? inner / 2 : (i * inner) / (data.length - 1)), y = (n) => margin.top + (1 - n / top) * (height - margin.top - margin.bottom);
    const line = (points, from, to, kind) => {
      let d = "", pen = "M";
      for (let i = from; i < to; i++) {
        if (points[i] == null) { pen = "M"; continue; }
        d += `${pen}${x(i).toFixed(1)},${y(points[i]).toFixed(1)}`;
        pen = "L";
      }
      return d && element("path", { d, class: kind });
    };
    const solid = meta.partial ? begun - 1 : begun;
    const grid = [0, 0.5, 1].map((share) => [element("line", { class: "grid", x1: margin.left, x2: margin.left + inner, y1: y(top * share), y2: y(top * share) }),
      element("text", { x: margin.left - 8, y: y(top * share) + 4, "text-anchor": "end" }, onScale(top * share, metric.axis ?? metric.format))]);
    const labels = labelled(data.length, Math.max(2, Math.floor(inner / 76))).map((i) => element("text", {
      x: x(i), y: height - 6, "text-anchor": "middle", "data-at": i,
    }, bucket(data[i].date, interval)));
    const marks = element("g", { class: "marks" });
    this.pinned = new Map(); // the annotations by bucket: their times and texts
    for (const one of this.annotations) {
      const at = bucketOf(one, answer);
      if (at >= 0 && at < begun) this.pinned.set(at, [...(this.pinned.get(at) ?? []), { when: timeInBucket(one, interval), text: one.text }]);
    }
    const bottom = height - margin.bottom, pins = [...this.pinned].map(([i, { length }]) => [element("line", { x1: x(i), x2: x(i), y1: margin.top, y2: bottom }),
      element("circle", { cx: x(i), cy: bottom, r: length > 1 ? 7.5 : 5 }), length > 1 && element("text", { x: x(i), y: bottom + 3.5, "text-anchor": "middle" }, length > 9 ? "+" : String(length))]);
    const lines = [line(others, 0, others.length, "other"), line(values, 0, solid, "this"), meta.partial && line(values, Math.max(0, solid - 1), begun, "this open")];
    const dots = begun === 1 || data.length <= 31 ? values.map((n, i) => n != null && element("circle", { cx: x(i), cy: y(n), r: 2.5, class: "dot" })) : [];
    const svg = element("svg", { "aria-hidden": "true", width: this.width - 2, height, viewBox: `0 0 ${this.width - 2} ${height}` }, grid.flat(), labels, element("g", { class: "pins" }, pins.flat()), lines, dots, marks);
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
    const mark = (i) => {
      this.at = data[i].date;
      slider.setAttribute("aria-valuenow", i + 1);
      slider.setAttribute("aria-valuetext", this.words(i));
      marks.replaceChildren(...[dragged != null && dragged !== i && element("rect", { x: Math.min(x(i), x(dragged)), width: Math.abs(x(i) - x(dragged)), y: margin.top, height: height - margin.top - margin.bottom }), element("line", { x1: x(i), x2: x(i), y1: margin.top, y2: height - margin.bottom }),
        others[i] != null && element("circle", { cx: x(i), cy: y(others[i]), r: 4, class: "other" }), values[i] != null && element("circle", { cx: x(i), cy: y(values[i]), r: 4 })].filter(Boolean));
      tip.replaceChildren(...this.lines(i).map((text, n) => element("p", { class: n === 0 ? "this" : "other" }, text)), ...(this.pinned.get(i) ?? []).map(({ when, text }) => element("p", { class: "pinned" }, when, element("bdi", {}, text))));
      tip.hidden = false;
      tip.style.setProperty("left", `${Math.min(Math.max(x(i) - tip.offsetWidth / 2, 4), this.width - tip.offsetWidth - 6)}px`);
    };
    const off = (i, left) => Math.abs(x(i) - margin.left - left);
    const indexAt = (event) => {
      const left = event.clientX - slider.getBoundingClientRect().left, reach = event.pointerType === "touch" ? 14 : 4;
      const pin = dragged == null ? [...this.pinned.keys()].sort((a, b) => off(a, left) - off(b, left))[0] : null;
      if (pin != null && off(pin, left) <= reach) return pin;
      return Math.min(begun - 1, Math.max(0, Math.round((left / slider.clientWidth) * (data.length - 1))));
    };
    const press = (event) => {
      if (this.zoom && event.pointerType === "mouse" && event.button === 0) {
        dragged = indexAt(event);
        slider.setPointerCapture(event.pointerId);
      }
      mark(indexAt(event));
    };
    const release = (event) => {
      const ends = [dragged, indexAt(event)].sort((a, b) => a - b), wasDragged = dragged != null && ends[0] !== ends[1];
      dragged = null;
      mark(indexAt(event));
      if (wasDragged) this.choose(...ends);
    };
    const key = (event) => {
      const at = this.index(begun) ?? begun - 1;
      const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: begun - 1, PageUp: at + 7, PageDown: at - 7 }[event.key];
      if (event.key === "Escape") hide();
      if (to == null) return;
      event.preventDefault();
      mark(Math.min(begun - 1, Math.max(0, to)));
    };
    slider.style.setProperty("left", `${margin.left}px`);
    slider.style.setProperty("width", `${inner}px`);
    const caption = element("figcaption", {}, element("span", { class: "key this" }, metric.title), metric.second && element("span", { class: "key other" }, metric.second.title), previous && element("span", { class: "key other" }, span(meta.previous.startDate, meta.previous.endDate)), meta.partial && element("span", {}, texts.unfinished), this.more);
    const told = this.pinned.size > 0 && element("ul", { class: "hidden", "aria-label": texts.annotations.inRange }, [...this.pinned].sort(([a], [b]) => a - b).flatMap(([i, all]) => all.map(({ when, text }) => element("li", {}, `${bucket(data[i].date, interval, true)}: ${when}`, element("bdi", {}, text)))));
    replace(this.figure, element("div", { class: "plot" }, svg, slider, tip), told, caption);
    if (this.at && this.index(begun) != null) mark(this.index(begun));
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

  // Zooms to the dates of buckets. The first week or month may begin before the range.
  choose(first, last) {
    const { answer: { data, meta }, interval } = this, day = (i) => data[i].date.slice(0, 10);
    const next = last + 1 < data.length && ["weekly", "monthly"].includes(interval) ? addDays(day(last + 1), -1) : null;
    const from = day(first) < meta.startDate ? meta.startDate : day(first), to = next ?? (["weekly", "monthly"].includes(interval) ? meta.endDate : day(last));
    if (from !== meta.startDate || to !== meta.endDate) this.zoom(from, to);
  }

  words(i) {
    return [...this.lines(i), ...(this.pinned.get(i) ?? []).map(({ when, text }) => texts.annotations.told(when + text))].join(". ");
  }
}

export const metrics = [
  { column: "visitors", format: "whole", good: 1 }, { column: "sessions", format: "whole", good: 1 }, { column: "pageviews", format: "whole", good: 1 },
  { column: "bounce_rate", format: "percent", good: -1 }, { column: "median_session_duration", format: "seconds", good: 1 }, { column: "pages_per_session", format: "decimal", good: 1 },
].map((metric) => ({ ...metric, title: texts.metrics[metric.column] }));
