// Package store has the interfaces between the query engine and the databases that answer it, and the
// types of the rows that go in.
//
// # Writing a store
//
// A store is a dialect and three methods ([Store]). Beside it, a store may be a
// [Writer], a [Versioner], a [Deriver], a [Bounded], an [Eraser], a [Maintainer], a [Loaded], and, so that rows can move from
// one store to another, a [Lister] and a [Restorer]. Package storetest has a step-by-step guide, and
// storetest.Prove tests what a store implements.
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
// all. Each store represents the column subject, the first of every table, in its own way: compare it
// only with an argument of kind dialect.Subject.
package store
