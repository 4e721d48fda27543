// The types of the tracker in a page, for its own scripts. docs/tracker.md explains them.

/** Fields of an event, or traits of a person, as JSON. */
export type Properties = Record<string, unknown>;

/** The tracker of a page. Its calls never throw. While the tracker may not send, they do nothing. */
export interface Tracker {
  /** Sends a custom event. */
  track(name: string, properties?: Properties): void;
  /** Sends a page view. */
  screenView(properties?: Properties): void;
  /** Sets the profile of all later events, and stores its traits. */
  identify(profileId: string, traits?: Properties): void;
  /** Changes traits of the current profile. */
  setTraits(traits: Properties): void;
  getProfileId(): string | null | undefined;
  clearProfile(): void;
  /** Adds properties to all later events. */
  setGlobalProperties(properties: Properties): void;
  /** Returns the ids, for links to another domain; null while the tracker may not send. */
  getTrackingIds(): { anonId: string | null; sessionId: string | null; idsAt: number };
  /** Sends all waiting events. */
  flush(): void;
  /** Drops the visitor's ids and all waiting events, as after a logout. */
  clear(): void;
  /** The options that the tracker uses. */
  readonly options: Readonly<TrackerConfig>;
}

/** The options of the tracker, as window.databuddyConfig has them before the script runs. */
export interface TrackerConfig {
  /** The website. */
  clientId?: string;
  /** The tracking address. Default: the address of the script without /tracker.js. */
  apiUrl?: string;
  /** A domain whose subdomains share the visitor. */
  cookieDomain?: string;
  /** Sends nothing. */
  disabled?: boolean;
  ignoreBotDetection?: boolean;
  trackLocalhost?: boolean;
  trackPerformance?: boolean;
  trackHashChanges?: boolean;
  trackInteractions?: boolean;
  trackOutgoingLinks?: boolean;
  trackWebVitals?: boolean;
  trackErrors?: boolean;
  trackAttributes?: boolean;
  /** The share of sessions that is tracked, from 0 to 1. */
  samplingRate?: number;
  /** Patterns of paths whose pages send no events, such as "/users/*". */
  skipPatterns?: string[];
  /** Patterns that take the place of the part of a path that matches. */
  maskPatterns?: string[];
  stripLinks?: boolean;
  anonymizeVisitorIds?: boolean | "auto";
  enableBatching?: boolean;
  batchSize?: number;
  /** In milliseconds. */
  batchTimeout?: number;
  enableRetries?: boolean;
  maxRetries?: number;
  /** In milliseconds. */
  initialRetryDelay?: number;
  /** Is called for every event. Those for which it returns false are not sent. */
  filter?(event: Properties): boolean;
}

declare global {
  // `window.db`, the short form, has no type: pages use this name for other things.
  interface Window {
    /** The tracker. It is missing before its script has loaded, or if the script was blocked. */
    databuddy?: Tracker;
    /** The options of the tracker. */
    databuddyConfig?: TrackerConfig;
    /** Stops tracking in this browser, and deletes the ids. */
    databuddyOptOut?(): void;
    /** Allows tracking again, from the next page on. */
    databuddyOptIn?(): void;
  }
}
