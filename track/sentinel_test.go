package track

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
)

// sentinels are the errors that packages declare for callers of their interfaces, with the status of the response.
var sentinels = map[string]struct {
	err    error
	status int
}{
	"auth.ErrRequired":      {auth.ErrRequired, 401},
	"auth.ErrMissing":       {auth.ErrMissing, 401},
	"auth.ErrInvalid":       {auth.ErrInvalid, 401},
	"auth.ErrForbidden":     {auth.ErrForbidden, 403},
	"auth.ErrNotFound":      {auth.ErrNotFound, 500},
	"auth.ErrExists":        {auth.ErrExists, 500},
	"auth.ErrConflict":      {auth.ErrConflict, 500},
	"auth.ErrNoID":          {auth.ErrNoID, 500},
	"auth.ErrBadKey":        {auth.ErrBadKey, 500},
	"auth.ErrRevoked":       {auth.ErrRevoked, 500},
	"auth.ErrExpired":       {auth.ErrExpired, 500},
	"auth.ErrDisabled":      {auth.ErrDisabled, 500},
	"auth.ErrBound":         {mistake.Within("an owner", "keys", 2, 1), 500},
	"store.ErrUnavailable":  {store.ErrUnavailable, 503},
	"store.ErrTooLarge":     {store.ErrTooLarge, 500},
	"store.ErrTooMuch":      {store.ErrTooMuch, 500},
	"store.ErrNotFound":     {store.ErrNotFound, 500},
	"store.ErrLocked":       {store.ErrLocked, 503},
	"store.ErrCorrupt":      {store.ErrCorrupt, 500},
	"store.ErrFull":         {store.ErrFull, 503},
	"store.ErrNewerSchema":  {store.ErrNewerSchema, 500},
	"store.ErrInvalid":      {store.ErrInvalid, 500},
	"store.ErrBound":        {store.ErrBound, 500},
	"store.ErrManyProfiles": {store.ErrManyProfiles, 403},
	"store.ErrManyTraits":   {store.ErrManyTraits, 400},
	"store.ErrNotLeader":    {store.ErrNotLeader, 500},
}

// TestSentinels reads the documents of the interfaces that tracking calls. Every error that a package declares, or that
// the comment of an interface names, is of a kind.
func TestSentinels(t *testing.T) {
	named := map[string]string{} // where an error is named, by its name
	for _, dir := range []string{"auth", "store", "track"} {
		maps.Copy(named, testenv.ErrorsNamedIn(t, filepath.Join("..", dir)))
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if _, ok := sentinels[name]; !ok {
			t.Errorf("%s names %s: declare it with its kind, and add it to sentinels", named[name], name)
		}
	}
	for _, kind := range failure.Kinds() {
		if _, ok := kindCodes[kind]; !ok {
			t.Errorf("kind %d has no code", kind)
		}
	}
	for name, want := range sentinels {
		wrapped := fmt.Errorf("store: do: %w", want.err)
		if _, _, ok := failure.Of(wrapped); !ok || asProblem(wrapped).Status != want.status {
			t.Errorf("%s: of a kind: %t, %d; want %d", name, ok, asProblem(wrapped).Status, want.status)
		}
	}
}
