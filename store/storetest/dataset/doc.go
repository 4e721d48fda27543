// Package dataset makes random stored data full of traps, and random questions about
// it, from a seed: equal seeds give equal datasets. What it makes keeps the promises
// of real rows: identifiers, codes and paths are well formed, pages have a path.
package dataset
