// Package ratelimit limits request rates with token buckets, and the number of concurrent requests of a key:
//
//	limiter, err := ratelimit.New(ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: 60}})
//	decision, err := limiter.Allow(ctx, auth.ClassQuery, key.ID, 1, key.Limits)
//	decision.SetHeaders(w.Header(), auth.ClassQuery, now)
//	slot := limiter.Acquire(key.ID, 1)  // concurrent requests
//	defer limiter.Release(key.ID)       // if slot.OK
//
// A bucket holds its limit and refills evenly, so at most limit · (1 + t/60) requests pass in t seconds. A clock
// that is set back blocks no requests, and a clock that is set forward refills a bucket at most once.
//
// # Which bucket a request uses
//
// Buckets are stored by class and id, in one table of fixed size per class. A full table drops the least
// recently used bucket. A bucket that was unused for a minute is full, so dropping it changes nothing. Only if
// more ids than the size of the table appear within a minute, a dropped id starts again with a full bucket.
//
// So callers must not be able to choose ids. Keys have fixed ids. Requests without a key are limited by the
// client's network: an IPv4 address or an IPv6 /64. A client with many networks has one bucket for each of
// them. With the defaults of 65 536 ids and 120 requests, filling the table would give it fewer than 0.2 % more
// requests. Each class has its own table, so public routes and health checks do not affect the buckets of
// keys. Panel tokens do not affect them either: a key's holder can mint any number of tokens, but their total
// is limited by key ([auth.Principal.Charge]). Neither do keys that a key made: they share its bucket
// ([auth.Key.Shares]). All keys of an owner share a bucket of ten times the limit of one.
//
// # Several processes
//
// Each process counts separately, so n processes let n times the limit pass. The subpackage redislimit shares
// the rates through Redis. Concurrent requests are always counted per process.
package ratelimit
