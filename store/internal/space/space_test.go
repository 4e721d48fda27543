package space

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// TestCheck changes the free space of a disk, one second after the other.
func TestCheck(t *testing.T) {
	const gib = 1 << 30
	var log strings.Builder
	now, free, size := time.Unix(0, 0), int64(0), int64(0)
	var broken error
	start := func(least int64) *Guard {
		return New(Config{
			Folder: "f", Least: least, Now: func() time.Time { return now },
			Logger:  slog.New(slog.NewTextHandler(&log, nil)),
			Measure: func(string) (int64, int64, error) { return free, size, broken },
		})
	}
	for _, c := range []struct {
		why               string
		least, free, size int64
		full              bool
	}{
		{"256 MiB of a large disk", 0, 256 << 20, 100 * gib, false},
		{"less than 256 MiB of a large disk", 0, 256<<20 - 1, 100 * gib, true},
		{"5 % of a small disk", 0, gib / 20, gib, false},
		{"less than 5 % of a small disk", 0, gib/20 - 1, gib, true},
		{"a limit of one's own", gib, gib - 1, 100 * gib, true},
		{"no limit", -1, 0, gib, false},
	} {
		free, size = c.free, c.size
		if err := start(c.least).Check(); errors.Is(err, store.ErrFull) != c.full || (err == nil) == c.full {
			t.Errorf("%s: %v", c.why, err)
		}
	}

	log.Reset()
	g := start(1000)
	for _, c := range []struct {
		after time.Duration
		free  int64
		full  bool
	}{
		{0, 10, true}, {time.Second / 2, 1000, true}, {time.Second / 2, 1000, false}, {time.Second / 2, 10, false},
		{time.Second, 10, true}, {time.Second, 9, true},
	} {
		now, free = now.Add(c.after), c.free
		if err := g.Check(); (err != nil) != c.full {
			t.Errorf("%d bytes at %v: %v", c.free, now.UTC(), err)
		}
	}
	if full, again := strings.Count(log.String(), "events are refused"),
		strings.Count(log.String(), "events are accepted"); full != 2 || again != 1 {
		t.Errorf("%d warnings and %d ends, want 2 and 1:\n%s", full, again, log.String())
	}
	now, broken = now.Add(time.Second), errors.New("no such folder")
	if err := g.Check(); err != nil {
		t.Errorf("without a measurement: %v", err)
	}
}

// TestMeasure measures the disk of a folder.
func TestMeasure(t *testing.T) {
	free, size, err := measure(t.TempDir())
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system has no measurement")
	}
	if err != nil || free < 0 || size <= 0 || free > size {
		t.Errorf("%d bytes of %d are free, %v", free, size, err)
	}
}
