package sightline

import (
	"reflect"
	"testing"

	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/track"
)

// sharedParts names the fields of options that have the type of a part of the service: an option that is a part could
// differ between handlers.
func sharedParts(options any) (names []string) {
	parts := map[reflect.Type]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if k := f.Type.Kind(); f.Type.Name() != k.String() && k != reflect.Map {
			parts[f.Type] = true
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(options)) {
		// locations are of tracking alone
		other := f.Type.Kind() == reflect.Interface && f.Type != reflect.TypeFor[track.Geo]()
		if parts[f.Type] || other {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestOptionsHaveNoParts proves that a part of the service is given in one place: no option has its type. The Config of
// a handler, which has parts, shows that the test can fail.
func TestOptionsHaveNoParts(t *testing.T) {
	for _, options := range []any{query.EngineOptions{}, httpapi.Options{}, track.Options{}, audit.Options{}} {
		if names := sharedParts(options); names != nil {
			t.Errorf("%T has parts: %q", options, names)
		}
	}
	for _, parts := range []any{query.Config{}, httpapi.Config{}, track.Config{}, audit.Config{}} {
		if names := sharedParts(parts); len(names) < 3 {
			t.Errorf("%T has only %q; the test overlooks parts", parts, names)
		}
	}
}
