// The element that pages need, in a dialog and in the overview of a website without events.
import { blockedBy, showBlocked } from "./blocked.js";
import { allowed, ask, call, trackingAddress } from "./api.js";
import { element } from "./dom.js";
import { check, copied, pending } from "./forms.js";
import { texts } from "./texts.js";

const t = texts.settings.install, pause = 4000;
let timer = 0;

/** Returns how to install the script in the pages of a website. */
export const howTo = (id, domain, act) => pending(explained(id, domain), act);

async function explained(id, domain) {
  const answer = await allowed(call("/v1/tracker"));
  if (!answer) return element("p", {}, t.none);
  const { tracker } = answer, place = element("div");
  const show = (pinned) => place.replaceChildren(copied(tagOf(tracker, id, pinned), t.tag));
  show(false);
  return [element("p", {}, domain ? t.where(domain) : t.anywhere), place,
    check(t.pin, { name: "pin", change: (event) => show(event.target.checked) }, t.pinHelp), element("p", { class: "soft" }, t.rest)];
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** The element as text. It has all measurements, as that of the command "sightline websites tag". */
function tagOf({ address, script, pinned, integrity }, id, pin) {
  const source = trackingAddress(address) + (pin ? pinned : script);
  return `<script src="${escaped(source)}"${pin ? ` integrity="${escaped(integrity)}" crossorigin="anonymous"` : ""} data-client-id="${escaped(id)}"` +
    " data-track-outgoing-links data-track-web-vitals data-track-errors data-track-interactions defer></script>";
}

const ever = [{ name: "summary_metrics", id: "totals" }, { name: "custom_events", id: "events", limit: 1 }];

/** Reports whether a website never had an event. */
export async function neverUsed(view) {
  const { data } = await ask({ ...view, preset: "all_time", from: "", to: "", interval: "monthly", filters: [] }, ever);
  const [totals, events] = ever.map(({ id }) => data.find((one) => one.id === id));
  return totals.success && events.success && !totals.data[0]?.pageviews && !totals.data[0]?.sessions && events.data.length === 0;
}

/** Returns the card that the overview of a website without events shows. done is called when the first event is there. */
export function firstSteps(view, act, done) {
  clearTimeout(timer);
  const blocked = element("div", { role: "status" });
  const look = () => blockedBy(view).then((found) => showBlocked(blocked, found, view, act), () => {}); // a fault shows itself with the next load of the page
  const wait = () => {
    look();
    timer = setTimeout(async () => {
      const now = act.view();
      if (now.website !== view.website || now.section !== view.section) return;
      const empty = document.hidden || await neverUsed(now).catch(() => true); // a fault shows itself with the next load of the page
      if (empty) wait();
      else done();
    }, pause);
  };
  wait();
  return element("section", { class: "card first", "aria-label": t.title }, element("h2", {}, t.title), howTo(view.website, act.site()?.domain, act), element("p", { role: "status", class: "waiting" }, t.waiting), blocked);
}
