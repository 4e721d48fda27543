//go:build cgo

// Package duckdb is the embedded default store: one DuckDB file, one process, one
// writer, many readers. It needs cgo.
//
// # Writing
//
// All writes go through one goroutine. Writes that arrive while a commit runs wait
// together and become the next commit (one transaction, one fsync), so callers share the cost of a disk
// flush. [Store.Write] returns after the commit.
//
// Event ids are remembered as 96-bit hashes for eight days after they were
// received. Of n ids two share a hash with a chance of about n²/2⁹⁷: of 50 million, one in 60 million million.
// Each id takes 4 bytes of memory, in addition to the engine's.
//
// # Reading
//
// Query runs one SELECT. Arguments of kind dialect.Subject carry a store.Subject;
// this store binds the 32-bit number that it gave that subject at its first row, and
// -1, which no row has, for a subject it has never seen.
//
// # Maintenance
//
// Rows lie in the order of arrival until [Store.Maintain] moves them, those of a website together: call it every
// hour, say. Questions about a website that is one of many are answered faster then, and rows take less
// space. It takes up to 300 MB of Config.MemoryLimit meanwhile, and does nothing where that is below 400 MiB.
//
// # Durability
//
// A write that returned without error survives a crash of the process at any time. It is in the
// write-ahead log beside the file (".wal") until a checkpoint; never remove that log. [Open] checks
// the log and, if there is one, the whole file by their checksums. It cuts an unfinished commit from the end of the log
// and says so in Config.Logger. It refuses a damaged file, and a log with commits behind a damaged place, and changes
// neither. It cannot detect a log that was cut between two commits, nor blocks of the file that changed
// places. docs/recovery.md says what to do.
//
// The engine locks the file against other processes. On POSIX systems a process loses
// its locks on a file when it closes any descriptor of it: nothing else in the process
// may open the database file while the store is open.
//
// # What the engine may do
//
// It gets a memory limit, a number of threads and a directory for temporary files. It may not touch
// other files, load extensions or use the network, and its configuration is locked once open.
package duckdb
