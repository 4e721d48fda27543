// Package archtest tests the rules for source code that no linter has: the imports of each package, packages without
// cgo and without third-party code, doc comments, state, and texts that name other files. .golangci.yml has the other
// rules, and the exceptions from them with reasons. The package has only tests.
//
// The tests read the table of packages from the block ```imports in ARCHITECTURE.md. background_test.go describes the
// comments that statements need which start goroutines.
package archtest
