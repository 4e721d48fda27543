// Package demo generates plausible traffic for a website, a short link and an uptime monitor.
//
// Rows depend only on the seed and on the time. So every process and every call generates the same rows, and the rows
// of [a, b) and of [b, c) together equal the rows of [a, c).
package demo

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// DefaultSessionsPerDay gives about 200 000 rows of pages, events, visits and checks in 90 days, and 60 000 spans, one
// for each exit.
const DefaultSessionsPerDay = 272

// Config names the website, link and monitor.
type Config struct {
	Seed     uint64 // any value, including 0
	Website  string // id; empty means no rows of a website
	Domain   string // host of the website, for its addresses and for referrers within it
	Link     string // id; empty means no link visits
	Schedule string // id; empty means no checks
	PerDay   int    // sessions on an ordinary weekday; 0 means DefaultSessionsPerDay
}

// A Generator generates traffic. It is immutable and safe for concurrent use.
type Generator struct {
	cfg Config
}

// New returns a generator for cfg.
func New(cfg Config) *Generator {
	if cfg.PerDay == 0 {
		cfg.PerDay = DefaultSessionsPerDay
	}
	return &Generator{cfg: cfg}
}

// longest is more than the time between the first and the last row of any session.
const longest = 4 * time.Hour

// Batch returns all rows with from <= time < to, each kind ordered by time.
func (g *Generator) Batch(from, to time.Time) *store.Batch {
	all := &store.Batch{}
	for slot := slotOf(from.Add(-longest)); slot <= slotOf(to); slot++ {
		g.sessions(all, slot)
		g.payments(all, slot)
		g.visits(all, slot)
		g.checks(all, slot)
		g.blocked(all, slot)
	}
	return cut(all, from, to)
}

// A slot is an hour, counted since 1970 in UTC. Traffic is generated slot by slot.
type slot int64

func slotOf(t time.Time) slot { return slot(floorDiv(t.Unix(), 3600)) }

func (s slot) start() time.Time { return time.Unix(int64(s)*3600, 0).UTC() }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// cut removes the rows outside [from, to) and sorts the others by time, as if they had arrived live.
func cut(b *store.Batch, from, to time.Time) *store.Batch {
	return &store.Batch{
		Events:  within(b.Events, from, to, func(e store.Event) time.Time { return e.Time }),
		Errors:  within(b.Errors, from, to, func(e store.Error) time.Time { return e.Time }),
		Vitals:  within(b.Vitals, from, to, func(v store.Vital) time.Time { return v.Time }),
		Spans:   within(b.Spans, from, to, func(s store.Span) time.Time { return s.Time }),
		Visits:  within(b.Visits, from, to, func(v store.Visit) time.Time { return v.Time }),
		Checks:  within(b.Checks, from, to, func(c store.Check) time.Time { return c.Time }),
		Blocked: within(b.Blocked, from, to, func(o store.Blocked) time.Time { return o.Time }),
	}
}

func within[T any](rows []T, from, to time.Time, at func(T) time.Time) []T {
	kept := slices.DeleteFunc(rows, func(row T) bool {
		t := at(row)
		return t.Before(from) || !t.Before(to)
	})
	slices.SortStableFunc(kept, func(a, b T) int { return at(a).Compare(at(b)) })
	return kept
}
