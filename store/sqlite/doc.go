// Package sqlite stores events in a SQLite file, inside the program's own process and without cgo:
//
//	events, err := sqlite.Open(ctx, "/var/lib/analytics/events.sqlite") // or ":memory:"
//	if err != nil {
//		return err
//	}
//	defer events.Close(ctx)
//	written, err := events.Write(ctx, &store.Batch{Events: []store.Event{pageview}})
//
// It is for websites with up to some hundred thousand pageviews a month, for tests, and for programs that are built
// without a C compiler. docs/embedding.md has its speed. Package store/duckdb answers faster from rows, and needs less
// space. The engine is modernc.org/sqlite, which is SQLite translated
// to Go.
//
// # Writing
//
// All writes go through one goroutine. Writes that arrive during a commit wait and are stored together by the
// next commit, in one transaction with one flush to the disk. [Store.Write] returns after the commit. Then the
// rows survive a crash of the process and of the machine.
//
// The store remembers event ids for eight days after they were received, as hashes of 96 bits.
//
// # Reading
//
// [Store.Query] runs one SELECT. Queries run beside writes, and see all commits that ended before they began. A
// query keeps its intermediate results in memory. A store in memory runs one query or write at a time.
//
// # Files
//
// Beside the file are its log ("-wal"), an index of the log ("-shm") and a lock (".lock"). Never delete the log.
// Only one process at a time can open the file as a store.
package sqlite
