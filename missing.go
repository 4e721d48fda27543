package sightline

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// missing stands in for a required part that the host did not give, so that New also finds the faults of the other
// parts.
type missing struct{}

var errMissing = errors.New("sightline: the part is missing")

func (missing) Dialect() *dialect.Dialect { return dialect.DuckDB() }

func (missing) Query(context.Context, store.Statement) (*store.Rows, error) { return nil, errMissing }

func (missing) Write(context.Context, *store.Batch) (store.Written, error) {
	return store.Written{}, errMissing
}

func (missing) Ping(context.Context) error { return errMissing }

func (missing) Websites(context.Context, string) ([]store.Website, error) { return nil, errMissing }

func (missing) Website(context.Context, string) (store.Website, error) {
	return store.Website{}, errMissing
}

func (missing) Owner(context.Context, store.Subject) (string, error) { return "", errMissing }

func (missing) KeyByDigest(context.Context, auth.Digest) (*auth.Key, error) { return nil, errMissing }

func (missing) Salt(context.Context, time.Time) ([]byte, error) { return nil, errMissing }

func (missing) Authenticate(context.Context, *http.Request) (*auth.Principal, error) {
	return nil, errMissing
}
