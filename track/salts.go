package track

import (
	"context"
	"time"
)

// Salts provides the secrets with which visitor ids are hashed, one for each UTC day. A meta.Store and [FileSalts] are
// Salts. tracktest.RunSalts tests others.
type Salts interface {
	// Salt returns the salt of the UTC day that contains day: at least 16 random bytes, which the caller may change.
	// All processes get the same salt, also after a restart. It is available from the day before until the end of the
	// day after. Then it is destroyed, so that nobody can know it, and the error wraps store.ErrNotFound. For later
	// days the error wraps store.ErrInvalid.
	Salt(ctx context.Context, day time.Time) ([]byte, error)
}
