// Package httpapi answers analytics queries over HTTP with JSON bodies:
//
//	api, err := httpapi.New(httpapi.Config{
//		Engine: engine, Directory: websites, Auth: callers, Limiter: limits, Audit: trail,
//	})
//	mux.Handle("/analytics/", http.StripPrefix("/analytics", api))
//	err = http.ListenAndServe("127.0.0.1:8080", mux)
//
// [New] returns one http.Handler, which a host mounts in its own mux, at the root or with http.StripPrefix below it.
// The host provides the parts that depend on it: authentication ([auth.Authenticator]), its websites, links and
// monitors ([store.Directory]), rate limits ([auth.Limiter]) and the audit trail ([auth.Sink]).
//
// # The path of a request
//
// Every route is a row of one table, and every request passes the same steps in the same order: authenticate,
// limit, allow, read, answer, audit. A body is only read after the caller is known and within the rate limit.
// The use of a key is recorded before the response is sent. If that fails, the request is answered 503. Requests
// without credentials are not recorded. Requests with refused credentials are recorded up to a rate per network;
// above this rate they are counted in one entry.
//
// # Errors
//
// Every error has the same body, {success, error, code, requestId, details}, with all mistakes of the
// request. One table maps errors to codes and statuses. Any other error is answered 500 and logged with its
// cause, which the response does not show. With [WriteError] hosts send their own errors with the same
// body.
//
// # Limits
//
// A key has one bucket per class of routes, and so has each of its panel tokens. On public routes each IPv4 address or
// IPv6 /64 has one. A query costs one per ten parameters, rounded up: one before its body is read, the rest after. A
// parameter counts as often as its type says ([query.Info].Cost), and twice as often if it is compared. A request that
// costs more than the whole limit is answered 400. Requests that fail to authenticate count for their network
// (auth.ClassRefused). Above that limit, recently refused credentials are refused again without a look-up. If the
// Limiter is an auth.ConcurrencyLimiter, it also bounds the concurrent requests of a key or panel token; a network
// without a key may have 50 times as many. Both refusals are 429. Every limited response has headers with the remaining
// limit ([auth.Decision.SetHeaders]).
//
// A request may take [Options.Timeout], and its body must arrive within 10 seconds. Bodies in memory have at most 64
// MiB in total, and 16 MiB per caller. Responses above 64 KiB have at most 128 MiB in total, and 32 MiB per caller. A
// client must read such a response at 64 kB per second; this deadline replaces the server's WriteTimeout.
//
// # Browsers
//
// Origins in [Config] get CORS headers, without credentials. Responses to GET have an ETag if the store of the engine
// is a [store.DayLister]. The ETag covers the caller's access, the resolved range, and the versions of the days that
// the response depends on ([query.Snapshot.Key]): for past days it changes with their rows, for other days at least
// every minute. Responses that change with the clock, or with a failed parameter, have no ETag. JSON from 1 400 bytes
// on is compressed with gzip, or by [Config].Encoders, for clients that accept it.
package httpapi
