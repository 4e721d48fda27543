// Package reference computes the answers of the built-in query types by plain loops
// over lists of rows. It shares no code with the query engine, only the lists of
// countries and of referrers: tests ask both and compare. It follows the definitions of the numbers in
// docs/definitions.md, and prefers clarity to speed.
//
// Every quantity is an exact fraction until it is written, so that a half is rounded as one: 1.005
// becomes 1.01.
package reference
