// Package e2e holds the end-to-end tests: they build the example, run it in folders of
// their own, send events to it as clients do, ask it questions, and kill it.
//
// They need cgo, for the clients in e2e/ also node and npm and Chromium, and for ClickHouse what
// internal/chtest says. Without those the tests are skipped; with CI=true in the
// environment that is a failure.
package e2e
