// The map of countries, coloured by visitors. The list of countries beside it is its form as text.
import { element } from "./dom.js";
import { country, whole } from "./format.js";
import { texts } from "./texts.js";

const steps = 5;
let world = null; // loaded when the map is first shown
let at = ""; // the code of the country that is told

/** Returns the upper ends of the steps of colour for a largest value: rising by equal factors, all different. */
export function stepsOf(most) {
  const ends = Array.from({ length: steps }, (_, i) => Math.round(most ** ((i + 1) / steps)));
  return ends.filter((end, i) => end > (ends[i - 1] ?? 0));
}

/** Returns the map of an answer about countries. A click on a country, or Enter, filters by it. */
export function drawMap(answer, act) {
  const box = element("div", { class: "map" });
  if (world) fill(box, answer, act);
  else {
    box.append(element("p", { class: "soft" }, `${texts.loading} …`));
    import("./world.js").then((loaded) => {
      ({ world } = loaded);
      if (box.isConnected) fill(box, answer, act);
    }, () => box.replaceChildren(element("p", { class: "failed" }, texts.others.noMap)));
  }
  return box;
}

function fill(box, answer, act) {
  const known = answer.data.filter((row) => row.country_code), ends = stepsOf(Math.max(1, ...known.map((row) => row.visitors)));
  const drawn = known.filter(({ country_code: code }) => code in world.shapes || code in world.dots);
  const rest = known.filter((row) => !drawn.includes(row));
  const words = (row) => texts.others.visitorsOf(country(row.country_code), whole(row.visitors));
  const step = (row) => `step${ends.findIndex((end) => row.visitors <= end) + 1}`;
  const filter = (row) => act.filter("country", "is", row.country_code);
  const tip = element("div", { class: "tip", hidden: true });
  const options = new Map(drawn.map((row) => [row.country_code, shapeOf(row)]));
  const empty = Object.entries(world.shapes).filter(([code]) => !options.has(code)).map(([, d]) => element("path", { d, class: "land" }));
  const svg = element("svg", { viewBox: `0 0 ${world.width} ${world.height}`, role: "presentation" }, empty, [...options.values()]);
  const list = element("div", {
    class: "world", role: drawn.length > 0 && "listbox", tabindex: drawn.length > 0 && 0, "data-key": "map", "aria-label": texts.others.map, keydown: key, focus: () => list.matches(":focus-visible") && tell(options.has(at) ? at : drawn[0]?.country_code), blur: hide,
  }, svg, tip);
  let touched = "";

  function shapeOf(row) {
    const code = row.country_code, [x, y] = world.dots[code] ?? [];
    const common = {
      class: step(row), role: "option", id: `map-${code}`, "aria-label": words(row), "data-code": code, pointerenter: (event) => event.pointerType === "mouse" && tell(code), pointerleave: (event) => event.pointerType === "mouse" && hide(),
      click(event) {
        if (event.pointerType === "touch" && touched !== code) tell(touched = code, true); // the first touch tells, the second one filters
        else filter(row);
      },
    };
    return code in world.shapes ? element("path", { d: world.shapes[code], ...common }) : element("circle", { cx: x, cy: y, r: 5, ...common });
  }

  function tell(code, again = false) {
    const row = drawn.find((one) => one.country_code === code), shape = options.get(code);
    if (!row) return;
    hide();
    at = code;
    if (svg.lastElementChild !== shape) svg.append(shape); // above its neighbours
    shape.classList.add("told");
    list.setAttribute("aria-activedescendant", shape.id);
    tip.textContent = again ? texts.others.tapAgain(words(row)) : words(row);
    tip.hidden = false;
    const inside = list.getBoundingClientRect(), { left, top, bottom, width } = shape.getBoundingClientRect(), above = top - inside.top - tip.offsetHeight - 4;
    tip.style.setProperty("left", `${Math.min(Math.max(left + width / 2 - inside.left - tip.offsetWidth / 2, 0), inside.width - tip.offsetWidth)}px`);
    tip.style.setProperty("top", `${above < 0 ? bottom - inside.top + 4 : above}px`);
  }

  function hide() {
    options.get(at)?.classList.remove("told");
    list.removeAttribute("aria-activedescendant");
    tip.hidden = true;
  }

  function key(event) {
    const now = Math.max(0, drawn.findIndex((row) => row.country_code === at)), last = drawn.length - 1;
    const to = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1, Home: 0, End: last }[event.key];
    if (event.key === "Escape") hide();
    if (["Enter", " "].includes(event.key) && drawn.length > 0) filter(drawn[now]);
    else if (to == null) return;
    else tell(drawn[Math.min(last, Math.max(0, to))]?.country_code);
    event.preventDefault();
  }

  box.replaceChildren(list, element("p", { class: "legend soft" }, ends.map((end, i) => element("span", { class: `key step${i + 1}` }, texts.others.between(whole((ends[i - 1] ?? 0) + 1), whole(end))))));
  if (rest.length > 0) box.append(element("p", { class: "soft" }, texts.others.notOnMap(rest.map(words).join(texts.or))));
}
