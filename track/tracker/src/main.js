// The tracker. It sets window.databuddy and window.db, and sends page views.

import { masked, optOut, read, silent, skipped } from "./options.js";
import { pages, pathOf } from "./pages.js";
import { sender } from "./sender.js";
import { attributes, errors, outgoing, vitals } from "./signals.js";
import * as visitor from "./visitor.js";

const visible = () => document.visibilityState === "visible";

function start(o) {
  let off = silent(o);
  let everywhere = {}; // added to all events
  let views; // undefined until the page is visible for the first time
  const waiting = []; // calls before that time

  const send = sender(o, () => views?.seal());
  const add = (...args) => off || send.add(...args);
  const addHere = (...args) => skipped(o, pathOf(o)) || add(...args);

  /** Calls act now, or when the page becomes visible for the first time. */
  const whenSeen = (act) => {
    if (views) act();
    else if (!off) waiting.push(act);
  };

  /** Returns the fields that all events have. */
  function describe(name, sessionId, properties) {
    const all = { ...everywhere, ...properties };
    return {
      name,
      eventId: visitor.uuid(),
      timestamp: Date.now(),
      path: location.origin + masked(o, pathOf(o)),
      anonymousId: visitor.anonymousId(),
      sessionId,
      profileId: visitor.profileId() ?? undefined,
      anonymizeVisitorIds: o.anonymizeVisitorIds,
      properties: Object.keys(all).length > 0 ? all : undefined,
    };
  }

  const identify = (profileId, traits) => {
    if (off || !profileId) return;
    if (visitor.setProfile(String(profileId), traits)) {
      const { anonymousId, anonymizeVisitorIds } = describe();
      send.post("identify", JSON.stringify({ profileId: String(profileId), anonymousId, anonymizeVisitorIds, traits }));
    }
  };

  const api = {
    options: o,
    track: (name, properties) =>
      whenSeen(() => addHere("track", { ...describe(String(name), visitor.sessionId(), properties), source: "browser" })),
    screenView: (properties) => whenSeen(() => off || views.open(properties)),
    identify: (profileId, traits) => whenSeen(() => identify(profileId, traits)),
    setTraits: (traits) => whenSeen(() => identify(visitor.profileId(), traits)),
    clearProfile: visitor.clearProfile,
    getProfileId: visitor.profileId,
    getTrackingIds: () => (off || !views ? { anonId: null, sessionId: null } : { anonId: visitor.anonymousId(), sessionId: visitor.sessionId() }),
    setGlobalProperties: (properties) => void (everywhere = { ...everywhere, ...properties }),
    flush: () => off || send.flush(),
    clear: () => off || (send.drop(), visitor.clear()),
  };
  window.databuddy = api;
  window.db ??= api;
  const stop = () => {
    off = true;
    waiting.length = 0;
    send.drop();
  };
  window.databuddyOptOut = () => {
    optOut(true);
    stop();
  };
  window.databuddyOptIn = () => optOut(false);

  /** Starts tracking when the page is visible for the first time. */
  function begin() {
    if (off) return;
    visitor.adopt();
    if (parseInt(visitor.sessionId().slice(-8), 16) / 2 ** 32 >= o.samplingRate) {
      stop();
      return;
    }
    views = pages(o, describe, add);
    if (o.trackOutgoingLinks) outgoing(o, describe, addHere, send.flush);
    if (o.trackAttributes) attributes(api.track);
    if (o.trackErrors) errors(describe, addHere, views.session);
    if (o.trackWebVitals) vitals(describe, addHere, views.session);
    views.open();
    for (const act of waiting.splice(0)) act();
    addEventListener("visibilitychange", () => {
      views.seen();
      if (!visible()) send.leave();
    });
    addEventListener("pagehide", () => {
      views.close("unload");
      send.leave();
    });
  }

  // Pages that are prerendered or opened in the background are hidden at first.
  function look() {
    if (!visible()) return;
    document.removeEventListener("visibilitychange", look);
    begin();
  }
  document.addEventListener("visibilitychange", look);
  look();
}

const script = document.currentScript ?? document.querySelector("script[data-client-id]");
if (!window.databuddy) start(read(script));
