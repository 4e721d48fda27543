package importer_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// TestCutGzip imports a gzip file that is cut at several places. Every line that can be decompressed as a whole must be
// taken.
func TestCutGzip(t *testing.T) {
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	var log strings.Builder
	for i := range 3000 {
		log.WriteString(line(day.Add(time.Duration(i)*time.Second), fmt.Sprintf("10.0.%d.%d", i/250, i%250),
			fmt.Sprintf("/%x", i*i*7919)))
	}
	whole := compressed(t, ".gz", []byte(log.String()))
	for _, share := range []float64{0.1, 0.5, 0.9, 0.9999} {
		cut := whole[:int(share*float64(len(whole)))]
		z, err := gzip.NewReader(bytes.NewReader(cut))
		if err != nil {
			t.Fatal(err)
		}
		readable, err := io.ReadAll(z)
		if err == nil {
			t.Fatal("the cut file has no error")
		}
		want := int64(bytes.Count(readable, []byte("\n")))
		w := newWorld(t)
		report := w.run(t, w.config(), text("f", string(cut)))
		if report.Taken != want || want == 0 || !strings.Contains(report.Sources[0].Problem, "ends too early") {
			t.Errorf("%.2f of the file: %s, %q; want %d lines", share, summary(report), report.Sources[0].Problem, want)
		}
	}
}

// TestMixedEncodings imports lines in UTF-8 and in Latin-1 from one file. No line is lost.
func TestMixedEncodings(t *testing.T) {
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	w := newWorld(t)
	var log string
	for _, path := range []string{"/caf\xc3\xa9", "/caf\xe9", "/caf%C3%A9", "/caf%E9"} {
		log += line(day, "192.0.2.1", path)
	}
	report := w.run(t, w.config(), text("f", log))
	var paths []string
	for _, e := range w.rows.Events {
		paths = append(paths, e.Path)
	}
	if got := summary(report); got != "4/4 rows=4 stored=4" || len(paths) != 4 || paths[0] != paths[2] {
		t.Errorf("%s, paths %q", got, paths)
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, "/caf") || strings.ToValidUTF8(p, "") != p {
			t.Errorf("path %q", p)
		}
	}
}

// TestEmptyFiles imports files without content, plain and compressed.
func TestEmptyFiles(t *testing.T) {
	for name, content := range map[string]string{
		"0 bytes": "", "empty gzip": string(compressed(t, ".gz", nil)),
		"empty zstd": string(compressed(t, ".zst", []byte(""))), "only a mark": "\xef\xbb\xbf",
	} {
		w := newWorld(t)
		report := w.run(t, w.config(), text(name, content))
		if got := summary(report); got != "0/0 rows=0 stored=0" || report.Sources[0].Problem != "" {
			t.Errorf("%s: %s, problem %q", name, got, report.Sources[0].Problem)
		}
	}
}
