// Elements of the page. Texts are always set as texts, never parsed as HTML.

const graphics = new Set(["svg", "path", "line", "circle", "text", "g", "rect"]);

/** Returns a new element with children or texts. Attributes whose value is false or null are left out; functions listen. */
export function element(name, attributes = {}, ...inside) {
  const made = graphics.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...inside.flat().filter((one) => one != null && one !== false));
  return made;
}

export const byId = (id) => document.getElementById(id);

export const button = (text, click, attributes = {}) => element("button", { type: "button", click, ...attributes }, text);

/**
 * Returns a link whose click does click(event) here, and which a browser opens elsewhere as usual: with the middle button, or with
 * Ctrl, ⌘ or Shift.
 */
export function link(text, href, click, attributes = {}) {
  const here = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    click(event);
  };
  return element("a", { href, click: here, ...attributes }, text);
}

/** Copies a text, and returns whether the browser allowed it. It does not where the page is not secure. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns a select with a label. choices are [value, text]. */
export function select(label, name, choices, value, change) {
  const options = choices.map(([one, text]) => element("option", { value: one, selected: one === value }, text));
  return element("label", {}, element("span", {}, label), element("select", { name, change: (event) => change(event.target.value) }, options));
}

/** Replaces the children of an element. The focus stays on the element with the same data-key, and the scroll position stays. */
export function replace(parent, ...children) {
  const at = parent.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  parent.replaceChildren(...children.flat().filter(Boolean));
  if (at) focusOn(parent, at);
}

export function focusOn(parent, key) {
  const found = [...parent.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  found?.focus({ preventScroll: true });
  return Boolean(found);
}
