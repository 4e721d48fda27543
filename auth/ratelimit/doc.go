// Package ratelimit limits requests within one process: token buckets for rates, and a
// cap on the requests of a key that run at the same time.
//
// A bucket holds its limit and refills evenly, so from a full one at most
// limit · (1 + t/60) pass in t seconds. The clock may be set: a step back blocks nobody, a step ahead
// refills a bucket at most once.
//
// # Whose bucket
//
// Buckets are kept by class and id, in a table of fixed size per class. When a table is full, the least
// recently used bucket is dropped; one unused for a minute is full again, so dropping it changes
// nothing. It matters only when more ids than the table holds come within a minute: then a dropped id
// starts again with a full bucket.
//
// So an id must not be one that callers can make up; ids of keys are not. Requests without a key are
// limited by the client's network: an IPv4 address or a /64 of IPv6. A client with many networks has a
// bucket for each anyway, and by filling the table gains less than one request in five hundred, with
// the defaults of 65 536 ids and 120 requests. Each class has its own table, so requests without a key
// to public routes and health do not affect the buckets of keys. Neither do panel tokens, of which a
// key's holder can mint any number: their total is counted by key ([auth.Principal.Charge]).
//
// # Several processes
//
// Each process counts separately: n of them let n times the limit pass. The subpackage redislimit
// shares the rates through Redis; requests at the same time are always counted per process.
package ratelimit
