package store

import "context"

// A Person is one visitor of a website, by the ids in stored rows. Stored ids of visitors may be hashes: see package
// track.
type Person struct {
	Website string
	// AnonymousIDs are values of Identity.AnonymousID. A visitor may have another one on each day.
	AnonymousIDs []string
	// ProfileIDs are values of Identity.ProfileID.
	ProfileIDs []string
}

// A PersonEraser removes the rows of one person. The interface is optional.
type PersonEraser interface {
	// ErasePerson removes the rows of p, forgets their event ids, and returns the number of removed rows by logical
	// table. A row belongs to p if it has one of the ids of p. A row without an anonymous id and without a profile id
	// belongs to p if its session has a row with one of the ids of p.
	//
	// The versions of the days of removed rows grow, and so do the versions of the days up to [MaxAround] before and
	// after them. Seals and states of all these days are deleted.
	//
	// After an error some rows may be gone, and the numbers are unknown; another call removes the rest. The error wraps
	// ErrInvalid if p has no website, no id or an empty id; then nothing is removed.
	ErasePerson(ctx context.Context, p Person) (map[string]int64, error)
}

// MaxErased is the number of digests of erased persons that a website has; the oldest ones are forgotten.
const MaxErased = 1_000_000

// Erasures remember who was erased from a website, so that an import does not bring these persons back. They have
// digests with a secret key, and no ids.
type Erasures interface {
	// NoteErased adds digests of ids. One that is there stays.
	NoteErased(ctx context.Context, website string, digests []string) error
	// Erased returns all digests of a website.
	Erased(ctx context.Context, website string) ([]string, error)
}

// A VisitorHasher is a [StateKeeper] that knows the numbers of ids in states. The interface is optional.
type VisitorHasher interface {
	// HashVisitors returns the numbers that the store has for ids of visitors and profiles in the columns for hashes,
	// in the order of ids: see package schema.
	HashVisitors(ctx context.Context, ids []string) ([]int64, error)
}

// A Purger can make removed rows unreadable. The interface is optional.
type Purger interface {
	// Purge rewrites the files of the store without the bytes of removed rows, which may stay in free parts of a file
	// for a long time. It changes no answer and no version. Queries continue meanwhile, and writes may wait. A file in
	// which rows were removed takes up to twice its size of the disk during Purge. A store that rewrites its files in
	// place, or has several servers, says in its documentation what remains. Purge may stop when ctx ends; then another
	// call begins again.
	Purge(ctx context.Context) error
}
