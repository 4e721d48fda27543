// The dialog that makes a link for readers without a key.
import { sharedSecret, Fault } from "./api.js";
import { pending } from "./forms.js";
import { learn, mayManageKeys, mayShare } from "./self.js";
import { button, copied, element, select } from "./dom.js";
import { labelOfFilter } from "./filters.js";
import { moment } from "./format.js";
import { write, closed } from "./address.js";
import { sections } from "./sections.js";
import { texts } from "./texts.js";

const hour = 3600;
const ends = { hour, day: 24 * hour, week: 7 * 24 * hour, month: 30 * 24 * hour }; // in seconds

/** Returns the content of the dialog. act.view() is the view that the link opens. */
export const shareForm = (act) => pending(learn().then(() => (mayShare() ? formOf(act) : element("p", {}, texts.manners.mayNotShare))), act);

function formOf(act) {
  const words = texts.manners, { filters } = act.view();
  const end = select(words.shareEnd, "end", Object.keys(ends).filter((name) => ends[name] <= ends.day || mayManageKeys()).map((name) => [name, words.shareEnds[name]]), "day", () => {});
  const only = element("input", { type: "checkbox", name: "only" });
  const link = element("input", { name: "link", readonly: true, "aria-label": words.link, focus: () => link.select() });
  const out = element("div", { class: "made", hidden: true }, link, button(words.copy, async () => say((await copied(link.value)) ? words.linkCopied : words.linkNotCopied)));
  const said = element("p", { role: "status" }), make = element("button", { class: "main" }, words.makeLink);
  const say = (text, failed = false) => {
    said.textContent = text;
    said.classList.toggle("failed", failed);
  };
  const submit = async (event) => {
    event.preventDefault();
    const view = act.view(), seconds = ends[end.lastChild.value];
    make.disabled = true;
    say("");
    try {
      const until = new Date(Date.now() + seconds * 1000), secret = await sharedSecret(view, until, seconds, only.checked, words.keyName);
      const at = new URL(location.href);
      const section = sections[view.section].undated ? "overview" : view.section; // settings are not for readers
      at.hash = `${write({ ...view, ...closed, section })}&token=${encodeURIComponent(secret)}`;
      link.value = at.href;
      out.hidden = false;
      const kind = words.linkMade(moment(until, view.zone));
      say(`${kind} ${(await copied(link.value)) ? words.linkCopied : words.linkNotCopied}`);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.kind === "key") act.fail(error);
      else say(error.kind === "forbidden" ? words.mayNotShare : texts.faults.other(error.message), true);
    }
    make.disabled = false;
  };
  return element("form", { class: "filter", submit }, element("p", { class: "soft" }, words.shareHelp), end,
    filters.length > 0 && filters.every(({ field }) => field !== "segment") && element("label", { class: "check" }, only, element("span", { dir: "auto" }, words.shareOnly(filters.map(labelOfFilter).join("; ")))), make, out, said);
}
