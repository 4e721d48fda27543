package reference

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

func TestPathOf(t *testing.T) {
	for _, tt := range [][2]string{
		{"", ""}, {"/", "/"}, {"///", "/"}, {"/a/", "/a"}, {"/a//", "/a"}, {"/a?b=/c/", "/a"}, {"/a#b", "/a"},
		{"?x", "/"}, {"https://x.example", "/"}, {"https://x.example?y", "/"},
		{"https://u:p@x.example:80/a/b/?c#d", "/a/b"},
		{"/100%", "/100%"}, {"/Ä b", "/Ä b"}, {"/a\tb\n", "/ab"}, {"docs", "docs"},
		{"/go/https://x.example/y", "/go/https://x.example/y"},
		{"/de/k%c3%bcche", "/de/küche"}, {"/ku\u0308che", "/küche"}, {"/%41%2f%ff%20", "/A%2F%FF%20"},
		{"/%%34%31", "/A"}, {"/%e2%80%8b", "/%E2%80%8B"},
		{"%68ttps://x.example/a", "/a"}, {"/%C3%A4%C%41\u0301", "/ä%C\u00c1"},
	} {
		if got := pathOf(tt[0]); got != tt[1] {
			t.Errorf("%q: got %q, want %q", tt[0], got, tt[1])
		}
	}
}

func TestReduce(t *testing.T) {
	n := newNames()
	for _, tt := range [][2]string{
		{"google.com", "google.com"}, {"https://www.Google.com:443/search?q=a@b", "google.com"},
		{"google.co.uk", "google.com"}, {"cse.google.com", "google.com"},
		{"google.com.evil.example", "google.com.evil.example"}, {"notgoogle.com", "notgoogle.com"},
		{"http://user:pw@Blog.Example.org:8080/x", "blog.example.org"}, {"example.org.", "example.org"},
		{"www.www.example.org", "www.example.org"}, {"Google", ""}, {"", ""}, {"direct", ""},
	} {
		if got := n.reduce(tt[0]); got != tt[1] {
			t.Errorf("%q: got %q, want %q", tt[0], got, tt[1])
		}
	}
}

// Each case has a text of the field, the filter, and whether it holds.
func TestFilters(t *testing.T) {
	n := newNames()
	for _, tt := range []struct {
		field, have, op, value string
		want                   bool
	}{
		{"path", "/a", "eq", "https://x.example/a/?q", true},
		{"path", "/a", "ne", "/a/", false},
		{"path", "", "eq", "", true},
		{"path", "/", "eq", "", false},
		{"path", "/a", "starts_with", "/a/", false},
		{"path", "/100%", "contains", "0%", true},
		{"path", "/100x", "contains", "0%", false},
		{"path", "/axb", "contains", "a_b", false},
		{"path", "/A", "eq", "/a", false},
		{"path", "/b", "in", "/a/|/b/", true},
		{"path", "/b", "not_in", "/a|/c", true},
		{"referrer", "google.com", "eq", "google", true},
		{"referrer", "google.com", "eq", "https://www.google.de/x", true},
		{"referrer", "google.com.evil.example", "eq", "google", false},
		{"referrer", "google.com", "ne", "GOOGLE", false},
		{"referrer", "", "eq", "direct", true},
		{"referrer", "", "eq", "Direct", true},
		{"referrer", "", "eq", "", true},
		{"referrer", "", "ne", "google", true},
		{"referrer", "", "ne", "direct", false},
		{"referrer", "example.org", "in", "direct|www.example.org:80", true},
		{"referrer", "google.com", "contains", "OOGLE.C", true},
		{"referrer", "news.ycombinator.com", "contains", "hacker n", true},
		{"referrer", "news.ycombinator.com", "not_contains", "hacker n", false},
		{"referrer", "news.ycombinator.com", "not_contains", "ycomb", false},
		{"referrer", "", "contains", ".", false},
		{"country", "DE", "eq", "de", true},
		{"country", "DE", "eq", "GERMANY", true},
		{"country", "DE", "in", "France|Germany", true},
		{"country", "DE", "ne", "FR", true},
		{"country", "", "ne", "FR", true},
		{"country", "", "eq", "", true},
		{"country", "DE", "contains", "Germ", true},
		{"country", "DE", "contains", "DE", false},
		{"country", "DE", "starts_with", "Ger", true},
		{"country", "", "not_contains", "Ger", true},
		{"device_type", "mobile", "eq", "Mobile", true},
		{"browser_name", "Chrome", "starts_with", "CHR", true},
		{"os_name", "macOS", "not_in", "MACOS|x", false},
		{"utm_source", "News", "eq", "news", false},
		{"utm_source", "", "not_contains", "x", true},
		{"language", "de", "in", "en|de", true},
	} {
		values := []string{tt.value}
		if strings.HasSuffix(tt.op, "in") {
			values = strings.Split(tt.value, "|")
		}
		f := n.condition(leaf(tt.field, tt.op, values...))
		if got := n.compares(f, tt.have); got != tt.want {
			t.Errorf("%s %q %s %q: got %v", tt.field, tt.have, tt.op, tt.value, got)
		}
	}
}

func TestRefusedFilters(t *testing.T) {
	top := (Type{Kind: store.KindWebsite, Filters: rowFields()}).Allows
	for _, f := range []Filter{
		leaf("title", "eq", "x"), leaf("path", "like", "x"), leaf("path", "eq"), leaf("path", "eq", "a", "b"),
		leaf("path", "in"),
	} {
		if (place{allows: top}).check([]Filter{f}) == nil {
			t.Errorf("the invalid filter %v was accepted", f)
		}
	}
}
