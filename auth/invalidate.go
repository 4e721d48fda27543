package auth

import "context"

// An Invalidator is told of changes to keys, so that what was kept of them elsewhere can
// be forgotten: caches of this process, and those of others behind a message bus. Stores
// of keys tell it after a change is durable and before the method that made it returns.
type Invalidator interface {
	// KeyChanged says that the key of id was made, rotated, revoked, disabled or enabled.
	// An empty id says that any key may have changed. It does not fail and does not keep
	// its caller for long; an end of ctx does not make the change undone.
	KeyChanged(ctx context.Context, id string)
}
