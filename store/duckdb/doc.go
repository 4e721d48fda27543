//go:build cgo

// Package duckdb stores events in a DuckDB file, inside the program's own process:
//
//	events, err := duckdb.Open(ctx, duckdb.Config{Path: "/var/lib/analytics/events.duckdb"})
//	if err != nil {
//		return err
//	}
//	defer events.Close(ctx)
//	written, err := events.Write(ctx, &store.Batch{Events: []store.Event{pageview}})
//
// It is the default store, for hosts that run one process. Writes and queries run at the same time. The engine is
// DuckDB, which needs cgo.
//
// # Writing
//
// All writes go through one goroutine. Writes that arrive during a commit wait and are stored together by the
// next commit, in one transaction with one flush to the disk. [Store.Write] returns after the commit.
//
// The store remembers event ids for eight days after they were received, as hashes of 96 bits. With n ids, the
// probability that two of them have the same hash is about n²/2⁹⁷: for 50 million ids, one in 60 million
// million. Each id takes 4 bytes of memory, which Config.MemoryLimit does not include.
//
// # Reading
//
// [Store.Query] runs one SELECT. An argument of kind dialect.Subject is a store.Subject. The store binds its
// number: 32 bits, assigned with the subject's first row. For an unknown subject it binds -1, which matches no
// row.
//
// # Maintenance
//
// Rows are stored in the order of arrival. [Store.Maintain] moves rows of the same website next to each other.
// Then queries about one of many websites are faster, and rows take less space. Call Maintain about every hour.
// It uses up to 300 MB of Config.MemoryLimit, and does nothing if that is below 400 MiB.
//
// # Durability
//
// A write that returned without an error survives a crash of the process at any time. Until the next checkpoint
// it is in the write-ahead log next to the file (".wal"): never delete that log.
//
// If there is a log, [Open] verifies the checksums of the log and of the whole file. It removes an unfinished
// commit from the end of the log and reports that to Config.Logger. It returns an error for a damaged file, and
// for a log with commits after a damaged place. In these cases it changes neither of them. It cannot detect a
// log that was cut between two commits, or blocks of the file that were swapped. See docs/operations.md#damage for what
// to do.
//
// The engine locks the file against other processes. On POSIX systems, a process loses all its locks on a file
// when it closes any descriptor of that file. So no other code of the process may open the database file while
// the store is open.
//
// # Restrictions of the engine
//
// The engine has a memory limit, a number of threads and a directory for temporary files. It cannot access
// other files, except the copy that [Store.Purge] makes, load extensions or use the network. Its configuration is
// locked after Open.
package duckdb
