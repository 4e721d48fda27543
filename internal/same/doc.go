// Package same compares the program of another checkout with the program of this one:
//
//	.ci/long same other=DIR
//
// TestSame builds both programs, starts each on its own folder, and sends both the same commands and requests: the
// fill, which stores events and records, and then the replay, which asks for all of it. It compares statuses, headers,
// bodies, what commands print, and the audit trail. mayDiffer lists what may always differ, and testdata/expected.txt
// what differs on purpose, each with a reason.
//
// The clocks of both programs move on by a second with each request, and by hours when a program is started again.
// go build -overlay replaces the clock of the standard library for it, so that any checkout can be compared. Timers
// still run with the real time.
//
// Random texts differ between two programs: ids, secrets, cursors, tags. Where answers differ in such a text, the two
// texts form a pair for the rest of the run. A text that later has another partner is a difference, and requests that
// name it name its partner to the other program. So a wrong id is found, although all ids differ.
//
// These variables configure TestSame:
//
//	SIGHTLINE_OTHER      folder of the other checkout
//	SIGHTLINE_QUESTIONS  number of random questions on each store; 5 000
//	SIGHTLINE_SEED       seed of the requests; 1
//
// The package imports nothing that answers requests, so it compiles beside any checkout.
package same
