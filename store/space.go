package store

// A SpaceChecker watches the free space of its disk. It is optional.
type SpaceChecker interface {
	// CheckSpace returns nil if the store accepts rows, and an error that wraps [ErrFull] if its disk has too little
	// free space. Then Write and Restore fail with such an error before they write anything, and queries work.
	CheckSpace() error
}
