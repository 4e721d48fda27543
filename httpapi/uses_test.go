package httpapi

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/front"
)

// TestRoutesWhoseUsesAreRecordedOneByOne lists the routes that change data, and one that is rarely used.
func TestRoutesWhoseUsesAreRecordedOneByOne(t *testing.T) {
	var got []string
	for _, r := range (&api{cfg: Config{Minter: &fakeMinter{}, Flags: newFlags(t, &flags.Memory{})}}).mounted(nil,
		nil) {
		if r.Credentials != front.NoCredentials && !r.Use {
			got = append(got, r.Method+" "+r.Path)
		}
	}
	slices.Sort(got)
	want := []string{
		"DELETE /public/v1/flags/{id}", "PATCH /public/v1/flags/{id}", "POST /public/v1/flags",
		"POST /v1/query/compile", "POST /v1/tokens",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
