// Package storetest proves stores: that they keep what they are given, that the engine's
// answers from them are right, and that two of them give the same answers. Only tests import it.
//
// # A new store, step by step
//
//  1. Fill in a [dialect.Dialect]: its functions, and a template for each dialect.Op. Check names
//     what is missing. The tables and columns that statements name are in package store/schema.
//
//  2. Implement [store.Store] and [store.Writer], and call [Prove] from one test:
//
//     func TestStore(t *testing.T) {
//     storetest.Prove(t, storetest.Harness{
//     Create: func(t *testing.T) string { return filepath.Join(t.TempDir(), "events.db") },
//     Open: func(t *testing.T, address string, now func() time.Time) store.Store {
//     s, err := mystore.Open(t.Context(), mystore.Config{Path: address, Now: now})
//     if err != nil {
//     t.Fatal(err)
//     }
//     t.Cleanup(func() { _ = s.Close() })
//     return s
//     },
//     Slow: store.Statement{Label: "slow", SQL: "SELECT …", Kinds: []dialect.Kind{dialect.Int}},
//     })
//     }
//
//  3. Make it pass from the inside out: go test -run TestStore/Store/templates asks for the result
//     of each template alone, TestStore/Store/cases for whole answers with the rule that each
//     defends, TestStore/Writer for what is kept. Every failure prints the sentence that it breaks.
//
//  4. Add optional interfaces one by one: [store.Versioner], [store.Eraser], [store.Maintainer],
//     [store.Lister], [store.Restorer]. Prove sees them, and skips those that are not there, by name.
//
//  5. Ask at random: [Reference] compares with loops over lists, [Properties] and [Keys] with
//     other questions, and [Dependencies] with fewer rows. Failures name the seed that repeats them.
//
//  6. Show that those can fail: [KillsMutants] plants [Mutations], and those that only the new
//     dialect can make, and wants each to be seen.
//
//  7. When there is another store to compare with, [Diff] wants the same bytes from both.
//
// # A warehouse that is filled elsewhere
//
// A store that takes no rows itself is no [store.Writer]. Its harness has [Harness.Fill], which
// stores the rows of a batch the way that the warehouse gets its rows. Prove then proves reading, and so
// do all the others.
package storetest
