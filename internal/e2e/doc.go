// Package e2e has the end-to-end tests. They build the program, run it in temporary folders, send events like clients
// do, send queries, and kill it.
//
// The tests need cgo. The clients in e2e/ also need node, npm and Chromium, and ClickHouse needs the variables of
// internal/chtest. Without these the tests are skipped, or fail with CI=true in the environment.
package e2e
