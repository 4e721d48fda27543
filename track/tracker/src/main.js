// The tracker. It fills window.databuddy and window.db, and tells of page views by itself.

import { masked, optOut, read, silent, skipped } from "./options.js";
import { pages, pathOf } from "./pages.js";
import { sender } from "./sender.js";
import { attributes, errors, outgoing, vitals } from "./signals.js";
import * as visitor from "./visitor.js";

function start(o) {
  let off = silent(o);
  let everywhere = {}; // properties of all events
  let views;
  if (!off) {
    visitor.adopt();
    off = parseInt(visitor.sessionId().slice(-8), 16) / 2 ** 32 >= o.samplingRate;
  }

  const send = sender(o, () => views?.seal());
  const add = (...args) => off || send.add(...args);
  const addHere = (...args) => skipped(o, pathOf(o)) || add(...args);

  /** What all events say. */
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
    track: (name, properties) => off || addHere("track", { ...describe(String(name), visitor.sessionId(), properties), source: "browser" }),
    screenView: (properties) => off || views.open(properties),
    identify,
    setTraits: (traits) => visitor.profileId() && identify(visitor.profileId(), traits),
    clearProfile: visitor.clearProfile,
    getProfileId: visitor.profileId,
    getTrackingIds: () => (off ? { anonId: null, sessionId: null } : { anonId: visitor.anonymousId(), sessionId: visitor.sessionId() }),
    setGlobalProperties: (properties) => void (everywhere = { ...everywhere, ...properties }),
    flush: () => off || send.flush(),
    clear: () => off || (send.drop(), visitor.clear()),
  };
  window.databuddy = api;
  window.db ??= api;
  window.databuddyOptOut = () => {
    optOut(true);
    off = true;
    send.drop();
  };
  window.databuddyOptIn = () => optOut(false);
  if (off) return;

  views = pages(o, describe, add);
  if (o.trackOutgoingLinks) outgoing(describe, addHere, send.flush);
  if (o.trackAttributes) attributes(api.track);
  if (o.trackErrors) errors(describe, addHere, views.session);
  if (o.trackWebVitals) vitals(describe, addHere, views.session);
  views.open();
  addEventListener("visibilitychange", () => {
    views.seen();
    if (document.visibilityState === "hidden") send.leave();
  });
  addEventListener("pagehide", () => {
    views.close("unload");
    send.leave();
  });
}

function ready(run) {
  if (document.prerendering) document.addEventListener("prerenderingchange", run, { once: true });
  else run();
}

const script = document.currentScript ?? document.querySelector("script[data-client-id]");
if (!window.databuddy) ready(() => start(read(script)));
