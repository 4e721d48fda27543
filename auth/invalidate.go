package auth

import "context"

// An Invalidator is called on changes to keys, so that copies of them can be dropped: in caches of this
// process and, through a message bus, of others. A store of keys calls it after a change is durable and
// before the method that made it returns.
type Invalidator interface {
	// KeyChanged says that the key of id was made, rotated, revoked, disabled or enabled.
	// An empty id says that any key may have changed. It does not fail and returns soon. The change
	// stays made when ctx ends.
	KeyChanged(ctx context.Context, id string)
}
