// Package storetest is a conformance suite for stores. One test runs all its checks:
//
//	func TestStore(t *testing.T) {
//		storetest.Prove(t, storetest.Harness{
//			Create: func(t *testing.T) string { return filepath.Join(t.TempDir(), "events.db") },
//			Open: func(t *testing.T, path string, now func() time.Time) store.Store {
//				s, err := mystore.Open(t.Context(), mystore.Config{Path: path, Now: now})
//				if err != nil {
//					t.Fatal(err)
//				}
//				t.Cleanup(func() { _ = s.Close(context.Background()) })
//				return s
//			},
//			Slow: store.Statement{Label: "slow", SQL: "SELECT …", Kinds: []dialect.Kind{dialect.Int}},
//		})
//	}
//
// The suite tests three things: a store returns the written rows, the engine computes correct answers from it,
// and two stores give the same answers. Only tests import this package.
//
// # A new store, step by step
//
// First, fill in a [dialect.Dialect]: its functions, and a template for each [dialect.Op]. Its method Check
// lists what is missing. Statements use the tables and columns of package store/schema.
//
// Second, implement [store.Store] and [store.Writer], and write the test above.
//
// Third, make the test pass from the inside out. TestStore/Store/templates tests the result of each template.
// TestStore/Store/cases tests whole answers, each with the rule that it checks. TestStore/Writer tests which
// rows are stored, each case with the sentence of [store.Writer] that it checks.
//
// Fourth, add the optional interfaces, one by one: [store.DayLister], [store.Deriver],
// [store.Resealer], [store.StateKeeper], [store.Eraser], [store.PersonEraser], [store.Remover], [store.Purger],
// [store.Maintainer],
// [store.Lister], [store.Restorer]. Prove detects them, and skips interfaces that the store does not implement.
//
// Fifth, test with random requests. [Reference] compares answers with plain loops over lists. A failure prints the
// seed that repeats it. [ProveEngine] runs all tests of the engine on the store, such as [Properties], [Keys] and
// [Pitfalls]; once before a release is enough.
//
// Sixth, show that these tests can fail. [KillsAllMutants] plants mistakes, also those that only the new dialect can
// have, and fails if one is not noticed.
//
// Last, if you have another store to compare with, [Diff] requires the same bytes from both.
//
// # A warehouse that another program fills
//
// A store that does not accept rows does not implement store.Writer. Its harness has a Fill function, which
// loads the rows of a batch in the way in which the warehouse gets its rows. [Prove] then tests only reading,
// and the random tests run as for any store.
package storetest
