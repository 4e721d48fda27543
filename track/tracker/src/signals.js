// Other events of a page: clicks, errors, web vitals.

import { onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals";
import { sessionId } from "./visitor.js";

const mostErrors = 20; // per page: repeated errors in a loop add nothing

const clip = (text, most) => (text === undefined || text === null ? undefined : String(text).slice(0, most));

/** Returns text without the queries and fragments of URLs. Line and column numbers stay. */
const withoutQueries = (text) => text?.replace(/(\w:\/\/[^\s?#()"']+)[?#][^\s()"']*?((?::\d+){0,2})(?=[\s()"']|$)/g, "$1$2");

/** Tracks clicks on links to other hosts: add queues the click, flush sends it. */
export function outgoing(o, describe, add, flush) {
  const clicked = (e) => {
    const link = e.composedPath()[0]?.closest?.("a[href]");
    if (e.button > 1 || !link || !/^https?:$/.test(link.protocol) || link.hostname === location.hostname) return;
    const text = link.textContent.replace(/\s+/g, " ").trim().slice(0, 255);
    const href = o.stripLinks ? link.origin + link.pathname : link.href;
    add("batch", { ...describe(undefined, sessionId()), type: "outgoing_link", href: href.slice(0, 2048), text });
    flush();
  };
  for (const name of ["click", "auxclick"]) addEventListener(name, clicked, { capture: true, passive: true });
}

/** Tracks clicks on elements with data-track="name". Their other data-* attributes become properties. */
export function attributes(track) {
  addEventListener("click", (e) => {
    const { track: name, ...properties } = e.composedPath()[0]?.closest?.("[data-track]")?.dataset ?? {};
    if (name) track(name, properties);
  }, { capture: true, passive: true });
}

/** Tracks uncaught errors. */
export function errors(describe, add, session) {
  let left = mostErrors;
  const report = (error, { message, stack, name }) => {
    if (left-- <= 0) return;
    add("errors", {
      ...describe(undefined, session()),
      errorType: clip(name, 128),
      ...error,
      message: clip(withoutQueries(message), 2048) || "Error",
      stack: clip(withoutQueries(stack), 2048),
    });
  };
  addEventListener("error", (e) => {
    const { message, filename, lineno, colno, error } = e;
    const place = { filename: clip(filename?.replace(/[?#].*/, ""), 512), lineno: Math.min(lineno, 1e5), colno: Math.min(colno, 1e5) };
    report(place, { message, stack: error?.stack, name: error?.name });
  });
  addEventListener("unhandledrejection", ({ reason }) => {
    report({ errorType: "UnhandledRejection" }, { message: String(reason?.message ?? reason), stack: reason?.stack });
  });
}

/**
 * Tracks web vitals of the document. Each is sent once. After a return from the browser's cache of pages only CLS and
 * INP start again, since nothing is loaded.
 */
export function vitals(describe, add, session) {
  const { path } = describe();
  for (const on of [onCLS, onFCP, onINP, onLCP, onTTFB]) {
    on(({ name, value, id, navigationType }) => {
      if (navigationType === "back-forward-cache" && !/CLS|INP/.test(name)) return;
      add("vitals", { ...describe(undefined, session()), path, eventId: id, metricName: name, metricValue: value }, 6);
    });
  }
}
