// Package tracktest has the conformance tests for implementations of track.Salts:
//
//	func TestSalts(t *testing.T) {
//		tracktest.RunSalts(t, func(t *testing.T) tracktest.Opener {
//			at := newDatabase(t)
//			return func(now func() time.Time) track.Salts { return openSalts(t, at, now) }
//		})
//	}
//
// Each failed case prints the rule that it checks.
package tracktest

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// An Opener opens the salts of one place, with a clock. Each call is like a new process. An Opener closes what it
// opened with t.Cleanup.
type Opener func(now func() time.Time) track.Salts

// RunSalts tests the salts of the places that create returns. create is called once for each case, with an empty place.
func RunSalts(t *testing.T, create func(t *testing.T) Opener) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			b := &bench{t: t, why: c.why, open: create(t), now: noon()}
			c.run(b)
		})
	}
}

type testCase struct {
	name string
	why  string
	run  func(*bench)
}

func cases() []testCase {
	return []testCase{
		{"random", "A salt has at least 16 random bytes.", random},
		{"one a day", "A UTC day has one salt, whatever the hour and the zone of the time.", oneADay},
		{"days differ", "Every day has another salt.", daysDiffer},
		{"restart", "A process that starts gets the salts that exist.", restart},
		{"first calls at once", "Of concurrent first calls in several processes all get the same salt.", firstCalls},
		{"until the end of the next day", "The salt of a day is available until the end of the next day.", nextDay},
		{"destroyed", "After the next day nobody gets the salt, not even after a restart or with a clock that was set back.", destroyed},
		{"future", "Tomorrow has a salt, since clocks differ. Later days have none.", future},
		{"own copy", "A caller that changes a salt does not change it for others.", ownCopy},
	}
}

// bench runs a case.
type bench struct {
	t    *testing.T
	why  string
	open Opener

	mu  sync.Mutex
	now time.Time
}

const day = 24 * time.Hour

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// start opens the salts as a new process.
func (b *bench) start() track.Salts {
	return b.open(func() time.Time {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.now
	})
}

func (b *bench) set(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = now
}

func (b *bench) failf(format string, args ...any) {
	b.t.Helper()
	b.t.Errorf(format, args...)
	b.t.Fatalf("the rule: %s", b.why)
}

func (b *bench) salt(s track.Salts, at time.Time) []byte {
	b.t.Helper()
	salt, err := s.Salt(b.t.Context(), at)
	if err != nil {
		b.failf("the salt of %v at %v: %v", at, b.now, err)
	}
	return salt
}

func (b *bench) refused(s track.Salts, at time.Time, want error) {
	b.t.Helper()
	if salt, err := s.Salt(b.t.Context(), at); !errors.Is(err, want) || salt != nil {
		b.failf("the salt of %v at %v = %x, %v; want the error %q", at, b.now, salt, err, want)
	}
}

func random(b *bench) {
	salt := b.salt(b.start(), noon())
	if len(salt) < 16 || bytes.Count(salt, salt[:1]) == len(salt) {
		b.failf("the salt is %x", salt)
	}
}

func oneADay(b *bench) {
	s := b.start()
	want := b.salt(s, noon())
	for _, at := range []time.Time{
		noon().Add(-12 * time.Hour), noon().Add(12*time.Hour - 1),
		noon().In(time.FixedZone("east", 14*60*60)), noon().Add(11 * time.Hour).In(time.FixedZone("west", -11*60*60)),
	} {
		if got := b.salt(s, at); !bytes.Equal(got, want) {
			b.failf("%v has another salt than noon", at)
		}
	}
}

func daysDiffer(b *bench) {
	s := b.start()
	seen := map[string]bool{}
	for _, at := range []time.Time{noon().Add(-day), noon(), noon().Add(day)} {
		seen[string(b.salt(s, at))] = true
	}
	b.set(noon().Add(2 * day))
	if seen[string(b.salt(s, noon().Add(2*day)))] = true; len(seen) != 4 {
		b.failf("4 days have %d salts", len(seen))
	}
}

func restart(b *bench) {
	s := b.start()
	yesterday, today := b.salt(s, noon().Add(-day)), b.salt(s, noon())
	s = b.start()
	if !bytes.Equal(b.salt(s, noon()), today) || !bytes.Equal(b.salt(s, noon().Add(-day)), yesterday) {
		b.failf("another salt after a restart")
	}
}

func firstCalls(b *bench) {
	const processes, workers = 4, 16
	var opened [processes]track.Salts
	for i := range opened {
		opened[i] = b.start()
	}
	tomorrow := noon().Add(day) // nobody asked for it yet
	var salts [workers][]byte
	var errs [workers]error
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { salts[w], errs[w] = opened[w%processes].Salt(context.WithoutCancel(b.t.Context()), tomorrow) })
	}
	all.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		b.failf("%v", err)
	}
	for _, one := range salts {
		if !bytes.Equal(one, salts[0]) {
			b.failf("one day has several salts: %x", salts)
		}
	}
}

func nextDay(b *bench) {
	s := b.start()
	first := b.salt(s, noon())
	for _, later := range []time.Time{noon().Add(12*time.Hour - 1), noon().Add(12 * time.Hour),
		noon().Add(36*time.Hour - 1)} {
		b.set(later)
		b.salt(s, later)
		b.maintain(s)
		if !bytes.Equal(b.salt(s, noon()), first) || !bytes.Equal(b.salt(b.start(), noon()), first) {
			b.failf("at %v the salt of %v is another one", later, noon())
		}
	}
}

// maintain runs the maintenance of salts that have it.
func (b *bench) maintain(s track.Salts) {
	b.t.Helper()
	if m, ok := s.(store.Maintainer); ok {
		if err := m.Maintain(b.t.Context()); err != nil {
			b.failf("Maintain: %v", err)
		}
	}
}

func destroyed(b *bench) {
	s := b.start()
	first := b.salt(s, noon())
	b.set(noon().Add(36 * time.Hour)) // the first instant after the next day
	b.refused(s, noon(), store.ErrNotFound)
	b.refused(b.start(), noon(), store.ErrNotFound)
	b.refused(s, noon().Add(-1000*day), store.ErrNotFound)
	b.salt(s, b.now)
	b.maintain(s)
	b.set(noon())
	for _, one := range []track.Salts{s, b.start()} {
		if salt, err := one.Salt(b.t.Context(), noon()); err == nil && bytes.Equal(salt, first) {
			b.failf("the destroyed salt came back")
		}
	}
}

func future(b *bench) {
	s := b.start()
	tomorrow := b.salt(s, noon().Add(36*time.Hour-1))
	b.refused(s, noon().Add(36*time.Hour), store.ErrInvalid)
	b.set(noon().Add(day))
	if !bytes.Equal(b.salt(s, b.now), tomorrow) {
		b.failf("the salt of tomorrow changed overnight")
	}
}

func ownCopy(b *bench) {
	s := b.start()
	for range 2 { // the second one may come from a cache
		clear(b.salt(s, noon()))
	}
	if salt := b.salt(s, noon()); bytes.Count(salt, []byte{0}) == len(salt) {
		b.failf("the salt is all zeros")
	}
}
