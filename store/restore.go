package store

import "context"

// A Lister lists the subjects that have rows. It is optional.
type Lister interface {
	// Subjects lists every website, link and monitor that has rows, each once, in no particular order. It may
	// also list subjects without rows, if they had some before.
	Subjects(ctx context.Context) ([]Subject, error)
}

// A Restorer stores rows copied from another store. It is optional.
type Restorer interface {
	// Restore stores b. If it returns nil, all of b is durable and queries see it. Unlike Writer.Write, it also
	// stores rows whose event ids the store received before: the caller has checked which rows are missing. A
	// later Write of the same ids still counts as a repeat.
	//
	// After an error all, some or none of b may be stored. The caller compares the stores again before it restores the
	// missing rows. This comparison cannot see an attempt that is still running, for example one from a process that
	// died. Therefore mark identifies a set of rows: if an earlier call with the same mark stored rows of a table and
	// UTC month, this call stores no rows of that table and month, and the other way round if the earlier call finishes
	// later. A caller never uses a mark for other rows.
	Restore(ctx context.Context, mark string, b *Batch) error
}
