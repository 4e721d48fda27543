package importer_test

import (
	"os"
	"strings"
	"testing"
)

// TestPackedFiles imports a log that bzip2 and xz compressed in two parts, whole and cut, and one that asks for more
// memory than an import has.
func TestPackedFiles(t *testing.T) {
	plain := newWorld(t)
	log, err := os.ReadFile("testdata/nginx.log")
	if err != nil {
		t.Fatal(err)
	}
	want := summary(plain.run(t, plain.config(), text("f", string(log))))
	for _, c := range []struct {
		name          string
		cut           int
		summary, want string
	}{
		{"nginx.log.bz2", 0, want, ""},
		{"nginx.log.xz", 0, want, ""},
		{"nginx.log.bz2", 200, "", "the compressed data"},
		{"nginx.log.xz", 200, "", "ends too early"},
		{"large-dictionary.xz", 0, "0/0 rows=0 stored=0", "dictionary size exceeds"},
	} {
		file, err := os.ReadFile("testdata/packed/" + c.name)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t)
		report := w.run(t, w.config(), text("f", string(file[:len(file)-c.cut])))
		if got := summary(report); c.summary != "" && got != c.summary {
			t.Errorf("%s: %s, want %s", c.name, got, c.summary)
		}
		if got := report.Sources[0].Problem; !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s without %d bytes: %q, want %q", c.name, c.cut, got, c.want)
		}
	}
}
