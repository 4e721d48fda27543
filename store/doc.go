// Package store is the seam between the query engine and the databases that answer
// it, and the shape of the rows that go in.
//
// # Writing a store
//
// A store is a dialect and three methods ([Store]). Beside it, a store may be a
// [Writer], a [Versioner], a [DayVersioner], an [Eraser], a [Maintainer], and, so that rows can move from
// one store to another, a [Lister] and a [Restorer]. Package storetest leads through it, and
// storetest.Prove proves what is there.
//
// # Logical tables
//
// Statements name these tables and columns, and no others. A store maps them to
// tables or views of its own, and may change its layout without the engine knowing.
// Instants are whole milliseconds since 1970 in UTC. Texts are never null: an absent
// text is empty. Measures are null when absent. All whole numbers are 64-bit to a
// statement, but for subject and the small ones (kind, status).
//
// The columns are in package store/schema, as data; testdata/columns.golden there lists them
// all. Of subject, which every table begins with, a store keeps what it likes: compare it
// with an argument of kind dialect.Subject and nothing else.
package store
