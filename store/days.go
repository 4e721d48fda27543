package store

import (
	"context"
	"time"
)

// A DayLister lists the UTC days of its data with their versions, so that callers can detect changes. The
// interface is optional.
type DayLister interface {
	// Days returns the UTC days that [from, to) touches and on which s ever had rows or a seal, ordered by time. It
	// includes every write acknowledged before the call.
	Days(ctx context.Context, s Subject, from, to time.Time) ([]Day, error)
}

// A Day describes the stored state of one UTC day of a subject.
type Day struct {
	Start time.Time
	// Version is a number for the rows of the day. Every change to them makes it larger, including late rows and
	// erasing. It never becomes smaller, not even after a restart. 0 means that the day never had rows.
	//
	// Who read a version also sees all changes with smaller ones. So concurrent writes to a day must become visible in
	// the order of their versions.
	Version uint64
	// Sealed is 0 if the day is not sealed; see [Deriver]. Otherwise the seal is valid while all days that it was
	// computed from have a Version of at most Sealed.
	//
	// In a store that is a [Resealer], versions of all days are the numbers of commits, and Sealed is the number of
	// the latest commit before the day was sealed. So a seal with newer rows is still valid for session ids without
	// later events on these days. The seal may include rows of later commits. Other stores set Sealed to 0 as soon
	// as the seal is not valid.
	Sealed uint64
	// Expired is 0 unless an [Expirer] removed rows of the day because of their age. Then it is the Version after that,
	// and the day has later rows if Version is larger. It is 0 again after [Eraser] removed all rows of the subject.
	Expired uint64
}

// VersionOf returns one number for the rows of days. Every change to one of these days makes it larger. It is 0 if
// they never had rows.
func VersionOf(days []Day) (version uint64) {
	for _, d := range days {
		version += d.Version
	}
	return version
}
