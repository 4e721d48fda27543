// Package meta stores all records except events, in a SQLite file or in PostgreSQL:
//
//	records, err := meta.Open(ctx, meta.Config{Path: "meta.sqlite", Pepper: pepper}) // or DSN: "postgres://…"
//	owner, err := records.CreateOwner(ctx, meta.Owner{ID: "acme"})
//	site, err := records.CreateWebsite(ctx, store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"})
//	reads := auth.Key{Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}}
//	key, secret, err := records.CreateKey(ctx, reads)
//	callers, err := auth.New(auth.Config{Store: records, Pepper: pepper}) // accepts secret.Reveal()
//
// The records are owners, websites, links, monitors, API keys, feature flags, profiles, the audit trail and the
// salts of visitor ids. A [Store] is a [store.Directory] and an [auth.KeyStore]. [Store.Flags] returns a
// flags.Store, and [Store.Audit] an audit.Log. SQLite does not need cgo.
//
// # SQLite
//
// The database is one file in write-ahead mode, which Open creates with mode 0600. Several processes may open it
// at the same time. A change is on disk when the method returns without an error. A process makes one change at a
// time. Writes of the audit trail run before all other changes that wait.
//
// # PostgreSQL
//
// The tables are in one schema, the first of the search_path in the DSN. The schema must exist. It may have other
// tables, but not with the same names. Each process opens at most 4 connections for writing and 8 for reading. One
// of the connections for writing is reserved for the audit trail.
//
// Every operation ends within Config.Timeout. If the server cannot be reached, or a row is locked for longer than
// Config.Wait, the error wraps store.ErrUnavailable. Broken idle connections are replaced. Session settings in the DSN
// (lock_timeout, application_name, connect_timeout, default_query_exec_mode) override the settings of this package. It
// leaves nothing in sessions, so a pooler such as PgBouncer may give each transaction another one. Every
// target_session_attrs but any leads to the server that accepts changes.
//
// When a connection breaks during a commit, the server may have committed. Such a change is not retried, and the
// error wraps [ErrInDoubt]. It is safe to repeat a change that names its record: a second revocation changes
// nothing, and creating an id that was stored fails with [ErrExists]. It is not safe to repeat a change that
// generates an id, or [Store.RotateKey]. The server's synchronous_commit decides whether changes survive a crash
// of the server.
//
// # Pepper
//
// The records store a fingerprint of the pepper that they were first opened with. Open, and [Store.CheckPepper], fail
// with [ErrOtherPepper] if they get another one. Fingerprints follow a pepper that is replaced: see [Config]. A host
// that finds no pepper asks [Store.NeedsPepper] before it creates one.
//
// # Versions
//
// [Open] migrates the tables of older programs. Before it writes anything, it rejects tables of newer programs,
// tables of other programs, and damaged files. It does not look for damage in the audit trail, so that a long
// trail does not slow down every start. audit.Verify finds such damage.
//
// # Owners
//
// Websites, links, monitors and keys need an owner that exists ([Store.CreateOwner]). [Store.RemoveOwner] only
// removes an owner without any of them.
//
// # Secrets
//
// The database stores HMACs of the keys' secrets under the pepper. Store the pepper elsewhere, so that a stolen
// database gives no access.
//
// # Salts
//
// Each UTC day has a salt for its visitor ids. The store keeps the salts of today and yesterday, and destroys
// older ones. After that, nobody can link a visitor to the ids of that day. SQLite overwrites the bytes of the
// salts, and empties the write-ahead log. In PostgreSQL, a deleted row stays in the table's file until VACUUM, and
// its bytes may stay even longer. Therefore the store empties the table with TRUNCATE, which gives it a new file
// at once, and no VACUUM is needed. Salts may remain in PostgreSQL's write-ahead log until its segments are
// reused. They may also remain in archives of that log, in replicas that lag, in backups, and in free blocks of
// the disk.
package meta
