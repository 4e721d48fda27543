package store

import (
	"context"
	"time"
)

// An Import describes an import of events, so that people can find it and take it back: see [Remover], which needs only
// its ID and its Subjects.
type Import struct {
	ID      string
	Website string
	// Others are the links and monitors that have rows of the import.
	Others []Subject
	// Files are the names of its sources; at most MaxImportFiles, and More counts the others.
	Files            []string
	More             int64
	Started, Changed time.Time
	Stored           int64 // rows that it stored
	Repeated         int64 // rows that it sent and that were stored before
}

// Bounds of what is remembered of imports.
const (
	MaxImportFiles = 20
	MaxImports     = 500 // of a website; the oldest ones are forgotten, and their rows stay
)

// Imports remembers imports.
type Imports interface {
	// NoteImport adds an import, or the numbers, files and others of another part of it.
	NoteImport(ctx context.Context, i Import) error
	// Imports lists the imports of a website, the newest first.
	Imports(ctx context.Context, website string) ([]Import, error)
	// ForgetImport removes an import from the list. Its error wraps ErrNotFound.
	ForgetImport(ctx context.Context, website, id string) error
}

// Subjects returns the website of i, and its links and monitors.
func (i *Import) Subjects() []Subject {
	return append([]Subject{{Kind: KindWebsite, ID: i.Website}}, i.Others...)
}
