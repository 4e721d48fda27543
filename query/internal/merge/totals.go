package merge

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/origin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
)

// Totals are copies of the stored states of days whose rows are removed because of their age. They were made while all
// rows were there, so answers that are merged from them stay the same. Package keep makes them before it has rows
// removed.
//
// A session may go on after midnight. Then the states of the next days, computed without its first rows, would count it
// again. So totals are also made of the days after the removed ones, as far as sessions reach. They are used only for
// answers about removed days, until their own rows change. Answers that do not touch a removed day are computed from
// the rows that are left.
//
// Unlike the names of other states, the names of totals do not depend on SQL: a later version of the program still
// reads them, unless what it counts has changed.

// The kinds of stored states.
const (
	partialKind          = iota + 1 // partials of a state set
	dictionaryKind                  // the members of sets of these partials
	totalsKind                      // totals of a state set
	totalsDictionaryKind            // the members of sets of these totals
)

// PartialKinds returns the kinds of states that can be computed again while their day has its rows.
func PartialKinds() []int64 { return []int64{partialKind, dictionaryKind} }

// TotalsKinds returns the kinds of states that stay when the rows of their day are removed because of their age.
func TotalsKinds() []int64 { return []int64{totalsKind, totalsDictionaryKind} }

// IsTotals reports whether a name is one of totals or of a dictionary of totals.
func IsTotals(name store.StateName) bool { return slices.Contains(TotalsKinds(), name.Kind) }

// IsTotalsDictionary reports whether a name is one of a dictionary of totals.
func IsTotalsDictionary(name store.StateName) bool { return name.Kind == totalsDictionaryKind }

// SetNames has the names of the stored states of a state set, and of their dictionaries by those of their members.
type SetNames struct {
	State        store.StateName
	Dictionaries map[string]store.StateName
}

// TotalsVersion returns the version of the totals of a day: of its rows, and of those of the days after it that decide
// about its sessions. snapshot has the day and the days around it.
func (set *StateSet) TotalsVersion(snapshot *days.Snapshot, day calendar.Interval) uint64 {
	after := calendar.Interval{From: day.From, To: day.To + set.Part.needs.After*calendar.Day}
	return snapshot.Version(after)
}

// Version returns the version of the rows that the states of a day are computed from. snapshot has the day and the days
// around it.
func (set *StateSet) Version(snapshot *days.Snapshot, day calendar.Interval) uint64 {
	return snapshot.Version(set.Part.needed(day))
}

// TotalsReach returns the number of days after removed ones of which totals are needed.
func (s *StateSets) TotalsReach() (reach int64) {
	for _, set := range s.All {
		reach = max(reach, set.Part.needs.Before)
	}
	return reach
}

// asTotals returns the aggregate that partials from totals of a have in memory. They were made with all rows of removed
// days, so no partial that was computed without these rows takes their place, and they take the place of none.
func asTotals(a state.Aggregate) state.Aggregate {
	a.Name = "from totals\n" + a.Name
	return a
}

// ForgetTotals drops the partials in memory that came from totals of a website.
func (mr *Merger) ForgetTotals(website store.Subject) { mr.Partials.ForgetRemoved(website) }

// expiredDays has the days of which an answer used totals or looked for them, with their [store.Day.Expired]. It
// changes when this or another process removes the totals. It is safe for concurrent use.
type expiredDays struct {
	mu sync.Mutex
	of map[store.Subject]map[int64]uint64 // by the start of the day
}

// changed notes the days of a website, and reports whether one of them changed since it was noted. Then it forgets the
// others.
func (e *expiredDays) changed(website store.Subject, all []store.Day) (changed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.of[website]
	for _, d := range all {
		before, seen := known[d.Start.UnixMilli()]
		changed = changed || seen && before != d.Expired
	}
	if known == nil || changed {
		known = map[int64]uint64{}
	}
	for _, d := range all {
		if d.Expired > 0 {
			known[d.Start.UnixMilli()] = d.Expired
		}
	}
	if e.of == nil {
		e.of = map[store.Subject]map[int64]uint64{}
	}
	e.of[website] = known
	return changed
}

// totals returns the rows of an answer about days of which some have expired, merged from totals where there are no
// rows any more. It returns nil if they cannot give the answer; then a statement has to count the rows that are left.
// lost is the time before which the answer lacks rows: zero if the rows are those that it had before, and the end of
// the last expired day without rows.
func (g *Lookup) totals(ctx context.Context, q Question) (rows *store.Rows, lost time.Time, err error) {
	end, sets := q.Expired, g.setsOf()
	if g.Snapshot == nil {
		return nil, end, nil
	}
	if err := g.Load(ctx); err != nil {
		return nil, end, err
	}
	if g.merger.expired.changed(g.p.Subject, g.Snapshot.Of(g.needed())) {
		g.merger.Partials.ForgetRemoved(g.p.Subject)
	}
	g.Site = g.merger.Partials.OfRemoved(g.p.Subject)
	if err := g.Site.Lock(ctx); err != nil {
		return nil, end, err
	}
	defer g.Site.Unlock()
	for i, of := range g.parts {
		lacks, err := g.gatherTotals(ctx, of, sets[i])
		if errors.Is(err, ErrNoRoom) || errors.Is(err, errTwice) || TooLarge(err) {
			return nil, end, nil
		}
		if err != nil {
			return nil, end, err
		}
		if lacks.After(lost) {
			lost = lacks
		}
	}
	return finish.Run(g.steps, newMerged(g), q.Among), lost, nil
}

// ofTotals returns how the answer to p is merged from totals, or nil if it is not: totals are made of all state sets,
// and of whole days.
func (mr *Merger) ofTotals(p *plan.Plan) *Lookup {
	if mr.Keeper == nil || p.Range.Timed() {
		return nil
	}
	m := mergeOnKeys(p)
	if m == nil {
		m = mergeOf(p)
	}
	if m == nil {
		return nil
	}
	if g := mr.lookup(m, origin.Totals, nil); every(g.setsOf()) {
		return g
	}
	return nil
}

// gatherTotals finds the partials of a part: of removed days in totals, and of others in other states or in rows. The
// caller holds the lock of the partials.
func (g *Lookup) gatherTotals(ctx context.Context, of *mergedPart, set *StateSet) (lacks time.Time, err error) {
	if !g.Site.Stored.IsKnown() {
		if err := g.merger.ListStored(ctx, g.Site, g.p.Subject); err != nil {
			return lacks, err
		}
	}
	for _, a := range g.aggregatesOf(of) {
		g.Site.Use([]state.Aggregate{a, asTotals(a)})
	}
	c := g.choose(of, set)
	if !c.lacks.IsZero() || c.twice { // they may have been stored since the list was read, also by another process
		if err := g.merger.ListStored(ctx, g.Site, g.p.Subject); err != nil {
			return lacks, err
		}
		c = g.choose(of, set)
	}
	if c.twice {
		return lacks, errTwice
	}
	missing := g.lookChosen(of, c)
	g.loadChosen(ctx, of, set, c, missing)
	missing = g.lookChosen(of, c)
	// they cannot be read, and are noted as such
	if slices.ContainsFunc(missing, func(i int) bool { return c.totals[i] }) {
		if c = g.choose(of, set); c.twice {
			return lacks, errTwice
		}
		missing = g.lookChosen(of, c)
	}
	return c.lacks, g.ComputeAll(ctx, of, missing, c.versions)
}

// lookChosen finds the partials of a part where c chose them from, and returns the stretches in which some are missing.
func (g *Lookup) lookChosen(of *mergedPart, c choice) (missing []int) {
	fromTotals, fromRows := slices.Clone(c.versions), slices.Clone(c.versions)
	for i, totals := range c.totals {
		if totals {
			fromRows[i] = 0 // nothing is looked for
		} else {
			fromTotals[i] = 0
		}
	}
	missing = g.Look(of, fromRows)
	for _, i := range of.aggregates {
		found, without := g.Site.Find(asTotals(g.aggregates[i].Aggregate), g.stretches, fromTotals)
		for j, p := range found {
			if c.totals[j] {
				g.Found[i][j] = p
			}
		}
		missing = append(missing, without...)
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// errTwice: sessions that began on a removed day with totals would also count on a later day, of which there are no
// totals.
var errTwice = errors.New("query: totals end within sessions")

// A choice says where the partials of a part come from, by stretch.
type choice struct {
	versions []uint64
	totals   []bool
	lacks    time.Time // the end of the last removed day without totals
	twice    bool      // see errTwice
}

// choose decides where the partials of a part come from.
func (g *Lookup) choose(of *mergedPart, set *StateSet) choice {
	c := choice{versions: g.Versions(of), totals: make([]bool, len(g.stretches))}
	stored := g.Site.Stored.Versions(set.Totals.State, g.stretches)
	for i, s := range g.stretches {
		day := DayOf(time.UnixMilli(calendar.StartOfDay(s.From)))
		before := calendar.Interval{From: day.From - set.Part.needs.Before*calendar.Day, To: day.From}
		expired, has := g.Snapshot.Expired(day), s == day && stored[i] > 0
		follows := g.Snapshot.Expired(before) && c.lacks.UnixMilli() <= before.From // removed days with totals
		switch {
		case has && expired, has && follows && stored[i] == set.TotalsVersion(g.Snapshot, day):
			c.totals[i] = true
			if c.versions[i] = stored[i]; g.Site.Stored.IsEmpty(set.Totals.State, s) {
				c.versions[i] = 0 // nothing is looked for
			}
		case expired:
			c.lacks = time.UnixMilli(day.To).UTC()
		case follows && i > 0 && g.Snapshot.Version(day) > 0:
			c.twice = true
		}
	}
	return c
}

// loadChosen loads stored states of the missing stretches of a part.
func (g *Lookup) loadChosen(ctx context.Context, of *mergedPart, set *StateSet, c choice, missing []int) {
	others := g.Site.Stored.Versions(set.Names.State, g.stretches)
	var totals, states []calendar.Interval
	for _, i := range missing {
		switch s := g.stretches[i]; {
		case c.totals[i]:
			totals = append(totals, s)
		case s.From == calendar.StartOfDay(s.From) && s.To == s.From+calendar.Day && others[i] >= c.versions[i]:
			states = append(states, s)
		}
	}
	for _, one := range []struct {
		names SetNames
		as    func(state.Aggregate) state.Aggregate
		days  []calendar.Interval
	}{{set.Totals, asTotals, totals}, {set.Names, nil, states}} {
		l := loader{Merger: g.merger, site: g.Site, website: g.p.Subject, set: set, names: one.names,
			some: g.aggregatesOf(of), as: one.as}
		for _, members := range set.Dictionaries(l.some) {
			for _, day := range one.days { // totals and other states of a day have different dictionaries
				g.Site.PutDictionary(members, day, nil)
			}
		}
		l.load(ctx, one.days)
	}
}
