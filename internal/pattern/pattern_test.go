package pattern_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/pattern"
)

// A canonical pattern finds what the pattern finds, and has no names, captures or letters of any case.
func TestParse(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", "(?:)"}, {"^/docs$", `(?-m:\A/docs$)`}, {"(?i)kä", "[Kk\u212a][Ää]"}, {".", "(?-s:.)"},
		{"(?s).", "(?s:.)"},
		{"(?P<name>a+)b", "a+b"}, {"(?<n>(a*)*)", "(?:a*)*"}, {`\pN`, ""}, {"(?m)^a$", "(?m:^a$)"}, {`\Q.*\E`, `\.\*`},
		{"a|bc|(?i:d)", ""},
	} {
		got, err := pattern.Parse(row.text)
		if err != nil || row.want != "" && got != row.want {
			t.Errorf("%q: got %q, %v; want %q", row.text, got, err, row.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"a(b", `is not a regular expression: missing closing ): "a(b"`},
		{"*a", `is not a regular expression: missing argument to repetition operator: "*"`},
		{`\pX`, `is not a regular expression: invalid character class range: "\\pX"`},
		{"(?=a)", `is not a regular expression: invalid or unsupported Perl syntax: "(?="`},
		{strings.Repeat("ü", 251), "may have at most 500 bytes, not 502"},
		{`\pL{1000}`, "is too large a regular expression: use fewer repetitions or fewer classes of characters"},
	} {
		if got, err := pattern.Parse(row.text); err == nil || err.Error() != row.want {
			t.Errorf("%q: got %q, %v; want %q", row.text, got, err, row.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"(?i)kſ", "^(a|b*)+?$", `[^\n\PL]\b`, "(?mUs-i)x.$", "a{2,3}|"} {
		f.Add(seed, "KSab\nx")
	}
	f.Fuzz(func(t *testing.T, text, s string) {
		canonical, err := pattern.Parse(text)
		if err != nil {
			return
		}
		original, err := regexp.Compile(text)
		if err != nil {
			t.Fatalf("%q is refused: %v", text, err)
		}
		same, err := regexp.Compile(canonical)
		if err != nil {
			t.Fatalf("%q, of %q, is refused: %v", canonical, text, err)
		}
		if original.MatchString(s) != same.MatchString(s) {
			t.Fatalf("%q and %q differ in %q", text, canonical, s)
		}
	})
}
