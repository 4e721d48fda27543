// Package archtest tests the rules for source code: the imports of each package, packages without cgo and without third-party code,
// and forbidden code. It has only tests.
//
// The tests read the table of packages from the block ```imports in ARCHITECTURE.md. exceptions_test.go lists exceptions to the rules
// for sources, with reasons. An exception that is no longer needed is a failure. background_test.go describes the comments that
// statements need which start goroutines.
package archtest
