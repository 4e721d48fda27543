// Package ratelimit limits requests within one process: token buckets for rates, and a
// cap on the requests of a key that run at the same time.
//
// A bucket holds its limit and refills evenly, so from a full one at most
// limit · (1 + t/60) pass in t seconds. Its clock may step: a step back locks nobody
// out, a step ahead is worth a full bucket at most.
//
// # Whose bucket
//
// Buckets are kept by class and id, in a table of fixed size per class. When a table is
// full, the bucket that was unused longest makes room; one unused for a minute is full
// again, so forgetting it changes nothing. It matters only when more ids than the table
// holds come within a minute: then a forgotten id starts anew with a full bucket.
//
// So an id must be nothing that callers can make up. Ids of keys are not. What is limited
// without a key goes by the client's network, which is all that a client can choose: an
// IPv4 address or a /64 of IPv6. Who has many networks has as many buckets as networks
// anyway, and gets one limit more for every table's worth of requests from others, which
// is less than one in five hundred with the defaults of 65 536 ids and 120 requests. The
// tables of classes are apart, so what comes without a key to public routes and health
// does not touch the buckets of keys. Nor do panel tokens, of which a key's holder can
// mint any number: what they may do together is counted by key (auth.Principal.Charge).
//
// # Several processes
//
// Each process counts by itself: n of them let n times the limit pass. The subpackage
// redislimit shares the rates through Redis; requests at the same time are always
// counted by process.
package ratelimit
