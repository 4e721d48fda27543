// The dialog of a goal.
import { ask } from "./api.js";
import { actionFields, canShow, field } from "./asking-form.js";
import { mistakesOf } from "./definitions.js";
import { byId, element, focusOn } from "./dom.js";
import { triedGoals } from "./goals.js";
import { savingForm } from "./saving.js";
import { texts } from "./texts.js";

const words = texts.asking;

/** Returns the dialog of the goal with a name, or of a new one if name is "": see sections.js. */
export function goalDialog(view, name, act) {
  const content = savingForm(view, name, act, {
    kind: "goal", tried: triedGoals(view) ?? [], fields,
    async check(goal) {
      const [{ success, error }] = (await ask(view, [{ name: "goals", goals: [goal], filters: [] }])).data;
      return success ? [] : mistakesOf(error);
    },
    async done(goal, tried) {
      act.open({ goal, measure: "", tried: tried.length > 0 ? JSON.stringify(tried) : "" });
      await act.again();
      focusOn(byId("answers"), goal ? `goal ${goal}` : "new goal");
    },
  });
  return { title: name ? words.goalNamed(name) : words.newGoal, content };
}

function fields(goal) {
  if (goal && !canShow(goal)) return null;
  const value = element("input", { name: "property", dir: "auto", list: "known-property", autocomplete: "off", spellcheck: "false", maxlength: 128 });
  value.value = goal?.value ?? "";
  const action = actionFields("", goal);
  return {
    nodes: [...action.nodes, field("value", words.valueProperty, value, words.valueHelp)],
    read: () => ({ ...action.read(), ...(value.value.trim() && { value: value.value.trim() }) }),
  };
}
