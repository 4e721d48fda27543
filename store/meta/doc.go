// Package meta stores everything but events: owners, websites, links, monitors, API keys, feature
// flags, profiles, the audit trail and the salts of visitor ids. It is a [store.Directory] and an
// [auth.KeyStore], and [Store.Flags] is a flags.Store, on SQLite without cgo or on PostgreSQL.
//
// # SQLite
//
// One file in write-ahead mode, created with mode 0600. Several processes may have it open. A change is
// on disk when the method returns without error. Changes by one process are made one after another; the
// audit trail comes next, whatever else waits.
//
// # PostgreSQL
//
// One schema of a database, the first of the search_path in the DSN; it has to exist, and may hold
// other tables, but none of the same names. Each process opens up to 4 connections for writing, one of
// which is left to the audit trail, and 8 for reading. Every operation ends within Config.Timeout; when the server is unreachable, or a row is
// locked for longer than Config.Wait, its error wraps store.ErrUnavailable. A connection that broke
// while it was idle is noticed and replaced. Session settings in the DSN (lock_timeout,
// application_name, connect_timeout) override those of the package.
//
// When a connection breaks during a commit, the server may have committed. The change is not retried
// then, and the error wraps [ErrInDoubt]. Repeating it is safe where it names its record: a second
// revocation changes nothing, and an id that was stored gives [ErrExists]. It is not safe where an id
// is generated, nor for [Store.RotateKey]. Whether changes survive a crash of the server depends on its
// synchronous_commit.
//
// # Versions
//
// [Open] migrates the tables of an older program. It refuses those of a newer one, tables of another
// program, and damage, before anything is written. Damage to the audit trail is only found by
// audit.Verify, so that a long trail does not slow down every start.
//
// # Owners
//
// Websites, links, monitors and keys are created for owners that exist ([Store.CreateOwner]).
// [Store.RemoveOwner] removes one that has none of them left.
//
// # Secrets
//
// The database holds HMACs of the keys' secrets. The pepper they are made with is stored elsewhere, so
// that a stolen database gives no access.
//
// # Salts
//
// Visitor ids are salted by UTC day. The salts of today and yesterday are kept; older ones are
// destroyed, after which nobody can link a visitor to the ids of that day. On SQLite their bytes are
// overwritten and the write-ahead log is emptied. On PostgreSQL a deleted row stays in its table's file
// until VACUUM, and its bytes may stay even then; so the table is emptied by TRUNCATE, which gives it a
// new file at once, and no VACUUM has to run. Salts may remain in PostgreSQL's write-ahead log until
// its segments are reused, archives of it, replicas that lag, backups, and free blocks of the disk.
package meta
