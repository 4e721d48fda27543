// Signing in with a key or a panel token.
import { element, replace } from "./dom.js";
import { texts } from "./texts.js";

/** Asks whether the key of a link may replace the key of the reader. done gets the answer. */
export function askBefore(parent, done) {
  parent.hidden = false;
  const keep = element("button", { type: "button", class: "main", click: () => done(false) }, texts.keepKey);
  replace(parent, element("h2", {}, texts.otherKey), element("p", { role: "alert" }, texts.otherKeyAsk),
    element("p", {}, keep, " ", element("button", { type: "button", click: () => done(true) }, texts.useLink)));
  keep.focus();
}

/** Draws the form that asks for a key. done gets the key and whether it is to stay on this device. */
export function askForKey(parent, text, done) {
  parent.hidden = false;
  const key = element("input", { name: "key", type: "password", autocomplete: "current-password", required: true, spellcheck: "false" });
  const stay = element("input", { name: "stay", type: "checkbox" });
  replace(parent, element("h2", {}, texts.signIn), text && element("p", { class: "failed", role: "alert" }, text), element("p", { class: "soft" }, texts.signInHelp),
    element("form", { submit: (event) => {
      event.preventDefault();
      if (key.value.trim()) done(key.value.trim(), stay.checked);
    } }, element("label", {}, texts.key, key), element("label", { class: "check" }, stay, texts.stay), element("button", { class: "main" }, texts.enter)));
  key.focus();
}
