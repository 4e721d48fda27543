// Takes the place of requestAnimationFrame in web-vitals, which calls it in a listener of its own: see the build in
// package.json. The build also makes web-vitals use setTimeout in place of requestIdleCallback.

import { attempt } from "./browser.js";

export const requestAnimationFrame = (act) => attempt(() => window.requestAnimationFrame(act));
