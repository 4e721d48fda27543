package auth

import "context"

// An Invalidator is notified of changed keys, so that it can drop copies of them. The copies may be in caches
// of this process or, through a message bus, of other processes. A key store notifies it after a change
// is durable and before the method that made the change returns.
type Invalidator interface {
	// KeyChanged is called after the key with this id was created, rotated, revoked, disabled or enabled.
	// An empty id means that any key may have changed. KeyChanged cannot fail and returns soon. It takes effect
	// even if ctx ends.
	KeyChanged(ctx context.Context, id string)
}
