// Package matrix tests permissions: every route of httpapi and track with every kind of credential and resource, on
// stores in memory, SQLite and PostgreSQL. Routes come from the tables of the handlers, so new routes are tested too;
// they only need a sample request here.
//
// POSTGRES_DSN is the address of a PostgreSQL database whose user may create schemas. Without it the tests of
// PostgreSQL are skipped, or fail with CI=true in the environment.
package matrix
