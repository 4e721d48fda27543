// Package schema describes the rows of stores as data:
//
//	for _, table := range schema.Tables() {
//		for _, c := range table.Columns { // all columns except the subject
//			fmt.Println(table.ID, c.Name, c.Kind)
//		}
//	}
//
// It lists every logical table and its columns, and reads and sets their values in a batch. It finds rows that
// cannot be stored, and defines the [Identity] by which a row counts once. Stores map the tables to tables and
// types of their database. Code that copies or compares rows uses the same columns.
//
// The subject is not in [Table.Columns], because each store has its own type for it. Stores add columns with hashes,
// see [Table.Hashes], and if they compute results, the tables of [DayTables] and the column version of events.
// testdata/columns.golden lists all columns but the subject and version, with their kinds and the fields that they
// store.
package schema
