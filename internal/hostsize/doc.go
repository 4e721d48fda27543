// Package hostsize measures how much a host links: the programs in testdata, one without a database, one for each store
// of events, and one with package mcp.
//
//	go test ./internal/hostsize         # fails if a program has other modules than docs/embedding.md says, or a size 10 % away from it
//	go test ./internal/hostsize -update # replaces the rows of such programs
//
// It has only tests. They build for Linux on amd64 and are skipped elsewhere, because sizes differ.
package hostsize
