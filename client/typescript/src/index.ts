// A client of Sightline for Node, Bun, Deno, browsers and edge runtimes. It is written by hand and has no dependencies,
// so that it stays small in bundles: openapi-fetch types the same paths, but throws no errors and repeats no requests,
// which is most of this file.

import type { components, paths } from "./openapi.js";

export type { components, paths };

/** The types of bodies and answers, by their names in the OpenAPI document. */
export type Schemas = components["schemas"];

/** Where the service is and how to call it. */
export interface Config {
  /** The address of the API, without /v1, such as https://stats.example. */
  url: string;
  /** The secret of an API key, or a panel token, also with a line feed from a file. Default: no credentials. */
  key?: string | undefined;
  /** The address of the tracking host, without /track. Default: url with /ingest. */
  trackUrl?: string | undefined;
  /** Sends the requests. Default: the global fetch. */
  fetch?: typeof fetch | undefined;
  /** How many times a request that the service could not take is sent again. Default: 2. */
  retries?: number | undefined;
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call, also while it waits before it is sent again. */
  signal?: AbortSignal | undefined;
}

/** The website, link or monitor of a question, and the time zone of its days. */
export type Subject = ({ website_id: string } | { link_id: string } | { schedule_id: string }) & {
  timezone?: string | undefined;
};

/** The name of a query type. */
export type QueryType = Schemas["QueryType"];
// Compilers look names up faster in maps than by Extract in unions.
type NameOf<Q> = Q extends { name: infer N extends string } ? N : Q extends { dataset: infer D extends string } ? D : Q;
type Parameters = { [P in Schemas["Parameter"] as NameOf<P> & string]: P };
type Results = { [R in Schemas["Result"] as R extends { success: true } ? R["parameter"] : never]: R };
/** The name of a question: a query type, or a dataset for metrics of your choice. */
export type Name = keyof Parameters & keyof Results;
/** A question: its name, and options such as limit and filters. */
export type Parameter<N extends Name = Name> = ({ name: N } | { dataset: N }) & Parameters[N];
/** The result of a question, with its rows in data. */
export type Result<N extends Name = Name> = Results[N];
/** A row of a result. */
export type Row<N extends Name = Name> = Result<N>["data"][number];

/** A question in a list: a query type without options may be its name alone. */
export type Question = QueryType | Schemas["Parameter"];
type KeyOf<T> = T extends unknown ? keyof T : never;
type Unknown<Q> = Exclude<keyof Q, KeyOf<Parameters[NameOf<Q> & Name]>>;

/** Several questions, and options that all of them share. */
export type Query<Q extends Question[]> = Omit<Schemas["Query"], "parameters"> & {
  parameters: Q & { [I in keyof Q]: Q[I] extends string ? unknown : Record<Unknown<Q[I]>, never> };
};
/** The answer to several questions, with a result for each. The result of a question that failed has success: false. */
export type Answer<Q extends Question[]> = Omit<Schemas["QueryAnswer"], "data"> & {
  data: { [I in keyof Q]: (NameOf<Q[I]> extends Name ? Result<NameOf<Q[I]>> : never) | Schemas["FailedResult"] };
};

/** A custom event. Its website is an argument of track. */
export type Event = Omit<Schemas["CustomEvent"], "websiteId">;
/** What became of an event: status is success, ignored or error. */
export type Tracked = Schemas["TrackResult"];
/** The client of the flags, which is a website or an organization, the keys, and the person they are evaluated for. */
export type FlagContext = Schemas["FlagContext"] & { clientId: string };
/** The evaluation of a flag. It has no value while a flag with variants is off: use your default. */
export type FlagResult = Schemas["FlagResult"];

type Failures = Extract<keyof Schemas, `Error${number}` | `TrackError${number}`>;
/** A code of an error. Later versions of the service may have more. */
export type Code = Schemas[Failures]["code"] | Schemas["ParameterCode"];
/** One mistake in a request. */
export interface Mistake {
  /** Its place, such as parameters[0].filters[1].op. */
  field: string;
  message: string;
  /** A value that would be valid. */
  suggestion?: string;
  /** The kind of a mistake in an event. */
  code?: string;
}

type Method = "get" | "post" | "put" | "patch" | "delete";
type Operation<P extends keyof paths, M> = M extends keyof paths[P] ? paths[P][M] : never;
/** The methods of a path. */
export type Methods<P extends keyof paths> = {
  [M in Method]: Operation<P, M> extends { responses: unknown } ? M : never;
}[Method];
type Json<C> = { content: { "application/json": C } };
type Values<O, In extends string> = O extends { parameters: { [K in In]: infer V } }
  ? { [K in In]: V }
  : O extends { parameters: { [K in In]?: infer V } }
    ? { [K in In]?: V | undefined }
    : unknown;
type Body<O> = O extends { requestBody: Json<infer B> }
  ? { body: B }
  : O extends { requestBody?: Json<infer B> | undefined }
    ? { body?: B | undefined }
    : unknown;
/** The path and query parameters, the body and further headers of a request. */
export type Input<P extends keyof paths, M> = Values<Operation<P, M>, "path"> &
  Values<Operation<P, M>, "query"> &
  Body<Operation<P, M>> &
  Pick<Sent, "signal" | "headers">;
type Inputs<I> = Record<never, never> extends I ? [input?: I] : [input: I];
/** The JSON of the answer to a request. */
export type Output<P extends keyof paths, M> =
  Operation<P, M> extends { responses: { 200: Json<infer A> } } ? A : never;

/** What a request sends, whatever its operation is. */
interface Sent extends CallOptions {
  path?: Record<string, unknown>;
  query?: object;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The service's answer to a request or a query type that failed. */
export class SightlineError extends Error {
  override readonly name = "SightlineError";
  /** Of the HTTP response; 200 if one query type failed in a response. */
  readonly status: number;
  /** Empty if the response does not come from Sightline, such as a proxy's. */
  readonly code: Code | "";
  /** The mistakes of the request, if it has any. */
  readonly mistakes: Mistake[];
  /** The id of the request, which is also in the log of the service. */
  readonly requestId: string;
  /** How many seconds the service asks to wait; 0 if it does not say. */
  readonly retryAfter: number;

  /** Makes an error of the body of a response, which may be any text. */
  constructor(status: number, text: string, headers?: Headers) {
    const body = parsed(text);
    const mistakes = [...list(body.details), ...list(body.errors)] as Mistake[];
    let message = `${body.code}: ${body.error ?? body.message ?? body.detail ?? ""}`;
    if (!body.code) message = `the response with status ${status} does not come from Sightline`;
    for (const { field, message: text } of mistakes) if (!message.includes(text)) message += `; ${field} ${text}`;
    super(message);
    this.status = status;
    this.code = (body.code ?? "") as Code | "";
    this.mistakes = mistakes;
    this.requestId = headers?.get("X-Request-Id") ?? String(body.requestId ?? "");
    this.retryAfter = Number(headers?.get("Retry-After")) || Number(body.retryAfter) || 0;
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns an address without a slash at the end. */
function address(field: string, text: string): string {
  const { protocol, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol) || search || hash) {
    throw new TypeError(`${field} must be an http or https URL without a query`);
  }
  return text.trim().replace(/\/+$/, "");
}

/** Returns the query of an address. Lists are joined by commas. */
function search(values: object = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value != null) query.set(name, String(value));
  return `?${query}`.replace(/^\?$/, "");
}

const longestWait = 60; // seconds

/** Waits for some seconds, or until the signal aborts. */
const wait = (seconds: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });

/** A client of one service. Its calls throw a SightlineError if the service refuses them, or the error of fetch. */
export interface Client {
  /** Asks one question, which has its dates: a preset, or start_date and end_date. */
  ask<N extends Name>(of: Subject, question: Parameter<N>, options?: CallOptions): Promise<Result<N>>;

  /** Asks several questions in one request, and returns a result for each of them. */
  query<Q extends Question[] | []>(of: Subject, query: Query<Q>, options?: CallOptions): Promise<Answer<Q>>;

  /**
   * Sends up to 100 events of a website, and returns what became of each. Every event gets an id and a time before it
   * is sent. Give an event an eventId of your own to send it again later without counting it twice. A key needs the
   * scope track:events.
   */
  track(website: string, events: Event | Event[], options?: CallOptions): Promise<Tracked[]>;

  /** Evaluates flags, and returns the results by their keys. Flags that do not exist have no result. */
  flags(context: FlagContext, options?: CallOptions): Promise<Record<string, FlagResult>>;

  /** Sends any request of the API, and returns the JSON of its answer. */
  request<P extends keyof paths, M extends Methods<P>>(
    path: P,
    method: M,
    ...input: Inputs<Input<P, M>>
  ): Promise<Output<P, M>>;

  /** Sends any request of the API, and returns the response, for answers that are not JSON, such as CSV. */
  response<P extends keyof paths, M extends Methods<P>>(
    path: P,
    method: M,
    ...input: Inputs<Input<P, M>>
  ): Promise<Response>;
}

/**
 * Returns a client. It does not connect. A request that got 429 is sent again after the time of Retry-After, if this is
 * at most a minute. After 503, the client sends only those requests again that change nothing when they run twice.
 */
export function createClient(config: Config): Client {
  const api = address("url", config.url);
  const tracking = address("trackUrl", config.trackUrl ?? `${api}/ingest`);
  const key = config.key?.trim();
  // The error of fetch would show the key.
  if (key && !/^[!-~]+$/.test(key)) throw new TypeError("key has a space, a line feed or a letter outside ASCII");

  async function send(method: string, url: string, sent: Sent, twice: boolean): Promise<Response> {
    const init: RequestInit = { method: method.toUpperCase() };
    const headers: Record<string, string> = { Accept: "application/json" };
    if (key) headers.Authorization = `Bearer ${key}`;
    if (sent.signal) init.signal = sent.signal;
    if (sent.body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(sent.body);
    }
    init.headers = { ...headers, ...sent.headers };
    for (let left = config.retries ?? 2; ; left--) {
      const response = await (config.fetch ?? fetch)(url, init);
      if (response.ok || response.status === 304) return response;
      const error = new SightlineError(response.status, await response.text(), response.headers);
      const again = error.status === 429 || (error.status === 503 && twice);
      if (left < 1 || !again || !error.retryAfter || error.retryAfter > longestWait) throw error;
      // Clients that were refused together would come back together.
      await wait(error.retryAfter * (1 + Math.random() / 4), sent.signal);
    }
  }

  const post = async <A>(url: string, body: unknown, { signal }: CallOptions): Promise<A> =>
    (await send("post", url, { body, signal }, true)).json() as Promise<A>;

  const response = (path: string, method: string, input: Sent = {}) => {
    const named = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(input.path?.[name])));
    const url = named.startsWith("/ingest/") ? tracking + named.slice("/ingest".length) : api + named;
    return send(method, url + search(input.query), input, method === "get");
  };

  const query = <A>(of: Subject, body: unknown, options: CallOptions = {}) =>
    post<A>(`${api}/v1/query${search(of)}`, body, options);

  return {
    response,
    request: async (path: string, method: string, input?: Sent) => (await response(path, method, input)).json(),
    query,
    async ask<N extends Name>(of: Subject, question: unknown, options?: CallOptions) {
      const [result] = (await query<Schemas["QueryAnswer"]>(of, { parameters: [question] }, options)).data;
      if (!result?.success) throw new SightlineError(200, JSON.stringify(result));
      return result as Result<N>;
    },
    async track(website, events, options = {}) {
      const sent = [events].flat().map((event) => ({
        ...event,
        eventId: event.eventId ?? crypto.randomUUID(),
        timestamp: event.timestamp ?? Date.now(),
        websiteId: website,
      }));
      return (await post<Schemas["TrackListAnswer"]>(`${tracking}/track`, sent, options)).results;
    },
    flags: async (context, options = {}) =>
      (await post<Schemas["EvaluatedFlags"]>(`${api}/public/v1/flags/bulk`, context, options)).flags,
  };
}
