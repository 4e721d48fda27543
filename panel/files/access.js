// Signing in with a key or a panel token.
import { element, replace } from "./dom.js";
import { texts } from "./texts.js";

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
