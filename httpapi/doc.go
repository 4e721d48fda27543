// Package httpapi serves analytics questions over HTTP with JSON bodies.
//
// [New] returns one http.Handler that a host mounts in its own mux, at the root or, with
// http.StripPrefix, anywhere below it. The host supplies what only it knows: who its callers are
// ([auth.Authenticator]), which websites, links and monitors exist ([store.Directory]), how many
// requests a caller may send ([auth.Limiter]) and where the audit trail is kept ([auth.Sink]).
//
// # The path of a request
//
// Every route is a row of one table, and every request passes the same steps in the same
// order: authenticate, limit, allow, read, answer, audit. No body is read before the caller is known
// and within its limit. The use of a key is recorded after the answer is known and before it is sent;
// when it cannot be recorded, the request is answered 503 instead. Requests without credentials are not
// recorded; those with refused credentials are recorded up to a rate per network, beyond which they are
// counted in one entry.
//
// # Errors
//
// Every error has the same body, {success, error, code, requestId, details}, with all
// mistakes of the request. One table says which error becomes which status. What it does
// not list is answered 500, logged with its cause, and never shown. [WriteError] gives
// hosts the same bodies for errors of their own.
//
// # Limits
//
// A key has one bucket per class of routes, each of its panel tokens has its own, and public routes
// have one per IPv4 address or IPv6 /64. A query costs one for each ten parameters begun: one before
// its body is read, the rest after. A request that costs more than a limit can ever allow is answered
// 400. Requests that fail to authenticate count for their network (auth.ClassRefused); when that is
// used up, credentials that were recently refused are refused again without a look-up. When the Limiter
// is an auth.ConcurrencyLimiter too, it also bounds how many requests of a key, or of a panel token,
// run at the same time; one network without a key may have 50 times as many. Either refusal is 429; every
// limited answer has headers that say what is left ([auth.Decision.SetHeaders]). A request has
// [Config.Timeout], and its body 10 seconds to arrive. Bodies in memory have at most 64 MiB together, and
// 16 MiB per caller. Answers of more than 64 KiB have at most 256 MiB together, and 64 MiB per caller. A
// client must read such an answer at 64 kB a second: this deadline replaces the server's WriteTimeout.
//
// # What a browser needs
//
// Origins named in [Config] get CORS headers, without credentials. Answers to GET carry an ETag where
// their data has a version. It covers the caller's access, the resolved range, and the versions of the
// days that the answer depends on ([query.Prepared]); answers that change with the clock, or in which a
// parameter failed, have none. JSON from 1 400 bytes on is compressed by zstd or gzip for clients that
// accept one of these.
package httpapi
