// Package demo makes up traffic for one website, one short link and one uptime
// monitor: plausible in its shape, and a function of the seed and the clock alone.
//
// Every row belongs to an instant, and whether it exists, what it says and which id
// it has depends on nothing but the seed and that instant's neighbourhood. So rows
// made for [a, b) and then for [b, c) are the rows made for [a, c), whoever asked,
// however often and in whatever process.
package demo

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// DefaultSessionsPerDay makes, with its pages, events, visits and checks, about
// 200 000 rows in 90 days, and a span beside each of their 60 000 exits.
const DefaultSessionsPerDay = 272

// Config says for whom traffic is made.
type Config struct {
	Seed     uint64 // 0 is a seed like any other
	Website  string // id; empty makes no traffic of a website
	Domain   string // host of the website, for addresses and own referrers
	Link     string // id; empty makes no visits
	Schedule string // id; empty makes no checks
	PerDay   int    // sessions on an ordinary weekday; 0 means DefaultSessionsPerDay
}

// A Generator makes traffic. It is immutable and safe for concurrent use.
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

// Batch makes all rows with from <= time < to, each kind in order of time.
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

// A slot is an hour since 1970 in UTC: what traffic is made by.
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

// cut keeps the rows of [from, to) and sorts them, so that a batch lies in the store
// as a live stream of the same rows would.
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
