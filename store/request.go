package store

import "context"

type requestIDKey struct{}

// WithRequestID returns a context that carries the id of the request it works for. A
// store may show it where its database lists queries, so that a slow one leads back to
// a line of the access log.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID is the id that ctx carries, or empty.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
