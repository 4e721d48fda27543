package mistake

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutKeepsWholeCharacters(t *testing.T) {
	long := strings.Repeat("ü", 1000)
	if got := Cut(long); utf8.RuneCountInString(got) != 65 || !strings.HasSuffix(got, "ü…") {
		t.Errorf("cut: %q", got)
	}
	if got := Quote(long); len(got) > 200 || !utf8.ValidString(got) {
		t.Errorf("quote: %q", got)
	}
	if got := Cut("short"); got != "short" {
		t.Errorf("cut: %q", got)
	}
}
