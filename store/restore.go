package store

import "context"

// A Lister lists the subjects that it has rows of. It is optional beside Store.
type Lister interface {
	// Subjects lists every website, link and monitor that has rows, each once, in no
	// order. It may list some whose rows are gone.
	Subjects(ctx context.Context) ([]Subject, error)
}

// A Restorer takes rows copied from another store. It is optional beside Store.
type Restorer interface {
	// Restore stores b. Nil means that all of it is durable and that queries see it.
	// Unlike Writer.Write it also stores rows whose event ids it has received before: the caller has
	// found out which rows are missing. A later Write of the same ids still counts as a repeat.
	//
	// After an error none, some or all of b may be stored, and the caller compares again before it
	// restores what is still missing. A comparison does not show an attempt that is still running, such
	// as that of a process that died before it got the outcome. So mark names this set of rows: rows of
	// one table and UTC month that are restored again under the same mark are stored once, even if the
	// first attempt ends later.
	Restore(ctx context.Context, mark string, b *Batch) error
}
