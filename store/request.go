package store

import "context"

type requestIDKey struct{}

// WithRequestID returns a context that carries the id of an HTTP request. A store may pass it to its
// database, so that a slow query in the database's list leads to a line of the access log.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID is the id that ctx carries, or empty.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
