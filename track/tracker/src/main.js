// The tracker. It sets window.databuddy and window.db, and sends page views.

import { attempt, guard, listen, text, uuid, visible } from "./browser.js";
import { read, silent } from "./options.js";
import { pages, pathOf } from "./pages.js";
import { masked, skipped } from "./paths.js";
import { sender } from "./sender.js";
import { attributes, errors, outgoing, vitals } from "./signals.js";
import * as visitor from "./visitor.js";

const mostWaiting = 1000; // calls before the page is visible

/** Returns the properties that JSON can hold, as they are now. */
const plain = (properties) =>
  Object.fromEntries(
    attempt(() => Object.keys(properties), []).map((name) => [
      name,
      attempt(() => JSON.parse(JSON.stringify(properties[name]))),
    ]),
  );

function start(o) {
  if (o.cookieDomain) visitor.share(o.cookieDomain);
  let off = silent(o);
  let everywhere = {}; // added to all events
  let views; // undefined until the page is visible for the first time
  const waiting = []; // calls before that time

  const stop = () => {
    off = true;
    waiting.length = 0;
    send.drop();
  };

  /** Deletes what was stored, and stops for as long as the page lives. */
  const forget = () => {
    stop();
    visitor.clear();
  };

  /** Reports whether the page may send. Another tab may have opted out, also while this page was in a cache. */
  const allowed = () => {
    if (!off && visitor.optedOut()) forget();
    return !off;
  };

  const send = sender(o, allowed, () => views?.seal());
  const add = (route, event, most) => event.path && send.add(route, event, most);

  /** Calls act now, or when the page becomes visible for the first time. */
  const whenSeen = (act) => {
    if (!allowed()) return;
    if (views) act();
    else if (waiting.length < mostWaiting) waiting.push(guard(act));
  };

  const who = () =>
    allowed() && {
      anonymousId: visitor.anonymousId(),
      sessionId: visitor.sessionId(),
      profileId: visitor.profileId(),
      anonymizeVisitorIds: o.anonymizeVisitorIds,
    };

  /** Returns the fields that all events have; no path if its events are not sent. */
  function describe(visitor, path, name, properties) {
    if (!allowed() || skipped(o, path)) return {};
    const all = { ...everywhere, ...plain(properties) };
    return {
      name,
      eventId: uuid(),
      timestamp: Date.now(),
      path: location.origin + masked(o, path),
      ...visitor,
      properties: Object.keys(all)[0] && all,
    };
  }

  const here = (name, properties) => describe(views.current(), pathOf(o), name, properties);

  const identify = (profileId, given) => {
    if (!profileId) return;
    const traits = given && plain(given);
    if (visitor.setProfile(String(profileId), traits)) {
      send.post("identify", JSON.stringify({ ...who(), traits }));
    }
  };

  const api = {
    track: (name, properties) => {
      const [called, given] = [String(name), plain(properties)];
      whenSeen(() => add("track", { ...here(called, given), source: "browser" }));
    },
    screenView: (properties) => whenSeen(() => views.open(properties)),
    identify: (profileId, traits) => whenSeen(() => identify(profileId, traits)),
    setTraits: (traits) => whenSeen(() => identify(visitor.profileId(), traits)),
    clearProfile: visitor.clearProfile,
    getProfileId: visitor.profileId,
    getTrackingIds: () => {
      const { anonymousId = null, sessionId = null } = (views && who()) ?? {};
      return { anonId: anonymousId, sessionId, idsAt: Date.now() };
    },
    setGlobalProperties: (properties) => void (everywhere = { ...everywhere, ...plain(properties) }),
    flush: () => send.flush(),
    clear: () => {
      send.drop();
      visitor.clear();
    },
  };
  for (const [name, act] of Object.entries(api)) api[name] = guard(act);
  api.options = o;
  attempt(() =>
    Object.assign(window, {
      databuddyOptOut: guard(() => {
        visitor.optOut(true);
        forget();
      }),
      databuddyOptIn: guard(() => visitor.optOut(false)),
      databuddy: api,
      db: window.db ?? api,
    }),
  );

  /** Starts tracking when the page is visible for the first time. */
  function begin() {
    if (views || !visible() || !allowed()) return;
    visitor.adopt();
    if (parseInt(visitor.sessionId().slice(-8), 16) / 2 ** 32 >= o.samplingRate) {
      stop();
      return;
    }
    const landing = pathOf(o);
    const ofView = (path) => describe(views.viewer(), path);
    views = pages(o, who, describe, add);
    if (o.trackOutgoingLinks) outgoing(o, here, add, send.flush);
    if (o.trackAttributes) attributes(api.track);
    if (o.trackErrors) errors(o, () => ofView(pathOf(o)), add);
    if (o.trackWebVitals) vitals(() => ofView(landing), add);
    views.open();
    for (const act of waiting.splice(0)) act();
  }

  // Pages that are prerendered or opened in the background are hidden at first. At the document, this follows the last
  // events of the web vitals.
  listen(
    document,
    "visibilitychange",
    () => {
      begin();
      views?.follow();
      if (!visible()) send.leave();
      else send.resend();
    },
    { capture: false },
  );
  listen(window, "freeze", () => {
    views?.follow(true);
    send.leave();
  });
  listen(window, "pagehide", () => {
    views?.close("unload");
    send.leave();
  });
  // A page may be restored from the browser's cache of pages.
  listen(window, "pageshow", (e) => e.persisted && allowed() && views?.open());
  listen(window, "storage", allowed);
  begin();
}

/** Returns the element of this script. A module does not know its own. */
function element() {
  const ours = (each) => each.dataset.clientId || /\/tracker[./]|[?&]client-?id=/i.test(each.src);
  return text("currentScript") || [...document.querySelectorAll("script")].find(ours);
}

attempt(() => {
  if (typeof window.databuddy?.track !== "function") start(read(attempt(element)));
});
