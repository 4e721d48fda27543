package store

import "context"

// A Lister knows whose rows it has. It is optional beside Store.
type Lister interface {
	// Subjects lists every website, link and monitor that has rows, each once, in no
	// order. It may list some whose rows are gone.
	Subjects(ctx context.Context) ([]Subject, error)
}

// A Restorer takes rows over from another store. It is optional beside Store.
type Restorer interface {
	// Restore stores b and returns when it is durable. Unlike Writer.Write it stores
	// rows whose event ids it has: the caller knows which rows are missing. A later
	// Write of the same ids counts as a repeat all the same.
	//
	// Mark names this set of rows. When a process restored the rows of one table and
	// UTC month under a mark and died before it heard the outcome, the next may do the
	// same again: they are stored once, even if the first attempt still goes on. After
	// other errors none or a part of b may be stored.
	Restore(ctx context.Context, mark string, b *Batch) error
}
