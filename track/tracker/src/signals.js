// Other events of a page: clicks, errors, web vitals.

import { onCLS, onFCP, onINP, onLCP } from "web-vitals";
import { attempt, guard, listen, navigation, uuid } from "./browser.js";
import { scrubbed, shown } from "./paths.js";

const mostErrors = 20; // per page: repeated errors in a loop add nothing

/** Returns text that may be sent: without secrets of URLs, at most so many characters. */
const clip = (o, text, most) =>
  text === undefined || text === null ? undefined : scrubbed(o, String(text)).slice(0, most);

/** Returns the nearest element of an event with a selector, also around components with a tree of their own. */
const nearest = (e, selector) => e.composedPath().find((node) => node.matches?.(selector));

/** Tracks clicks on links to other hosts: add queues the click, flush sends it. */
export function outgoing(o, describe, add, flush) {
  const clicked = (e) => {
    const link = nearest(e, "a,area");
    const address = link?.href?.baseVal ?? link?.href; // the link may be part of an image
    if (e.button > 1 || !address) return;
    const url = new URL(address, document.baseURI);
    const path = shown(o, url.pathname, url.host);
    if (!/^http/.test(url.protocol) || url.hostname === location.hostname) return;
    const text = (link.textContent || link.alt || "").replace(/\s+/g, " ").trim().slice(0, 255);
    const href = url.origin + path + (o.stripLinks ? "" : url.search + url.hash);
    add("batch", { ...describe(), type: "outgoing_link", href: href.slice(0, 2048), text });
    flush();
  };
  for (const name of ["click", "auxclick"]) listen(window, name, clicked);
}

/** Tracks clicks on elements with data-track="name". Their other data-* attributes become properties. */
export function attributes(track) {
  listen(window, "click", (e) => {
    const { track: name, ...properties } = nearest(e, "[data-track]")?.dataset ?? {};
    if (name) track(name, properties);
  });
}

/** Tracks uncaught errors. */
export function errors(o, describe, add) {
  let left = mostErrors;
  const report = (error, message, { stack, name } = {}) => {
    if (left-- <= 0) return;
    add("errors", {
      ...describe(),
      errorType: clip(o, name, 128),
      ...error,
      message: clip(o, message, 2048) || "Error",
      stack: clip(o, stack, 2048),
    });
  };
  listen(
    window,
    "error",
    (e) => {
      if (e.target !== window) return; // an image or a script that did not load
      const { message, filename, lineno, colno, error } = e;
      report({ filename: clip(o, filename, 512), lineno, colno }, message, error ?? {});
    },
    { capture: false },
  );
  listen(window, "unhandledrejection", ({ reason }) => {
    const given = reason?.message ?? (Object(reason) === reason ? attempt(() => JSON.stringify(reason)) : reason);
    report({ errorType: "UnhandledRejection" }, String(given), reason ?? {});
  });
}

/**
 * Tracks web vitals of the document. Each is sent once. After a return from the browser's cache of pages only CLS and
 * INP start again, since nothing is loaded.
 */
export function vitals(describe, add) {
  const report = guard(({ name, value, id, navigationType }) => {
    if (navigationType === "back-forward-cache" && !/CLS|INP/.test(name)) return;
    add("vitals", { ...describe(), eventId: id, metricName: name, metricValue: value }, 6);
  });
  for (const on of [onCLS, onFCP, onINP, onLCP]) attempt(() => on(report));
  const { responseStart, activationStart } = navigation() ?? {};
  if (responseStart) report({ name: "TTFB", value: Math.max(0, responseStart - (activationStart ?? 0)), id: uuid() });
}
