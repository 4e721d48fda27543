package store

import "context"

type requestIDKey struct{}

// WithRequestID returns a context that carries the id of an HTTP request. A store may pass the id to its
// database, so that a slow query can be found in the access log.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id that ctx carries, or an empty string.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
