// Package dataset makes random rows with many edge cases, and random questions about them, from a seed:
// equal seeds give equal datasets. The rows are as valid as real ones: identifiers, codes and paths are
// well formed, pages have a path.
package dataset
