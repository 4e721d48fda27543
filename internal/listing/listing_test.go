package listing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/listing"
)

func TestPages(t *testing.T) {
	at := func(text string) listing.Position {
		ms, id, _ := strings.Cut(text, " ")
		p, err := listing.Parse(map[string]string{"1": "1000", "2": "2000"}[ms] + ":" + id)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, tc := range []struct {
		page listing.Page
		want string
	}{
		{listing.Page{}, "1 b,2 a,2 c"},
		{listing.Page{Limit: 2}, "1 b,2 a"},
		{listing.Page{Limit: 2, After: at("2 a")}, "2 c"},
		{listing.Page{Limit: 9, After: at("2 b")}, "2 c"}, // a record that was removed
		{listing.Page{After: at("2 c")}, ""},
	} {
		got := strings.Join(listing.Of([]string{"2 c", "1 b", "2 a"}, tc.page, at), ",")
		if got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.page, got, tc.want)
		}
	}
}

func TestPositionsAreTexts(t *testing.T) {
	p := listing.Position{At: time.UnixMilli(-5).UTC(), ID: "a:b"}
	if got, err := listing.Parse(p.String()); err != nil || got != p {
		t.Errorf("%q: %v, %v", p, got, err)
	}
	for _, text := range []string{"", "1", "1:", ":a", "a:b", "1.5:a"} {
		if p, err := listing.Parse(text); err == nil {
			t.Errorf("%q: %v", text, p)
		}
	}
}
