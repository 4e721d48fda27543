package store

import (
	"context"
	"time"
)

// An Expirer removes the rows of old days. The interface is optional. It needs [DayLister], and [StateKeeper] where
// states are to stay.
type Expirer interface {
	// Expire removes the rows of s of one UTC day, which starts at day, and what was computed from them: the seal of
	// the day, and its states unless their kinds are in keep. It returns the number of removed rows. A store may or may
	// not remember the event ids of removed rows as repeats. Days of s that never had rows stay as they are.
	//
	// From then on [Day.Expired] of the day is set, and Day.Version is larger. If nothing is left to remove, neither
	// changes. Rows of the day may be written later: another call removes them.
	//
	// Expire works in small pieces, and writes and queries continue between these. After an error some rows may be
	// gone, and Day.Expired may be set; Day.Version is larger than it then. Another call removes the rest.
	Expire(ctx context.Context, s Subject, day time.Time, keep []int64) (int64, error)
}
