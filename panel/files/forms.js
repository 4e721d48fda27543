// Forms of the settings: fields with their mistakes beside them, and texts to copy.
import { Fault } from "./api.js";
import { button, element } from "./dom.js";
import { texts } from "./texts.js";

const t = texts.settings;
let fields = 0;

/** Returns a field with a label, and an optional help. name is its name in the API, where mistakes have it. */
export function field(name, label, input, help) {
  const id = `field-${++fields}`;
  input.id = id;
  input.setAttribute("aria-describedby", help ? `${id}-fault ${id}-help` : `${id}-fault`);
  return element("div", { class: "field", "data-field": name }, element("label", { for: id }, label), input,
    element("p", { id: `${id}-fault`, class: "failed fault" }), help && element("p", { id: `${id}-help`, class: "soft" }, help));
}

/** Returns choices below a title: each is an element of check(). */
export function group(name, title, choices, help) {
  return element("fieldset", { class: "field", "data-field": name }, element("legend", {}, title), help && element("p", { class: "soft" }, help), choices, element("p", { class: "failed fault" }));
}

/** Returns a checkbox or radio button with its text. */
export function check(text, attributes, more) {
  return element("label", { class: "check" }, element("input", { type: "checkbox", ...attributes }), element("span", {}, text, more && element("span", { class: "soft" }, ` ${more}`)));
}

/**
 * Returns a form with a button. send returns a promise; a mistake that it fails with stands beside its field, or below the
 * form. Without send the form only shows.
 */
export function form(parts, label, send, look = "main") {
  const fault = element("p", { class: "failed", role: "alert" });
  const sender = element("button", { class: look }, label);
  const made = element("form", { class: "settings", novalidate: true, submit: async (event) => {
    event.preventDefault();
    mark(made, fault, []);
    sender.disabled = true;
    try {
      await send(made);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      mark(made, fault, mistakesOf(error));
    } finally {
      sender.disabled = false;
    }
  } }, parts, fault, element("p", { class: "foot" }, sender));
  return made;
}

function mistakesOf(error) {
  if (error.details.length > 0 && error.details.every(({ field }) => field)) return error.details;
  return [{ field: "", message: error.wait ? texts.faults[error.kind](Math.ceil(error.wait)) : error.message }];
}

function mark(made, fault, mistakes) {
  for (const place of made.querySelectorAll(".fault")) place.textContent = "";
  for (const input of made.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  fault.textContent = "";
  let first = null;
  for (const { field, message } of mistakes) {
    const names = field.split(/[.[]/), found = [...made.querySelectorAll("[data-field]")].find((one) => one.dataset.field === field || names.includes(one.dataset.field));
    const text = t.mistake(message);
    if (!found) {
      fault.textContent += `${fault.textContent && " "}${field ? `${field}: ` : ""}${text}`;
      continue;
    }
    const place = found.querySelector(".fault"), input = found.querySelector("input, select, textarea");
    found.closest("details")?.setAttribute("open", "");
    place.textContent += `${place.textContent && " "}${text}`;
    input?.setAttribute("aria-invalid", "true");
    first ??= input;
  }
  first?.focus();
}

/** Returns a text with a button that copies it. */
export function copied(text, label) {
  const code = element("code", { dir: "ltr" }, text), said = element("span", { role: "status", class: "soft" });
  return element("div", { class: "copied", role: "group", "aria-label": label }, code, element("p", { class: "foot" }, button(t.copy, async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = t.wasCopied;
    } catch { // no clipboard: the page is not from a secure origin, or the reader denies it
      getSelection().selectAllChildren(code);
      said.textContent = t.copyYourself;
    }
  }), said));
}

/** Returns an element that shows what a promise gives: an element, or the text of its failure. */
export function pending(promise, act) {
  const place = element("div", { class: "pending", "aria-busy": "true" }, element("p", { class: "soft" }, `${texts.loading} …`));
  promise.then((made) => place.replaceChildren(...[made].flat().filter(Boolean)), (error) => {
    if (!(error instanceof Fault)) throw error;
    if (error.kind === "key") act.fail(error);
    place.replaceChildren(element("p", { class: "failed", role: "alert" }, error.wait ? texts.faults[error.kind](Math.ceil(error.wait)) : error.message));
  }).then(() => {
    place.removeAttribute("aria-busy");
    place.querySelector("[autofocus]")?.focus();
  });
  return place;
}
