package store

import "context"

// A Remover takes imports back. The interface is optional.
//
// An import has an id, which is neither empty nor has a space. Each row names the imports that sent it, so a copy, a
// backup and the removal of old rows take that along, and it needs no list of rows elsewhere. [Writer.Write] stores a
// row with the Imports that it has: empty, or the id of one import. If the row is a repeat, Write notes that the stored
// row was sent again: a row that somebody else than an import sent, in whatever order, belongs to no import any more,
// and a row of several imports belongs to all of them. A row that more than some fifty imports sent belongs to none.
type Remover interface {
	// RemoveImport removes the rows of s that belong to this import alone, forgets their event ids, and returns the
	// number of removed rows by logical table. Rows that belong to other imports, too, stay, and belong to these.
	//
	// The versions of the days of removed rows grow, and so do the versions of the days up to [MaxAround] before and
	// after them. Seals and states of all these days are deleted.
	//
	// RemoveImport works day by day, and writes and queries continue in between. After an error some rows may be gone,
	// and the numbers are unknown; another call removes the rest. The error wraps ErrInvalid if the id is not one of an
	// import; then nothing is removed.
	RemoveImport(ctx context.Context, s Subject, id string) (map[string]int64, error)
	// Claim notes that the rows of b were sent again, as Write does for repeats, for stored rows with the same event
	// ids, however old they are. It stores no row, and changes no version. After an error, call it again.
	Claim(ctx context.Context, b *Batch) error
}
