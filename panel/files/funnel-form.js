// The dialog of a funnel.
import { ask } from "./api.js";
import { actionFields, canShow, choice, field } from "./asking-form.js";
import { mistakesOf } from "./definitions.js";
import { button, byId, element, focusOn } from "./dom.js";
import { triedFunnels } from "./funnels.js";
import { savingForm } from "./saving.js";
import { texts } from "./texts.js";

const words = texts.asking, least = 2, most = 10;

/** Returns the dialog of the funnel with a name, or of a new one if name is "": see sections.js. */
export function funnelDialog(view, name, act) {
  const content = savingForm(view, name, act, {
    kind: "funnel", tried: triedFunnels(view) ?? [], fields,
    async check({ name: _, ...funnel }) {
      const [{ success, error }] = (await ask(view, [{ name: "funnel", ...funnel, filters: [] }])).data;
      return success ? [] : mistakesOf(error);
    },
    async done(funnel, tried) {
      act.open({ funnel, drafts: tried.length > 0 ? JSON.stringify(tried) : "" });
      await act.again();
      focusOn(byId("answers"), funnel ? `funnel ${funnel}` : "new funnel");
    },
  });
  return { title: name ? words.funnelNamed(name) : words.newFunnel, content };
}

function fields(funnel) {
  if (funnel && !funnel.steps.every(canShow)) return null;
  const list = element("ol", { class: "steps" });
  let steps = (funnel?.steps ?? [{ page: "" }, { page: "" }]).map((step) => ({ given: step }));
  const add = button(words.addStep, () => {
    keep();
    steps.push({ given: { page: "" } });
    draw();
    list.lastChild.querySelector("select").focus();
  });
  const window = element("input", { name: "window", type: "number", min: 1, max: 129_600, inputmode: "numeric" }), [, count, unit] = /^(\d+)([mhd])$/.exec(funnel?.window ?? "") ?? [];
  window.value = count ?? "";
  const units = choice("unit", words.units, unit ?? "d"), within = choice("within", words.withins, funnel?.within ?? "visitor");

  const bodyOf = ({ fields: { read }, name }) => ({ ...read(), ...(name.value.trim() && { name: name.value.trim() }) });
  // Steps that move or go are made again.
  const keep = () => { steps = steps.map((step) => ({ given: bodyOf(step) })); };
  function move(from, to) {
    keep();
    const [step] = steps.splice(from, 1);
    if (to !== null) steps.splice(to, 0, step);
    draw();
    list.children[Math.min(to ?? from, steps.length - 1)].querySelector("select").focus();
  }
  function draw() {
    list.replaceChildren(...steps.map((step, i) => {
      step.fields = actionFields(`steps[${i}].`, step.given);
      step.name = element("input", { name: "stepname", dir: "auto", autocomplete: "off", maxlength: 100 });
      step.name.value = step.given.name ?? "";
      const arrow = (text, label, to, off) => button(text, () => move(i, to), { class: "arrow", "aria-label": label(i + 1), title: label(i + 1), disabled: off });
      return element("li", {}, element("fieldset", {}, element("legend", {}, words.step(i + 1)), step.fields.nodes, field(`steps[${i}].name`, words.stepName, step.name),
        element("p", { class: "foot" }, arrow("↑", words.stepUp, i - 1, i === 0), arrow("↓", words.stepDown, i + 1, i === steps.length - 1), arrow("✕", words.stepRemove, null, steps.length <= least))));
    }));
    add.disabled = steps.length >= most;
  }
  draw();
  return {
    nodes: [element("h3", {}, words.steps), list, element("p", {}, add), element("div", { class: "pair" }, field("window", words.window, window, words.windowHelp), field("", words.unit, units)), field("within", words.within, within)],
    read: () => ({ steps: steps.map(bodyOf), ...(window.value && { window: `${window.value}${units.value}` }), ...(within.value !== "visitor" && { within: within.value }) }),
  };
}
