// Package schema describes the rows that stores keep, as data: every logical table with its columns,
// where a batch has their values, which rows cannot be stored, and the identity by which a row counts
// only once. Stores map it to tables and types of their own; code that copies or compares rows goes by
// it.
//
// The subject is the one column that every store keeps in a way of its own, and is not
// among [Table.Columns]. testdata/columns.golden lists the others, with their kinds and the
// fields that they are made of.
package schema
