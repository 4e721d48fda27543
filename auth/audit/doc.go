// Package audit stores the audit trail of keys, and detects changes by anyone without the server's pepper:
//
//	trail, err := audit.New(ctx, audit.Config{Log: log, Pepper: pepper}) // log: &audit.Memory{}, or meta.Store.Audit
//	err = trail.Record(ctx, auth.Entry{Time: now, KeyID: key.ID, Route: "/v1/query", Status: 200})
//	err = trail.Close(ctx)                                               // writes the buffered entries
//	report, err := audit.Verify(ctx, log, pepper)
//	err = report.Err()                                                   // names the first damaged entry
//
// A [Writer] is an [auth.Sink] that buffers entries and appends them to a [Log]: a database (store/meta), memory
// ([Memory]), or one that a host writes. [Verify] reports damage, and [Prune] removes old entries.
//
// # Chains
//
// Each writer has its own chain, so that processes share a log without waiting for one another. The entries of
// a chain are numbered from 1. Each carries an HMAC over its fields, its chain, its number and the HMAC of
// the entry before it, under a key derived from the pepper. So an altered, inserted, moved or removed entry
// breaks the chain, and [Verify] can name the place.
//
// A log stores two checkpoints per chain next to the entries, each signed with that key. The head reveals a
// cut-off end. The prune point says up to which entry [Prune] removed entries.
//
// # Uses
//
// A writer merges equal uses of one second into one entry with a Count, while the first one is still in
// memory. Uses are equal if they have the same key or token, route, resource, status and network. The entry
// has the request id and the user agent of the first request. Entries without a Network, such as changes of
// keys, are never merged. With [Options.WarnSize] the writer warns if the log becomes large.
//
// # What it cannot detect
//
// The removal of a whole chain can only be detected with a head that you stored elsewhere. The same holds
// for a log that was reset to an earlier state. A reset needs a copy of the
// earlier head, which a database may contain in its write-ahead log or in dead rows. [Options.OnHead]
// receives each head. Store the heads where nobody with write access to the log can change them, and pass
// them to [Verify]. Anyone who has the pepper can forge a trail.
//
// # Crashes
//
// Entries stay in memory for up to [Config.Every], by default one second. If the process is killed or the
// machine stops, these entries are lost. [Verify] still passes, since entries that were never written are in
// no chain. A stop with [Writer.Close] loses nothing.
//
// # A broken log
//
// If a database has a head without a valid signature, [New] fails with [ErrTampered]. Run [Verify], then move
// the log away: copy the tables and empty them. The next writer starts a new log. The same happens after
// the pepper was replaced, unless the new [auth.Pepper] includes the old one. Then existing chains stay valid,
// and new chains use the new pepper.
package audit
