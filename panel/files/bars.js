// Bars of a short series, such as the visitors of each minute.
import { linesTo } from "./chart.js";
import { element } from "./dom.js";
import { shown } from "./format.js";

const height = 120;

/** Returns bars of points with label and value, with some labels below. told says in words what they show. */
export function bars(points, told) {
  const top = linesTo(Math.max(4, ...points.map(({ value }) => value)), true).at(-1), width = 100 / points.length;
  const all = points.map(({ value }, i) => element("rect", { x: `${i * width + width * 0.1}%`, width: `${width * 0.8}%`, y: height * (1 - value / top), height: (height * value) / top, rx: 1.5 }));
  const every = Math.ceil(points.length / 6), labels = points.filter((_, i) => i % every === 0);
  return element("div", { class: "bars", role: "img", "aria-label": told }, element("svg", { width: "100%", height, "aria-hidden": "true" }, element("line", { class: "grid", x1: 0, x2: "100%", y1: 0.5, y2: 0.5 }),
    element("line", { class: "grid", x1: 0, x2: "100%", y1: height - 0.5, y2: height - 0.5 }), all), element("p", { class: "soft scale", "aria-hidden": "true" }, shown(top, "whole")),
  element("p", { class: "soft labels", "aria-hidden": "true" }, labels.map(({ label }) => element("span", {}, label))));
}
