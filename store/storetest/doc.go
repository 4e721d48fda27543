// Package storetest proves stores: that they keep what they are given, that the engine's
// answers from them are right, and that two of them give the same answers. Only tests import it.
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
// Third, make it pass from the inside out. TestStore/Store/templates asks for the result of each
// template alone, TestStore/Store/cases for whole answers, each with the rule that it
// defends, and TestStore/Writer for what is kept, each case with the sentence of
// store.Writer that it defends.
//
// Fourth, add what else the store can be, one by one: [store.Versioner], [store.DayVersioner],
// [store.Eraser], [store.Maintainer], [store.Lister], [store.Restorer]. Prove finds out, and skips by name
// what the store is not.
//
// Fifth, ask at random: [Reference] compares with loops over lists, [Properties] and [Keys]
// with other requests of the same store, [Dependencies] with fewer rows. What fails names
// the seed that repeats it. [Pitfalls] asks what services of this kind are known to answer wrongly.
//
// Sixth, show that those can fail: [KillsMutants] plants [Mutations], and those that only the
// new dialect can make, and wants each to be seen.
//
// Last, when there is another store to compare with, [Diff] wants the same bytes from both.
//
// # A warehouse that is filled elsewhere
//
// A store that takes no rows itself is no [store.Writer]. Its harness has a Fill, which
// stores the rows of a batch in the way that the warehouse gets its rows. Prove then proves
// reading, and the random proofs are as they are for any store.
package storetest
