// The page. It asks one question for all that it shows, again each minute, and keeps what was shown until there is something newer.
import { blank, closed, read, write } from "./address.js";
import { askBefore, askForKey } from "./access.js";
import { allowed, ask, currentKey, Fault, isKey, questionPath, question, rememberedKey, replacesKey, signOut, useKey, useLink, useOtherTab, websites } from "./api.js";
import { drawControls } from "./controls.js";
import { addDays, daysOf, isDate } from "./dates.js";
import { drawDialog } from "./details.js";
import { byId, element, focusOn, replace } from "./dom.js";
import { drawFilters, opposites, withFilter } from "./filters.js";
import { clock, moment, second, span, whole } from "./format.js";
import { sections } from "./sections.js";
import { known, learn } from "./self.js";
import { listenToKeys } from "./shortcuts.js";
import { texts } from "./texts.js";
import { useTheme } from "./theme.js";

const minute = 60_000;
let view, unknown = [], sites = null, answered = null, turn = 0, retry = 0, offers = { names: new Set() }, inSight = "";

const act = {
  view: seen,
  go, // to another view, which Back leaves
  stay: (change, typed) => go(change, typed),
  open: (change) => go({ ...closed, ...change }),
  close: () => go(closed),
  tab: (card, name) => go({ tabs: { ...view.tabs, [card]: name } }),
  edit: (edit) => go({ ...closed, edit }),
  remove(i) {
    go({ filters: view.filters.filter((_, n) => n !== i) });
    focusOn(byId("filters"), `remove ${Math.min(i, view.filters.length - 1)}`) || focusOn(byId("filters"), "add filter");
  },
  clear() {
    go({ filters: [] });
    focusOn(byId("filters"), "add filter");
  },
  href: (change) => write({ ...view, ...change }), // the address of another view
  filtered: (field, op, value) => ({ ...closed, filters: withFilter(view.filters, { field, op, values: [value] }) }),
  filter(field, op, value) {
    go(act.filtered(field, op, value));
    focusOn(byId("filters"), `chip ${field}`);
  },
  setFilter(at, made) {
    go({ ...closed, filters: at < 0 ? withFilter(view.filters, made) : view.filters.with(at, made) });
    focusOn(byId("filters"), `chip ${made.field}`);
  },
  custom() {
    const { from, to } = answeredDays();
    if (from) go({ preset: "", from, to });
  },
  dates(from, to, changed) {
    if (!isDate(from) || !isDate(to)) return;
    if (from > to) [from, to] = changed === "from" ? [from, from] : [to, to];
    go({ preset: "", from, to });
  },
  compareDates(from, to, changed) { // without dates: those of the last answer, or as many days before
    const shown = answeredDays(), previous = answered && comparedIn(answered);
    if (!from) [from, to] = [previous?.startDate.slice(0, 10) ?? (shown.from && addDays(shown.from, -daysOf(shown.from, shown.to))), previous?.endDate.slice(0, 10) ?? (shown.from && addDays(shown.from, -1))];
    if (!isDate(from ?? "") || !isDate(to ?? "")) return;
    if (from > to) [from, to] = changed === "compareFrom" ? [from, from] : [to, to];
    go({ compare: `${from},${to}` });
  },
  segment(name) {
    go({ ...closed, filters: [{ field: "segment", op: "is", values: [name] }] });
    focusOn(byId("filters"), "chip segment");
  },
  turn(i) { // is into is not, and back
    const { op, ...filter } = view.filters[i];
    go({ filters: view.filters.with(i, { ...filter, op: opposites[op] }) });
  },
  theme(name) {
    useTheme(name);
    if (answered) drawControls(view, sites, answered.meta, act, dated(sections[view.section]));
  },
  signOut,
  again: () => show(true), // after a change by the section
  websitesChanged(change) { // to another view, after a change of the list of websites
    sites = null;
    if (answered) answered.asked = "";
    go(change);
  },
  site: () => sites?.find(({ id }) => id === view.website),
  fail,
  visited: () => (answered?.answers.totals.data?.[0]?.pageviews ?? 0) > 0,
  moment: (text) => moment(text, view.zone),
  second: (text) => second(text, view.zone),
};

/** The days of the last answer, which may begin and end with times. */
const answeredDays = () => ({ from: answered?.meta?.startDate?.slice(0, 10), to: answered?.meta?.endDate?.slice(0, 10) });

/** The view with the range of its section, or of the dialogs of its section. */
function seen() {
  const { range, dialogRange } = sections[view.section];
  return { ...view, ...range, ...(view.list && dialogRange) };
}

/** Changes the view and its address. While somebody types, no steps for Back are made. */
function go(change, typed = false) {
  ({ view, unknown } = read(write({ ...view, ...change })));
  if (typed) history.replaceState(null, "", write(view));
  else if (write(view) !== location.hash) history.pushState(null, "", write(view));
  show();
}

function say(text, failed = false) {
  const status = byId("status");
  byId("bar").hidden = false;
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("failed", failed);
}

/** Says in words what failed, keeps the numbers, and tries again where that may help. */
function fail(error) {
  if (!(error instanceof Fault)) throw error;
  clearInterval(retry);
  byId("answers").classList.add("stale");
  byId("answers").removeAttribute("aria-busy");
  if (error.kind === "key") {
    if (currentKey() === "") return; // another request has failed in the same way before
    const text = isKey(currentKey()) ? texts.faults.key : texts.faults.cutKey;
    useKey("", null);
    byId("status").textContent = "";
    return signIn(text);
  }
  if (!error.wait) return say(error.kind === "forbidden" ? texts.faults.forbidden : texts.faults.other(error.message), true);
  let left = Math.ceil(error.wait);
  const tick = () => {
    say(texts.faults[error.kind](left), true);
    if (left-- > 0) return;
    clearInterval(retry);
    show(true);
  };
  tick();
  retry = setInterval(tick, 1000);
}

function signIn(text = "") {
  askForKey(byId("access"), text, (key, stay) => {
    useKey(key, stay);
    sites = null;
    byId("access").hidden = true;
    show(true);
  });
}

// Every section asks for the visitors of now. The answer also has the dates of the view.
const shared = [{ name: "active_stats", id: "now" }];

// Whether the dates of the view matter to a section.
const dated = ({ undated, range }) => !undated && !range;

/** Returns what the section shows, and what it was asked with, so that the same is not asked again. */
async function load(section) {
  const about = { ...view, ...section.range, ...(section.unfiltered && { filters: [] }) }, parameters = [...shared, ...(section.parameters?.(about) ?? [])];
  const asked = section.load ? write({ ...view, edit: "" }) : `${view.section} ${questionPath(view)}${JSON.stringify(question(about, parameters))}`;
  if (asked === answered?.asked) return answered;
  byId("answers").setAttribute("aria-busy", "true");
  const learned = learn(); // beside: numbers do not wait for it
  learned.catch(() => {}); // show() waits for it after the numbers, and says what failed
  const asking = [sites.length > 0 && ask(about, parameters), section.load?.(about), section.load && learned];
  section.also?.(view);
  const [answer, loaded] = await Promise.all(asking);
  return { asked, at: new Date(), meta: answer.meta, answers: Object.fromEntries((answer.data ?? []).map((one) => [one.id, one])), loaded };
}

/** Shows the view. It asks the server if the view needs other rows than those that are there, or if again is true. */
async function show(again = false) {
  const now = ++turn;
  if (again && answered) answered.asked = ""; // also for a later view, which may come before the answer
  clearInterval(retry);
  byId("notices").replaceChildren(...unknown.map((text) => element("li", {}, text)));
  if (!answered) say(`${texts.loading} …`);
  const section = sections[view.section];
  if (!sites) { // the page has its shape before the first answer
    drawNavigation();
    drawControls(view, null, null, act, dated(section));
  }
  try {
    sites ??= await (section.undated ? allowed(websites(), []) : websites());
    if (now !== turn) return;
    if (sites.length === 0) {
      drawNavigation();
      if (!section.undated) {
        byId("answers").hidden = true;
        return say(texts.faults.noWebsite, true);
      }
    } else if (!sites.some(({ id }) => id === view.website)) {
      const name = sites[0].name || sites[0].domain;
      if (view.website) byId("notices").append(element("li", {}, texts.unknown(texts.website, view.website, name)));
      view = { ...view, website: sites[0].id };
      history.replaceState(null, "", write(view));
    }
    drawNavigation();
    drawControls(view, sites, answered?.meta, act, dated(section));
    if (section.undated || section.unfiltered) byId("filters").hidden = true;
    else drawFilters(byId("filters"), view, act);
    drawDialog(seen(), answered, act, fail);
    const answer = await load(section);
    if (now !== turn) return;
    answered = answer;
    draw();
    if (!known()) {
      await learn();
      if (now !== turn) return;
      draw();
    }
    await offer();
  } catch (error) {
    if (now === turn) fail(error);
  }
}

/** The dates that an answer is compared with, or undefined. */
const comparedIn = ({ answers, loaded }) => Object.values({ ...answers, ...loaded?.answers }).find((answer) => answer.meta?.previous)?.meta.previous;

function draw() {
  const { answers, meta, at } = answered, parts = byId("answers");
  parts.hidden = false;
  parts.classList.remove("stale");
  parts.removeAttribute("aria-busy");
  byId("access").hidden = true;
  const { undated } = sections[view.section];
  drawControls(view, sites, meta, act, dated(sections[view.section]));
  sections[view.section].draw(parts, view, answered, act);
  if (sites.length === 0) return say("");
  const count = answers.now.success ? answers.now.data[0]?.active_users ?? 0 : null, site = sites.find(({ id }) => id === view.website);
  byId("live").replaceChildren(element("span", { class: count > 0 ? "now" : "now nobody", title: texts.nowLong }, count == null ? "–" : texts.visitorsNow(count, whole(count))), " ", element("span", { class: "clock" }, texts.asOf(clock(view.zone, at))));
  const name = site.name || site.domain, section = texts.sections[view.section];
  byId("place").textContent = texts.manners.place(name, section);
  document.title = `${count == null ? "" : `${texts.now(whole(count))} · `}${name}${view.section === "overview" ? "" : `: ${section}`} – Sightline`;
  if (undated) return say("");
  const other = comparedIn(answered), dates = span(meta.startDate, meta.endDate);
  say(other ? texts.compared(dates, span(other.startDate, other.endDate)) : dates);
}

/** Asks, once for each website and sign-in, which sections the key can see anything in. The navigation has only these. */
async function offer() {
  if (sites.length === 0) return;
  const asked = { sites, website: view.website };
  if (offers.sites === asked.sites && offers.website === asked.website) return;
  const asking = Object.keys(sections).filter((name) => sections[name].offered);
  const seen = await Promise.all(asking.map((name) => sections[name].offered(view).catch((error) => {
    if (!(error instanceof Fault)) throw error;
    asked.sites = null; // the next refresh asks again
    return offers.names.has(name);
  })));
  offers = { ...asked, names: new Set(asking.filter((_, i) => seen[i])) };
  drawNavigation();
}

function drawNavigation() {
  const navigation = byId("sections"), names = Object.keys(sections).filter((name) => !sections[name].offered || offers.names.has(name));
  navigation.hidden = names.length < 2;
  replace(navigation, names.map((name) => element("a", {
    href: write({ ...view, ...closed, ...blank(view.section), section: name }), "aria-current": name === view.section && "page", "data-key": `section ${name}`, "data-section": name,
  }, texts.sections[name])));
  const open = navigation.querySelector("[aria-current]"), wanted = `${view.section} ${names}`;
  if (!open || inSight === wanted) return;
  inSight = wanted; // on narrow pages the navigation scrolls sideways
  navigation.scrollLeft = open.offsetLeft - (navigation.clientWidth - open.offsetWidth) / 2;
}

function open() {
  const asked = read(location.hash);
  ({ view, unknown } = asked);
  history.replaceState(null, "", write(view));
  if (asked.key && replacesKey(asked.key)) return offerKey(asked.key);
  if (asked.key) {
    useLink(asked.key);
    sites = null;
  }
  show();
}

/** Asks before the key of a link replaces the key of the reader. Until then the page asks for nothing. */
function offerKey(secret) {
  turn++;
  answered = null;
  byId("answers").hidden = true;
  if (byId("dialog").open) byId("dialog").close();
  say("");
  askBefore(byId("access"), (accepted) => {
    byId("access").hidden = true;
    if (accepted) useLink(secret);
    sites = null;
    show(true);
  });
}

byId("sections").setAttribute("aria-label", texts.sectionsOf);
byId("skip").textContent = texts.skip;
byId("skip").addEventListener("click", () => byId(byId("answers").hidden ? "access" : "answers").focus()); // no link: the address holds the view
byId("dialog").addEventListener("cancel", (event) => {
  event.preventDefault();
  act.close();
});
// Browsers may close a dialog without a cancel event, if the reader has not done anything in it.
byId("dialog").addEventListener("close", () => !byId("dialog").open && (view.list || view.edit) && act.close());
byId("dialog").addEventListener("click", (event) => event.target === byId("dialog") && act.close());
addEventListener("hashchange", open);
listenToKeys(act, () => answered && byId("access").hidden);
const stale = () => answered && !document.hidden && Date.now() - answered.at >= minute - 1000;
setInterval(() => stale() && show(true), minute);
document.addEventListener("visibilitychange", () => stale() && show(true));
useKey(rememberedKey(), null);
if (read(location.hash).key || rememberedKey()) {
  open();
} else {
  ({ view, unknown } = read(location.hash));
  byId("notices").replaceChildren(...unknown.map((text) => element("li", {}, text)));
  signIn();
  useOtherTab().then((found) => found && open());
}
