// Package storetest is a conformance suite for stores: they keep what they are given, the engine's
// answers from them are right, and two of them give the same answers. Only tests import it.
//
// # A new store, step by step
//
// First, fill in a [dialect.Dialect]: its functions, and a template for each [dialect.Op]; its
// Check names what is missing. Statements name the tables and columns of package store/schema.
//
// Second, implement [store.Store] and [store.Writer], and call [Prove] from one test:
//
//	func TestStore(t *testing.T) {
//		storetest.Prove(t, storetest.Harness{
//			Create: func(t *testing.T) string { return filepath.Join(t.TempDir(), "events.db") },
//			Open: func(t *testing.T, path string, now func() time.Time) store.Store {
//				s, err := mystore.Open(t.Context(), mystore.Config{Path: path, Now: now})
//				if err != nil {
//					t.Fatal(err)
//				}
//				t.Cleanup(func() { _ = s.Close() })
//				return s
//			},
//			Slow: store.Statement{Label: "slow", SQL: "SELECT …", Kinds: []dialect.Kind{dialect.Int}},
//		})
//	}
//
// Third, make it pass from the inside out. TestStore/Store/templates tests the result of each template
// alone, TestStore/Store/cases whole answers, each with the rule that it checks, and TestStore/Writer
// what is stored, each case with the sentence of [store.Writer] that it checks.
//
// Fourth, add the optional interfaces, one by one: store.Versioner, [store.Deriver],
// [store.StateKeeper], [store.Eraser], [store.Maintainer], [store.Lister], [store.Restorer]. Prove detects them, and skips
// by name those that the store does not implement.
//
// Fifth, test with random requests: [Reference] compares answers with those of plain loops over lists,
// [Properties] and [Keys] with other answers from the same store, [Dependencies] with those from fewer
// rows. A failure names the seed that repeats it. [Pitfalls] tests what services of this kind are known
// to answer wrongly.
//
// Sixth, show that those tests can fail: [KillsMutants] plants [Mutations], and any of the new
// dialect's own, and fails when one goes unnoticed.
//
// Last, when there is another store to compare with, [Diff] requires the same bytes from both.
//
// # A warehouse that is filled elsewhere
//
// A store that takes no rows itself is not a store.Writer. Its harness has a Fill, which stores the
// rows of a batch in the way that the warehouse gets its rows. [Prove] then tests reading only, and the
// random tests run as for any store.
package storetest
