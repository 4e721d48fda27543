// Numbers and dates in the language of the reader.
import { texts } from "./texts.js";

export const locale = navigator.language || "en";

const numbers = (options) => {
  const format = new Intl.NumberFormat(locale, options);
  return (n) => format.format(n);
};
export const whole = numbers({ maximumFractionDigits: 0 });
const decimal = numbers({ maximumFractionDigits: 2 });
const one = numbers({ maximumFractionDigits: 1 });
const signed = numbers({ maximumFractionDigits: 1, signDisplay: "exceptZero" });
const share = numbers({ style: "percent", maximumFractionDigits: 1 });
const column = numbers({ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const signedShare = numbers({ style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });

const compact = numbers({ notation: "compact", maximumSignificantDigits: 3 });
const largest = 1e6; // from here on numbers are short

/** Formats a duration in seconds with its two largest units, such as 1 h 20 min. */
export function seconds(n) {
  const s = Math.round(n);
  if (s < 60) return `${s}\u00a0s`;
  if (s < 3600) return [`${Math.floor(s / 60)}\u00a0min`, s % 60 && `${s % 60}\u00a0s`].filter(Boolean).join(" ");
  return [`${whole(Math.floor(s / 3600))}\u00a0h`, Math.floor((s % 3600) / 60) && `${Math.floor((s % 3600) / 60)}\u00a0min`].filter(Boolean).join(" ");
}

/** share is percent for columns of numbers, whose points stand below one another. */
export const formats = {
  word: (text) => text[0].toLocaleUpperCase() + text.slice(1), whole, decimal, seconds, text: (value) => String(value), percent: (n) => share(n / 100), share: (n) => column(n / 100), ms: (n) => `${whole(n)}\u00a0ms`, points: (n) => texts.points(one(n)),
};

/** Formats a value of a column; null is a dash. */
export const shown = (value, format) => (value == null || value === "" ? "–" : formats[format](value));

/** Is like shown, with millions short, such as 28.1M, so that they fit. */
export const brief = (value, format) => (format === "whole" && Math.abs(value) >= largest ? compact(value) : shown(value, format));

/** Formats a value of a scale, where thousands are short, too. */
export const onScale = (value, format) => (["whole", "ms"].includes(format) && Math.abs(value) >= 1e4 ? `${compact(value)}${format === "ms" ? "\u00a0ms" : ""}` : shown(value, format));

const least = 5; // a smaller base gives percentages that mean nothing
const most = 10; // times the base

/** Returns the text, the size without a sign and the direction of a change, or null if it cannot be told. Rates change by percentage points. */
export function changed(value, before, format) {
  if (value == null || before == null) return null;
  const by = value - before;
  if (format === "percent") return { text: texts.points(signed(by)), size: texts.points(one(Math.abs(by))), sign: Math.sign(Math.round(by * 10)) };
  if (before < least && format === "whole") return null;
  if (before <= 0) return null;
  const told = (format) => (by / before > most ? texts.more(format(most)) : format(by / before));
  return { text: told(signedShare), size: told((n) => share(Math.round(Math.abs(n) * 100) / 100)), sign: Math.sign(Math.round((by / before) * 100)) };
}

const date = (options) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options });
const dayShort = date({ day: "numeric", month: "short" });
const dayLong = date({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const dayYear = date({ day: "numeric", month: "short", year: "numeric" });
const month = date({ month: "short", year: "numeric" });

/** Formats a bucket of a series: short for the axis, long for the values. */
export function bucket(text, interval, long) {
  const [day, hour] = text.split(/[ T]/), at = new Date(`${day}T00:00Z`);
  if (hour) return long ? `${dayLong.format(at)}, ${hour.slice(0, 5)}` : hour.slice(0, 5);
  if (interval === "monthly") return month.format(at);
  return long ? dayLong.format(at) : dayShort.format(at);
}

const dayTime = date({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** Formats the dates from start to end, both included, or local times such as 2026-11-29T08:30+01:00. */
export function span(start, end) {
  const at = (text) => new Date(`${text.slice(0, 16)}Z`);
  if (start.includes("T")) return dayTime.formatRange(at(start), at(end));
  return dayYear.formatRange(new Date(`${start}T00:00Z`), new Date(`${end}T00:00Z`));
}

export const clock = (zone, at = new Date()) => new Intl.DateTimeFormat(locale, { timeZone: zone, hour: "2-digit", minute: "2-digit" }).format(at);
export const moment = (text, zone) => new Intl.DateTimeFormat(locale, { timeZone: zone, dateStyle: "medium", timeStyle: "short" }).format(new Date(text));
export const second = (text, zone) => new Intl.DateTimeFormat(locale, { timeZone: zone, timeStyle: "medium" }).format(new Date(text));

const names = (type) => {
  const found = new Intl.DisplayNames([locale], { type, fallback: "code" });
  return (code) => { try { return found.of(code); } catch { return code; } };
};
export const country = names("region");
