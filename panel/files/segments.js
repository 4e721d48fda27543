// Segments: filters that are saved by name for everybody who reads the website.
import { condition, Fault } from "./api.js";
import { remove, save, savedOf } from "./definitions.js";
import { button, element, replace } from "./dom.js";
import { labelOfFilter } from "./filters.js";
import { field, form } from "./forms.js";
import { learn, maySave } from "./self.js";
import { texts } from "./texts.js";

const words = texts.segments, kind = "segment";

/** Returns the names of the segments of a website. */
export const segmentsOf = async (website) => (await savedOf(website, kind)).map(({ name }) => name);

/** Returns the content of the dialog that applies, saves and removes segments. */
export function segmentsForm(act) {
  const view = act.view(), list = element("div", {}, element("p", { class: "soft" }, `${texts.loading} …`)), said = element("p", { class: "soft", role: "status" });
  const content = element("div", { class: "annotations" }, said, list);
  Promise.all([load(), learn()]).then(() => maySave() && view.filters.length > 0 && content.prepend(saveForm()), fail);

  async function load() {
    const names = await segmentsOf(view.website);
    replace(list, names.length === 0 ? element("p", { class: "soft" }, words.none) : element("ul", { class: "records" }, names.map(row)));
  }

  function row(name) {
    let sure = false; // it is removed for everybody
    const gone = maySave() && button(texts.annotations.remove, async () => {
      if (!sure) {
        sure = true;
        gone.textContent = texts.annotations.removeAgain;
        return;
      }
      await remove(view.website, kind, name).catch((error) => error.kind !== "missing" && fail(error));
      await load().catch(fail);
    }, { class: "danger", "aria-label": words.removeOf(name) });
    return element("li", {}, element("div", {}, button(name, () => use(name), { class: "quiet", dir: "auto" })), gone && element("p", { class: "foot" }, gone));
  }

  function saveForm() {
    const name = element("input", { name: "segment", required: true, maxlength: 100, dir: "auto", autocomplete: "off" });
    return form([element("p", { dir: "auto" }, view.filters.map(labelOfFilter).join("; ")), field("name", words.name, name, words.help)], words.save, async () => {
      const called = name.value.trim();
      await save(view.website, kind, called, { filters: view.filters.map((filter) => condition(filter)) });
      use(called);
    });
  }

  // The segment takes the place of the filters.
  const use = (name) => act.segment(name);

  function fail(error) {
    if (!(error instanceof Fault)) throw error;
    if (error.kind === "key") return act.fail(error);
    list.replaceChildren();
    said.textContent = error.wait ? texts.faults[error.kind](Math.ceil(error.wait)) : texts.faults.other(error.message);
  }

  return content;
}
