package httpapi

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// sentinels are the errors that packages declare for callers of their interfaces, with the response to each.
var sentinels = map[string]struct {
	err    error
	status int
	text   string
}{
	"auth.ErrRequired":  {auth.ErrRequired, 401, "Authentication required"},
	"auth.ErrMissing":   {auth.ErrMissing, 401, "Authentication required"},
	"auth.ErrInvalid":   {auth.ErrInvalid, 401, "Authentication required"},
	"auth.ErrForbidden": {auth.ErrForbidden, 403, "Insufficient permissions"},
	"auth.ErrNotFound":  {auth.ErrNotFound, 404, "Not found"},
	"auth.ErrExists":    {auth.ErrExists, 409, "A key with this id already exists"},
	"auth.ErrConflict": {auth.ErrConflict, 409,
		"The key was changed at the same time, so this change was not made: try again"},
	"auth.ErrNoID":     {auth.ErrNoID, 500, "Something went wrong on our side"},
	"auth.ErrBadKey":   {auth.ErrBadKey, 400, "The request is not valid"},
	"auth.ErrRevoked":  {auth.ErrRevoked, 409, "The key is revoked"},
	"auth.ErrExpired":  {auth.ErrExpired, 409, "The key is expired"},
	"auth.ErrDisabled": {auth.ErrDisabled, 409, "The key is disabled"},
	"auth.ErrBound": {mistake.Within("an owner", "keys", 3, 2), 409,
		"An owner may have at most 2 keys, and would have 3"},
	"audit.ErrConflict": {audit.ErrConflict, 500, "Something went wrong on our side"},
	"audit.ErrTampered": {audit.ErrTampered, 500, "Something went wrong on our side"},
	"audit.ErrFull":     {audit.ErrFull, 503, "The service cannot answer now; try again later"},
	"audit.ErrClosed":   {audit.ErrClosed, 503, "The service cannot answer now; try again later"},
	"audit.ErrBadQuery": {audit.ErrBadQuery, 400, "The request is not valid"},
	"erasure.ErrUnable": {erasure.ErrUnable, 500, "Something went wrong on our side"},
	"flags.ErrInvalid":  {flags.ErrInvalid, 400, "The request is not valid"},
	"flags.ErrNotFound": {flags.ErrNotFound, 404, "Flag not found"},
	"flags.ErrExists":   {flags.ErrExists, 409, "A flag with this key already exists"},
	"flags.ErrConflict": {flags.ErrConflict, 412, "The flag was changed meanwhile"},
	"flags.ErrBusy":     {flags.ErrBusy, 503, "The service cannot answer now; try again later"},
	"query.ErrMisplaced": {query.Errors{{Code: query.Invalid, Message: "in the address", Err: query.ErrMisplaced}},
		400, "in the address"},
	"query.ErrNotEraser":   {query.ErrNotEraser, 500, "Something went wrong on our side"},
	"query.ErrNotExpirer":  {query.ErrNotExpirer, 500, "Something went wrong on our side"},
	"query.ErrNotRemover":  {query.ErrNotRemover, 500, "Something went wrong on our side"},
	"query.ErrNoTotals":    {query.ErrNoTotals, 500, "Something went wrong on our side"},
	"store.ErrUnavailable": {store.ErrUnavailable, 503, "The service cannot answer now; try again later"},
	"store.ErrTooLarge":    {store.ErrTooLarge, 400, "The answer is too large: ask for fewer rows"},
	"store.ErrTooMuch": {store.ErrTooMuch, 400,
		"The query needs more than one query may use: ask for a shorter range"},
	"store.ErrNotFound":    {store.ErrNotFound, 404, "Not found"},
	"store.ErrLocked":      {store.ErrLocked, 503, "The service cannot answer now; try again later"},
	"store.ErrCorrupt":     {store.ErrCorrupt, 500, "Something went wrong on our side"},
	"store.ErrFull":        {store.ErrFull, 503, "The service cannot store changes: its disk is full"},
	"store.ErrNewerSchema": {store.ErrNewerSchema, 500, "Something went wrong on our side"},
	"store.ErrNotLeader":   {store.ErrNotLeader, 500, "Something went wrong on our side"},
	"store.ErrInvalid":     {store.ErrInvalid, 400, "The request is not valid"},
	"flags.ErrBound": {flags.CheckOwner(flags.MaxOwnerSets + 1), 409,
		"An owner may have at most 33554432 bytes of flags and target groups, and would have 33554433"},
	"store.ErrBound": {mistake.Within("a website", "definitions", 201, 200), 409,
		"A website may have at most 200 definitions, and would have 201"},
	"store.ErrManyProfiles": {store.ErrManyProfiles, 409, "The website has as many profiles as it may have"},
	"store.ErrManyTraits":   {store.ErrManyTraits, 409, "The profile has as many traits as it may have"},
}

// TestSentinels reads the documents of the interfaces that handlers call. Every error that a package declares, or that
// the comment of an interface names, is of a kind, and each kind has a row in the table of errors.
func TestSentinels(t *testing.T) {
	named := map[string]string{} // where an error is named, by its name
	for _, dir := range []string{"auth", "auth/audit", "erasure", "exporter", "flags", "health", "query",
		"internal/saved", "store"} {
		maps.Copy(named, testenv.ErrorsNamedIn(t, filepath.Join("..", filepath.FromSlash(dir))))
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if _, ok := sentinels[name]; !ok {
			t.Errorf("%s names %s: declare it with its kind, and add it to sentinels", named[name], name)
		}
	}
	for _, kind := range failure.Kinds() {
		if rowOf(failure.New(kind, "x")) < 0 {
			t.Errorf("kind %d has no row in errorTable", kind)
		}
	}
	for name, want := range sentinels {
		if named[name] == "" {
			t.Errorf("no package declares %s", name)
		}
		wrapped := fmt.Errorf("store/meta: do: %w: %w", want.err, errSecret)
		got := problemOf(wrapped)
		if rowOf(wrapped) < 0 || got.Status != want.status || got.Message != want.text {
			t.Errorf("%s: row %d, %d %q; want %d %q", name, rowOf(wrapped), got.Status, got.Message, want.status,
				want.text)
		}
	}
}
