package uuid_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/uuid"
)

func TestVersions(t *testing.T) {
	now := time.UnixMilli(1_772_625_600_123)
	for _, tt := range []struct {
		version string
		make    func() string
	}{{"4", uuid.Random}, {"7", func() string { return uuid.At(now) }},
		{"7", func() string { return uuid.Nth(now, 4095) }}} {
		version, make := tt.version, tt.make
		form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-` + version +
			`[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
		seen := map[string]bool{}
		for range 1000 {
			id := make()
			if !form.MatchString(id) || seen[id] {
				t.Fatalf("version %s: %s, again: %t", version, id, seen[id])
			}
			seen[id] = true
		}
	}
}

// TestAtIsOrdered checks that ids begin with their millisecond.
func TestAtIsOrdered(t *testing.T) {
	last := uuid.At(time.UnixMilli(0))
	for ms := int64(1); ms < 1<<46; ms *= 3 {
		next := uuid.At(time.UnixMilli(ms))
		if next <= last {
			t.Errorf("%s of %d ms is not after %s", next, ms, last)
		}
		last = next
	}
	if id := uuid.At(time.UnixMilli(0x0123_4567_89ab)); id[:13] != "01234567-89ab" {
		t.Error(id)
	}
}

func TestNthRises(t *testing.T) {
	before, now := "", time.UnixMilli(1_772_625_600_123)
	for n := range 4096 {
		id := uuid.Nth(now, n)
		if id <= before {
			t.Fatalf("id %d is %s, after %s", n, id, before)
		}
		before = id
	}
	if later := uuid.Nth(now.Add(time.Millisecond), 0); later <= before {
		t.Errorf("the first id of the next millisecond is %s, after %s", later, before)
	}
}
