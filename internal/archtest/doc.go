// Package archtest holds the rules of the house as tests: who may import whom, what
// must stay free of cgo and of third-party code, and what no source file may contain.
// It has tests only.
//
// The table of packages lies in ARCHITECTURE.md, in the block that begins with
// ```imports, and is read from there. Exceptions to the rules about sources lie in
// exceptions_test.go, each with its reason; one that excuses nothing any more is a
// failure too.
package archtest
