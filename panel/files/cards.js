// The cards of the overview. Each asks for the rows of its open tab alone, so that a slow list holds back nothing else.
import { ask, Fault, question, questionPath } from "./api.js";
import { compareOf } from "./dates.js";
import { button, element, replace } from "./dom.js";
import { cards, lists, parameterOf } from "./lists.js";
import { rowsOf, tabOf } from "./tables.js";
import { texts } from "./texts.js";

// What is known of each card: what was asked, whether its answer is still awaited, the latest answer with what
// it answers, and the fault of the latest request if it failed.
const known = Object.fromEntries(Object.keys(cards).map((card) => [card, { asked: "", waiting: false, list: "", answer: null, answers: "", fault: null, retry: 0 }]));
let shown = null; // the view, the element and the actions of the cards that are shown

/** Asks for the rows of cards: for those that show something else than was asked, or for all of them if again is true. */
export function askRows(view, again = false) {
  for (const card of Object.keys(cards)) {
    const parameter = parameterOf(tabOf(view, card), { compare: compareOf(view) });
    const asked = `${questionPath(view)}${JSON.stringify(question(view, [parameter]))}`;
    if (again || asked !== known[card].asked) load(card, view, parameter, asked);
  }
}

async function load(card, view, parameter, asked) {
  const state = known[card], turn = Symbol(card);
  clearTimeout(state.retry);
  Object.assign(state, { asked, turn, waiting: true });
  try {
    const { data: [answer] } = await ask(view, [parameter]);
    if (state.turn !== turn) return;
    Object.assign(state, { waiting: false, answer, answers: asked, fault: null, list: parameter.id });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (state.turn !== turn) return;
    Object.assign(state, { waiting: false, fault: error, list: parameter.id });
    if (error.kind === "key") shown?.act.fail(error);
    else if (error.wait) state.retry = setTimeout(() => state.asked === asked && shown?.parent.isConnected && load(card, view, parameter, asked), error.wait * 1000);
  }
  if (shown?.parent.isConnected) draw(card);
}

/** Shows the cards of a view in an element. */
export function drawCards(parent, view, act) {
  shown = { parent, view, act };
  askRows(view);
  replace(parent, Object.keys(cards).map((card) => cardOf(card)));
  pack(parent);
}

const unit = 4, gap = 10; // px: of rows of the grid, and between cards

/** Packs cards of different heights, so that none has a hole: each spans as many rows of the grid as it is high. */
function pack(parent) {
  for (const card of parent.children) sizes.observe(card);
}

const sizes = new ResizeObserver((changes) => {
  for (const { target } of changes) target.style.setProperty("--rows", Math.ceil((target.offsetHeight + gap) / unit));
});

function draw(card) {
  const at = [...shown.parent.children].find((one) => one.dataset.card === card), focused = at?.contains(document.activeElement) && document.activeElement.dataset.key;
  if (!at) return;
  const made = cardOf(card);
  made.style.setProperty("--rows", at.style.getPropertyValue("--rows"));
  sizes.unobserve(at);
  at.replaceWith(made);
  sizes.observe(made);
  if (focused) [...made.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused)?.focus({ preventScroll: true });
}

function cardOf(card) {
  const { view, act } = shown, state = known[card], open = tabOf(view, card), title = `${texts.cards[card]}: ${texts.lists[open]}`;
  const tabs = element("div", { role: "tablist", "aria-label": texts.cards[card], keydown: arrows }, cards[card].map((name) => button(texts.lists[name], () => act.tab(card, name), {
    role: "tab", id: `tab-${name}`, "aria-selected": String(name === open), "aria-controls": `panel-${card}`, tabindex: name === open ? 0 : -1, "data-key": `tab ${name}`,
  })));
  const inside = element("div", { role: "tabpanel", id: `panel-${card}`, "aria-labelledby": `tab-${open}`, "aria-busy": state.waiting && "true" }, insideOf(state, open, view, act));
  const whole = lists[open].all ?? open;
  const all = button(texts.all, () => act.open({ list: whole }), { class: "quiet", "aria-label": texts.allOf(texts.lists[whole]), "data-key": `all ${card}` });
  return element("section", { class: "card", "aria-label": title, "data-card": card }, element("header", {}, element("h2", {}, texts.cards[card]), tabs), inside,
    element("p", { class: "foot" }, all, card === "events" && button(texts.visits, () => act.open({ list: "sessions" }), { class: "quiet", "data-key": "visits" })));
}

// Rows of an earlier answer stay while others are loaded. If the same rows cannot be loaded again, they stay below what failed.
function insideOf({ list, answer, answers, asked, fault, waiting }, open, view, act) {
  const there = list === open && answer && rowsOf(open, answer, view, act);
  if (fault && list === open && !waiting) return [element("p", { class: "failed" }, fault.wait ? texts.faults[fault.kind](Math.ceil(fault.wait)) : texts.faults.other(fault.message)), answers === asked && there].filter(Boolean);
  return there || element("div", { class: "skeleton" }, element("p", { class: "soft" }, `${texts.loading} …`));
}

function arrows(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const tabs = [...event.currentTarget.children], at = tabs.indexOf(document.activeElement);
  const next = tabs[(at + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
}
