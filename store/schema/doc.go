// Package schema is the rows that stores keep, as data: every logical table with its
// columns, where a batch has their values, what makes a row impossible to store, and what
// a row is counted once by. Stores map it to tables and types of their own, and what
// carries or compares rows follows from it.
//
// The subject is the one column that every store keeps in a way of its own, and is not
// among [Table.Columns]. testdata/columns.golden lists the others, with their kinds and the
// fields that they are made of.
package schema
