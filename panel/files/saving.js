// Saving, trying and removing a definition in its dialog. It is the same for goals and funnels.
import { alertPlace, field, suggestions, tell } from "./asking-form.js";
import { describe, mistakesIn, remove, save, savedOf } from "./definitions.js";
import { button, element } from "./dom.js";
import { learn, maySave } from "./self.js";
import { texts } from "./texts.js";

const words = texts.asking;

/**
 * Returns the content of the dialog of the definition with a name, or of a new one if name is "".
 *
 *   kind       goal or funnel
 *   tried      the definitions of the address, which are not saved, with their names
 *   fields     fields(definition) returns { nodes, read }, or null if the fields cannot show the definition
 *   check      check(definition) returns a promise of the mistakes that the API finds in it
 *   done       done(name, tried) shows the definition with a name ("": none), with tried in the address
 */
export function savingForm(view, name, act, { kind, tried, fields, check, done }) {
  const content = element("div", { class: "loading" }, element("p", { class: "soft" }, `${texts.loading} …`));
  Promise.all([savedOf(view.website, kind), learn()]).then(([saved]) => {
    content.replaceChildren(...form(saved));
    content.querySelector("input")?.focus();
  }, (error) => {
    act.close();
    act.fail(error);
  });

  function form(all) {
    const saved = all.find((one) => one.name === name), own = tried.find((one) => one.name === name), others = tried.filter((one) => one !== own);
    const definition = own ?? (saved && { name, ...saved.body }), made = element("form", { class: "asking-form", submit });
    if (name && !definition) return [element("p", {}, words.isGone[kind])];
    const removal = (own || (saved && maySave())) && button(own && saved ? words.discard : words.remove, removed, { class: "bad" });
    const main = element("button", { class: "main", hidden: !maySave() }, words.save), note = element("p", { class: "note", id: "may-not-save", hidden: maySave() }, words.mayNotSave[kind]);
    let sure = Boolean(own); // what is saved is removed for everybody
    const parts = fields(definition);
    if (!parts) {
      const shown = [definition.steps ?? definition].flat().map((one) => element("p", { dir: "auto" }, describe(one)));
      made.append(element("p", {}, words.madeElsewhere), ...shown, note, alertPlace(), element("p", { class: "foot" }, removal || ""));
      return [made];
    }
    const title = element("input", { name: "name", required: true, maxlength: 100, dir: "auto", autocomplete: "off" });
    title.value = name;
    const trial = button(words.try, () => made.reportValidity() && attempt(tries), { "aria-describedby": "may-not-save" });
    made.append(field("name", words.name, title), ...parts.nodes, note, alertPlace(), element("p", { class: "foot" }, main, trial, removal || ""), suggestions(view));

    function submit(event) {
      event.preventDefault();
      attempt(maySave() ? saves : tries);
    }
    // Runs what may fail, and shows why it did beside the fields. change returns the mistakes, if it finds any.
    async function attempt(change) {
      made.setAttribute("aria-busy", "true");
      try {
        tell(made, (await change()) ?? []);
      } catch (error) {
        if (error.kind === "key") {
          act.close();
          return act.fail(error);
        }
        tell(made, mistakesIn(error, kind));
      } finally {
        made.removeAttribute("aria-busy");
      }
    }
    const named = () => title.value.trim();
    const mistakes = () => (named() !== name && [...all, ...tried].some((one) => one.name === named()) ? [{ field: "name", text: words.taken }] : null);
    async function saves() {
      const wrong = mistakes();
      if (wrong) return wrong;
      await save(view.website, kind, named(), parts.read(), saved && name);
      done(named(), others);
    }
    async function tries() {
      const one = { name: named(), ...parts.read() }, wrong = mistakes() ?? (await check(one));
      if (wrong.length > 0) return wrong;
      done(one.name, [...others, one]);
    }
    function removed() {
      attempt(async () => {
        if (!sure) {
          sure = true;
          return [{ field: "", text: words.removeAgain }];
        }
        if (!own) await remove(view.website, kind, name);
        done(own && saved ? name : "", others);
      });
    }
    return [made];
  }
  return content;
}
