package query

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNearest(t *testing.T) {
	names := []string{"summary", "summary_metrics", "pages", "entry_pages", "exit_pages", "traffic", "countries",
		"browser_name", "os_name", "device_types", "sessions", "errors", "performance", "link_total_clicks"}
	for _, row := range []struct{ why, name, want string }{
		{"a letter is missing", "summry", "summary"},
		{"two letters are swapped", "pgaes", "pages"},
		{"a letter is wrong", "trafic", "traffic"},
		{"case does not count", "Summary", "summary"},
		{"nor does the separator", "entry-pages", "entry_pages"},
		{"nor its absence", "deviceTypes", "device_types"},
		{"the first one that it begins", "browser", "browser_name"},
		{"short names begin one too", "os", "os_name"},
		{"nothing near", "revenue", ""},
		{"one letter says nothing", "s", ""},
		{"nothing", "", ""},
		{"too long to be a name", strings.Repeat("summary", 100), ""},
		{"no text of any alphabet breaks it", "größe_日本", ""},
	} {
		if got := nearest(row.name, names); got != row.want {
			t.Errorf("%s: nearest(%.20q) = %q, want %q", row.why, row.name, got, row.want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abd", 1},
		{"abc", "xabc", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := edits(row.a, row.b); got != row.want {
			t.Errorf("edits(%q, %q) = %d, want %d", row.a, row.b, got, row.want)
		}
	}
}

func TestCutKeepsWholeCharacters(t *testing.T) {
	long := strings.Repeat("ü", 1000)
	if got := cut(long); utf8.RuneCountInString(got) != 65 || !strings.HasSuffix(got, "ü…") {
		t.Errorf("cut: %q", got)
	}
	if got := quote(long); len(got) > 200 || !utf8.ValidString(got) {
		t.Errorf("quote: %q", got)
	}
	if got := cut("short"); got != "short" {
		t.Errorf("cut: %q", got)
	}
}
