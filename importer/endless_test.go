package importer_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/importer"
)

// repeated reads text again and again, without an end, until the test has read more than any bound.
type repeated struct {
	text string // a page of repetitions
	read int64
	at   func(read int64) // is called before each read
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.at != nil {
		r.at(r.read)
	}
	if r.read > 4<<30 {
		return 0, errors.New("the importer reads on without an end")
	}
	n := copy(p, r.text)
	r.read += int64(n)
	return n, nil
}

func page(text string) string { return strings.Repeat(text, 64<<10/len(text)) }

var endless = map[string]string{
	"line ends": "\n", "Windows line ends": "\r\n", "old line ends": "\r", "blanks": " ", "NUL bytes": "\x00",
	"a line": "x", "commas": ",", "quotes": `"`, "an open object": `{"a":`,
	"NUL bytes and line ends": strings.Repeat("\x00", 99) + "\n",
}

// A source without an end is given up after a bounded part, with the line from which on it has nothing. What stands
// before is imported, and memory is bounded.
func TestSourcesWithoutAnEnd(t *testing.T) {
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	log := line(day, "192.0.2.1", "/good")
	all := slices.Collect(maps.Keys(endless))
	for good, rest := range map[string][]string{log: all, hit("/good") + "\n": {"commas", "blanks"},
		"ts,url\n2026-11-20,/good\n": {"quotes", "line ends"}} {
		for _, says := range rest {
			text := endless[says]
			t.Run(good[:2]+" and "+says, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				w := newWorld(t)
				cfg := w.config()
				if good != log {
					cfg.Map = map[string]string{"time": "ts"}
				}
				report := w.run(t, cfg, importer.Stream("f", io.MultiReader(strings.NewReader(good),
					&repeated{text: page(text)})))
				runtime.ReadMemStats(&after)
				problem := report.Sources[0].Problem
				if report.Taken != 1 || !strings.HasPrefix(problem, "from line ") || !strings.Contains(problem,
					"everything before was imported") {
					t.Errorf("%s, problem %q", summary(report), problem)
				}
				if held := int64(after.HeapInuse) - int64(before.HeapInuse); held > 256<<20 {
					t.Errorf("%d MiB are held", held>>20)
				}
			})
		}
	}
}

// Zeros after a compressed member are padding, but not without an end.
func TestZerosAfterGzip(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	zip := gzip.NewWriter(&file)
	_, err := io.WriteString(zip, line(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), "192.0.2.1", "/good"))
	if err := errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	report := w.run(t, w.config(), importer.Stream("f", io.MultiReader(&file, &repeated{text: page("\x00")})))
	if problem := report.Sources[0].Problem; report.Taken != 1 || !strings.Contains(problem, "1 GiB of NUL bytes") {
		t.Errorf("%s, problem %q", summary(report), problem)
	}
}

// An import ends soon after its context, whatever it reads.
func TestEndlessSourcesCanBeStopped(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, says := range []string{"line ends", "a line", "NUL bytes and line ends"} {
		ctx, cancel := context.WithCancel(t.Context())
		source := &repeated{text: page(endless[says])}
		source.at = func(read int64) {
			if read > 1<<20 {
				cancel()
			}
		}
		w := newWorld(t)
		_, err := importer.Run(ctx, w.config(), []importer.Source{importer.Stream("f",
			io.MultiReader(strings.NewReader(line(day, "192.0.2.1", "/good")), source))})
		if !errors.Is(err, context.Canceled) || source.read > 1200<<20 {
			t.Errorf("%s: %v after %d MiB", says, err, source.read>>20)
		}
		cancel()
	}
}
