// Package store has the interfaces between the query engine and its databases, and the types of the stored
// rows:
//
//	duck, err := duckdb.Open(ctx, duckdb.Config{Path: "events.duckdb"}) // a Store and a Writer
//	written, err := duck.Write(ctx, &store.Batch{Events: []store.Event{
//		{Website: "shop", ID: "1", Kind: store.Pageview, Time: time.Now(), Path: "/"},
//	}})
//	engine, err := query.New(query.Config{Store: duck}) // asks the store in SQL
//
// # Writing a store
//
// A store has a dialect and implements the three methods of [Store]. Package storetest has a step-by-step guide,
// and storetest.Prove tests every interface that a store implements.
//
// # Optional interfaces
//
// A store may implement further interfaces:
//
//	Writer       receives rows
//	DayLister    lists days with versions: answers can be remembered, and responses have ETags
//	Deriver      seals days: answers about past days are fast
//	Resealer     updates seals when late rows arrive
//	StateKeeper  stores states of days: the first answers after a start are fast
//	Bounded      limits its queries: callers share them fairly
//	Loaded       reports its load: background work uses idle time
//	Eraser       removes the rows of a subject
//	Expirer      removes the rows of old days
//	PersonEraser removes the rows of one visitor
//	Remover      takes back the rows of an import
//	VisitorHasher knows the numbers of ids in states
//	Purger       rewrites files without the bytes of removed rows
//	Maintainer   has maintenance work
//	SpaceChecker watches its disk: rows are refused before it is full
//	Lister       lists subjects; with Restorer, rows can be moved to another store
//	Restorer     stores rows of another store
//
// Callers find an interface by an assertion on the value they are given. Nothing is unwrapped. So a type that
// wraps a store has to forward each interface that it wants to offer: struct{ store.Store } offers none of them, and
// struct{ *duckdb.Store } or struct{ embedded.Store } offers all. [Abilities] lists the interfaces of a value, and
// query.New logs them. [AllAbilities] says what a service does without each.
//
// # Logical tables
//
// Statements use only the logical tables and columns of package store/schema. A store maps them to tables or
// views, and may change its layout without changes to the engine. For statements, values have these types:
//
//   - Instants are whole milliseconds since 1970 in UTC.
//   - Texts are never null: an absent text is empty.
//   - Measures are null when absent.
//   - Whole numbers have 64 bits, except the small ones (kind, status).
//   - The column subject, the first of every table, has a type that each store chooses. Compare it only with an
//     argument of kind dialect.Subject.
//
// The file testdata/columns.golden of package store/schema lists all columns, also the columns with hashes that a
// store adds to its tables.
//
// # Stores of this module
//
// Package store/duckdb is the usual store of a single process: a file, fast answers from rows, cgo. Package
// store/sqlite needs no cgo; it is for small websites, tests and builds without a C compiler. Package
// store/clickhouse is for several processes.
package store
