package ask

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

func TestCutKeepsWholeCharacters(t *testing.T) {
	long := strings.Repeat("ü", 1000)
	if got := mistake.Cut(long); utf8.RuneCountInString(got) != 65 || !strings.HasSuffix(got, "ü…") {
		t.Errorf("cut: %q", got)
	}
	if got := mistake.Quote(long); len(got) > 200 || !utf8.ValidString(got) {
		t.Errorf("quote: %q", got)
	}
	if got := mistake.Cut("short"); got != "short" {
		t.Errorf("cut: %q", got)
	}
}
