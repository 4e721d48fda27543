// Ranges of dates. Dates are texts such as 2026-11-28, and days are counted in UTC so that no clock change matters.
import { locale } from "./format.js";

/** The length of each preset in days at most; it chooses the interval. */
export const presets = {
  last_30m: 1 / 48, last_60m: 1 / 24, last_24h: 1, today: 1, yesterday: 1, last_7d: 7, last_14d: 14, last_28d: 28, last_30d: 30, last_90d: 90, last_180d: 180, last_365d: 365, this_week: 7, last_week: 7,
  this_month: 31, last_month: 31, last_6m: 184, last_12m: 366, this_year: 366, last_year: 366, all_time: 3660,
};

/** What a view without dates shows: whole days alone, compared with the same weekdays. With today, each morning would look like a fall. */
export const fair = { preset: "last_28d", compare: "previous_weeks" };

export const local = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The first day of weeks, by the language of the reader. */
export const weekStart = new Intl.Locale(locale).getWeekInfo?.().firstDay === 7 ? "sunday" : "monday";

export function isZone(name) {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

const utc = (text) => new Date(`${text}T00:00Z`);
const text = (date) => date.toISOString().slice(0, 10);

export const isDate = (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(utc(value).valueOf()) && text(utc(value)) === value;
export const today = (zone) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(new Date());
/** The date and time of an instant in a zone, such as 2026-11-28 09:42, or "" if it is none. */
export function localOf(instant, zone) {
  const at = new Date(instant);
  return Number.isNaN(at.valueOf()) ? "" : new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(at);
}

/** The first and the last minute of an answer, such as 2026-11-28 00:00 and 2026-11-28 23:59, in its zone. */
export const minutesOf = ({ from, to, timezone }) => [localOf(from, timezone), localOf(new Date(to) - 60_000, timezone)];

/** Returns the instant of a date and time in a zone, in UTC. A time that clocks skip is moved on. */
export function instantOf(day, time, zone) {
  const wanted = new Date(`${day}T${time}Z`).valueOf();
  let at = wanted;
  for (let n = 0; n < 2; n++) at += wanted - new Date(`${localOf(at, zone).replace(" ", "T")}Z`).valueOf();
  return new Date(at).toISOString().replace(".000", "");
}

export const addDays = (day, n) => text(new Date(utc(day).valueOf() + n * 86_400_000));
export const daysOf = (from, to) => Math.round((utc(to) - utc(from)) / 86_400_000) + 1;

/** The number of days of a view. */
export const lengthOf = ({ preset, from, to }) => (preset ? presets[preset] : daysOf(from, to));

/** Returns the range that the server is asked for. */
export function rangeOf({ preset, from, to }) {
  if (!preset) return { startDate: from, endDate: to };
  return { preset, ...(preset === fair.preset && { complete: true }) };
}

/** Whether a text is a period to compare with: its first and its last day, such as 2026-01-01,2026-01-31. */
export function isPeriod(value) {
  const [from, to, ...more] = value.split(",");
  return isDate(from) && isDate(to ?? "") && from <= to && more.length === 0;
}

const longestOfWeeks = 364; // days: a longer range would overlap the one of the same weekdays a year before

/** The comparison of a view. Nothing was before all time. */
export function compareOf(view) {
  if (view.preset === "all_time" && !isPeriod(view.compare)) return "none";
  return view.compare === "previous_year_weeks" && lengthOf(view) > longestOfWeeks ? "previous_year" : view.compare;
}

const longest = { minute: 1 / 4, hourly: 31 }; // days

/** Whether the server takes an interval for the length of a view. */
export const isFine = (view, interval) => lengthOf(view) <= (longest[interval] ?? Infinity);

/** The interval that a view shows: the chosen one, or one that fits its length. */
export function intervalOf(view) {
  const days = lengthOf(view);
  if (view.interval !== "auto") return view.interval;
  return days <= longest.minute ? "minute" : days <= 2 ? "hourly" : days <= 92 ? "daily" : days <= 400 ? "weekly" : "monthly";
}

const firstOf = (day, months) => {
  const at = utc(day);
  return text(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1)));
};

// The months of a range that begins with a month and ends with one, or 0.
function monthsOf(from, to) {
  const [a, b] = [utc(from), utc(addDays(to, 1))];
  if (a.getUTCDate() !== 1 || b.getUTCDate() !== 1) return 0;
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
}

const moving = { last_30m: true, last_60m: true, last_24h: true }; // no days

const calendar = { this_month: 1, last_month: 1, this_year: 12, last_year: 12 };

/**
 * Returns the dates of the period before (-1) or after (1) a view whose answer covered start to end: the next month or year for
 * whole months and years, and as many days otherwise. It returns null if there is none.
 */
export function shifted({ preset, zone }, start, end, by) {
  if (preset === "all_time" || preset in moving || (preset === fair.preset && by > 0)) return null;
  const months = calendar[preset] ?? monthsOf(start, end);
  const week = ["this_week", "last_week"].includes(preset) ? 7 : daysOf(start, end);
  const from = months ? firstOf(start, by * months) : addDays(start, by * week);
  const to = months ? addDays(firstOf(from, months), -1) : addDays(from, week - 1);
  return from > today(zone) ? null : { preset: "", from, to };
}
