// Package audit keeps the audit trail of keys so that nobody who lacks the server's
// pepper can change it unnoticed. A [Writer] is an [auth.Sink] that buffers entries and
// appends them to a [Log]: a database (store/meta), a file of JSON lines ([OpenFile]), or
// memory ([Memory]). [Verify] finds damage and names it, [Prune] is the retention.
//
// # Chains
//
// Every writer has a chain of its own, so that processes share a log without waiting for
// one another. The entries of a chain are numbered from 1, and each carries an HMAC over
// all its fields, its chain, its number and the HMAC before it, under a key derived from
// the pepper. So an entry that was altered, inserted, moved or removed breaks the chain at a place that
// can be named.
//
// Apart from the entries a database keeps two checkpoints of each chain, each with a
// signature under that key: the head, without which a cut-off end would not show, and the
// prune point, up to which [Prune] removed entries. A file keeps neither.
//
// # Uses
//
// A writer stores equal uses of one second as one entry with a Count, as long as the first is still in memory.
// Equal means the same key or token, route, resource, status and network. The entry has the request id and the user
// agent of the first request. Entries without a Network, such as changes of keys, are always stored one by one.
// With [Config.WarnSize] the writer warns of a log that grows.
//
// # What it cannot show
//
// A chain that is removed together with its head shows only against a kept head. So does a log that is
// reset to an earlier state by somebody with a copy of the head of that time (a database may itself
// hold some, in its write-ahead log or among its dead rows), and a file whose end is cut off.
// [Config.OnHead] gets each head; keep the heads where nobody who can write to the log can change them,
// and pass them to [Verify]. Whoever has the pepper can write any trail they like.
//
// # Crashes
//
// Entries are held in memory for up to [Config.Every], a second by default. A process
// that is killed, or a machine that stops, loses those and no others, which is about the
// last second of uses; [Verify] passes afterwards, since what was never written is in no
// chain. A stop by [Writer.Close] loses nothing.
//
// # A broken log
//
// [New] refuses a database with a head that lacks the signature, with [ErrTampered]. Run
// [Verify], move the log away (copy the tables and empty them), and a new one begins. The same holds
// after a change of the pepper, unless the new one includes the old: then older chains stay as they
// are, and new ones use the new pepper.
package audit
