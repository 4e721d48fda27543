package requestid_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/requestid"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, sent string
		kept       bool
	}{
		{"a clean id is kept", "req_1.a-B", true},
		{"an id of the maximum length", strings.Repeat("a", 128), true},
		{"a longer id is replaced", strings.Repeat("a", 129), false},
		{"none", "", false},
		{"a space breaks a log line", "a b", false},
		{"a line break breaks a header", "a\nb", false},
		{"markup breaks a page", "<b>", false},
		{"letters of other alphabets", "ü", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &http.Request{Header: http.Header{}}
			r.Header.Set(requestid.Header, c.sent)
			want := "fresh"
			if c.kept {
				want = c.sent
			}
			if got := requestid.Of(r, func() string { return "fresh" }); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
