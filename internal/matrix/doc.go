// Package matrix holds the tests of who may call what: every route of httpapi and of
// track, taken from their own lists, against every kind of credential and resource, on
// keys, directories and audit trails in memory, on SQLite and on PostgreSQL. A route that
// is added is tested on arrival; it has only to be given a sample request here.
//
// POSTGRES_DSN names a PostgreSQL database in which schemas can be made. Without it those
// tests are skipped; with CI=true in the environment that is a failure.
package matrix
