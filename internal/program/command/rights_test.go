//go:build cgo

package command

import (
	"strings"
	"testing"
)

// TestFiltersOfKeysMustMeanSomething refuses keys whose filters would show more, or less, than was meant.
func TestFiltersOfKeysMustMeanSomething(t *testing.T) {
	for _, c := range []struct{ filter, fault string }{
		{"country:ne:Turkey", ""},
		{"country:in:UK,USA,Viet Nam", ""},
		{"country:contains:land", ""},
		{"country:eq:Nowhere", `"Nowhere" is not a country`},
		{"country:ne:Germny", `did you mean "Germany"?`},
		{"referrer:eq:newsletter", ""},
		{"referrer:eq:/blog", "is not a referrer"},
		{"colour:eq:red", "colour"},
	} {
		r := &rights{Filter: make([]filter, 1)}
		if err := r.Filter[0].UnmarshalText([]byte(c.filter)); err != nil {
			t.Fatal(err)
		}
		err := r.check()
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, want %q", c.filter, err, c.fault)
		}
	}
}
