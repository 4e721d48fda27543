// Package meta keeps what must outlive a restart and is no event: owners, websites,
// links, monitors, API keys, feature flags, the audit trail and the salts of visitor ids. It is
// a [store.Directory] and an [auth.KeyStore], and [Store.Flags] is a flags.Store, on SQLite
// without cgo or on PostgreSQL.
//
// # SQLite
//
// One file in write-ahead mode, made with mode 0600. Several processes may hold it open.
// What a method reported as done is on disk.
//
// # PostgreSQL
//
// One schema of a database, the first of the search_path in the DSN; it has to exist, and
// may hold other tables too, but none of our names. Each process opens up to 4 connections
// for writing and 8 for reading. Every operation ends within Config.Timeout; when the
// server is away, or a row is locked for longer than Config.Wait, its error wraps
// store.ErrUnavailable. A connection that broke while it was idle is noticed and replaced.
// What the DSN says of the session itself (lock_timeout, application_name, connect_timeout)
// wins over what the package sets.
//
// When a connection breaks during a commit, the server may have committed. Nothing is tried
// again then, and the error wraps [ErrInDoubt]. To make the same change once more is safe where
// it names what it changes: a revocation stays the first one, and an id that was kept answers
// [ErrExists]. It is not where an id is made, nor for [Store.RotateKey]. Whether what was
// answered outlives a crash of the server is up to the server's synchronous_commit.
//
// # Versions
//
// [Open] migrates the tables of an older program. It refuses those of a newer one, tables of
// another program, and damage, before anything is written. Damage to the audit trail is left to
// audit.Verify, so that a long trail does not make every start slow.
//
// # Owners
//
// Websites, links, monitors and keys are made for owners who are known ([Store.CreateOwner]).
// Nothing removes an owner.
//
// # Secrets
//
// The database holds HMACs of the keys' secrets. The pepper they are made with lies
// elsewhere, so that a stolen database opens nothing.
//
// # Salts
//
// Visitor ids are salted by UTC day. The salts of today and yesterday are kept; older ones
// are destroyed, after which nobody can tie a visitor to the ids of that day. On SQLite their
// bytes are overwritten and the write-ahead log is emptied. On PostgreSQL a deleted row stays
// in its table's file until VACUUM, and its bytes may stay even then; so the table is emptied
// by TRUNCATE, which gives it a new file at once, and no VACUUM has to run. Not reached are
// PostgreSQL's write-ahead log until its segments are used again, archives of it, replicas
// that lag, backups, and free blocks of the disk.
package meta
