// Package audit keeps the audit trail of keys so that nobody who lacks the server's
// pepper can change it unnoticed. A [Writer] is an [auth.Sink] that buffers entries and
// appends them to a [Log]: a file of JSON lines ([OpenFile]), a database (store/meta), or
// memory ([Memory]). [Verify] finds damage and names it, [Prune] is the retention.
//
// # Chains
//
// Every writer has a chain of its own, so that processes share a log without waiting for
// one another. The entries of a chain are numbered from 1, and each carries an HMAC over
// all its fields, its chain, its number and the HMAC before it, under a key derived from
// the pepper. So an entry that was altered, inserted, moved or removed breaks the chain at
// a place that has a name.
//
// Apart from the entries a log keeps three things, each under a seal of that key: the head
// of each chain, without which a cut-off end would not show; the cut of each chain, up to
// which [Prune] removed entries; and the roster, the list of all chains, without which a
// chain that went with its head would not show.
//
// # What it cannot show
//
// Whoever can write to the log, and has a copy of an earlier head and roster (a database
// may hold some itself, in its write-ahead log or among its dead rows), can put the whole
// log back to that moment; whoever empties it entirely leaves a new log. Only a head
// kept where they cannot write shows that: [Config.OnHead] hands it out, and [Verify] takes
// it back. Whoever has the pepper can write any trail they like.
//
// # Crashes
//
// Entries are held in memory for up to [Config.Every], a second by default. A process
// that is killed, or a machine that stops, loses those and no others, which is about the
// last second of uses; [Verify] passes afterwards, since what was never written was never
// sealed. A stop by [Writer.Close] loses nothing.
//
// # A broken log
//
// A writer never puts its seal on a roster that lacks it: [New] refuses such a log with
// [ErrTampered]. Run [Verify], move the log away (rename the files; copy the tables and
// empty them), and a new one begins. The same holds after a change of the pepper.
package audit
