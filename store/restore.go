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
	// Restore stores b. Nil means that all of it is durable and that queries see it.
	// Unlike Writer.Write it stores rows whose event ids it has: the caller has looked
	// which rows are missing. A later Write of the same ids counts as a repeat all the same.
	//
	// After an error none, a part or all of b may be stored, and the caller looks again
	// before it restores what is missing still. What a look does not show is an attempt
	// that goes on, as of a process that died before it heard the outcome. So mark names
	// this set of rows: those of one table and UTC month that are restored again under one
	// mark are stored once, even if the first attempt ends later.
	Restore(ctx context.Context, mark string, b *Batch) error
}
