// The browser's interfaces. Pages and browsers remove them, replace them by functions that throw, and name elements
// like them. So the tracker asks for each of them through attempt, and all its code that a page can start is in guard.

/** Returns the result of act, or otherwise if there is none or act throws. */
export function attempt(act, otherwise) {
  try {
    return act() ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Returns act as a function that never throws. */
export const guard =
  (act) =>
  (...args) =>
    attempt(() => act(...args));

/** Listens to an event of target, before the page can stop the event. */
export const listen = (target, name, act, options) =>
  attempt(() =>
    EventTarget.prototype.addEventListener.call(target, name, guard(act), { capture: true, passive: true, ...options }),
  );

/** Returns a property of the document, such as its title: a form called title hides it. "" if there is none. */
export function text(name) {
  const value = attempt(() => document[name]);
  return value?.at ? value : attempt(() => Reflect.get(Document.prototype, name, document), "");
}

/** Returns a property of the navigator. */
export const about = (name) => attempt(() => navigator[name]);

export const visible = () => text("visibilityState") !== "hidden";

/** Returns the milliseconds of a clock that is never set. */
export const elapsed = () => attempt(() => performance.now(), Date.now());

/** Returns the performance entry of the document's navigation. */
export const navigation = () => attempt(() => performance.getEntriesByType("navigation")[0]);

/** Like crypto.randomUUID, which is missing on pages without TLS. */
export const uuid = () =>
  "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replace(/x/g, () => {
    const [byte] = attempt(() => crypto.getRandomValues(new Uint8Array(1)), [Math.random() * 256]);
    return (byte & 15).toString(16);
  });

/** Hands a request to the browser, which also sends it when the page is gone. Returns true if the browser takes it. */
export const beacon = (url, body) => attempt(() => navigator.sendBeacon(url, body));

/** Returns the answer to a request, or nothing if there is none. */
export async function request(url, body, keepalive) {
  try {
    const answer = await fetch(url, {
      method: "POST",
      body,
      credentials: "omit",
      referrerPolicy: "no-referrer",
      keepalive,
    });
    if (answer.status) return answer;
  } catch {} // for example without network
}

/** Names a wrong or missing option in the console. */
export const complain = (option) => attempt(() => console.warn(`Sightline: check the option ${option}`));
