package memory

import (
	"context"
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// Partials holds the partials of one subject. Its numbers of keys and members are valid for it alone.
type Partials struct {
	*state.Numbering // which only the goroutine that holds the lock extends
	*Dictionaries

	Admission *Admission
	Stored    *Stored
	Rollups   *Rollups

	cache    *Cache
	subject  subject
	building chan struct{} // held by the goroutine that adds: it alone numbers keys and members
	begun    uint64        // when, on the clock of the cache

	// Guarded by cache.mu.
	aggregates map[string]*heldAggregate // by name
	size       int64                     // bytes of keys and members, and of Stored
}

// heldAggregate holds the partials of one aggregate.
type heldAggregate struct {
	of       map[calendar.Interval]version
	size     int64
	used     uint64
	found    int  // how often they were used
	tooLarge bool // they are too large for memory
}

// emptySize is about how many bytes partials take without any.
const emptySize = 256

// A version is a partial, the version of the rows that it was computed from, and the latest that
// somebody found it too old for.
type version struct {
	rows, wanted uint64
	*state.Partial
}

// Find returns the partials of an aggregate, one per stretch, and the indexes of the stretches that
// have none of that version or later. Version 0 means a stretch without rows, which is never missing. It does not count
// as a use of the partials: see Use.
func (w *Partials) Find(a state.Aggregate, stretches []calendar.Interval, versions []uint64) (found []*state.Partial,
	missing []int) {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	found = make([]*state.Partial, len(stretches))
	known := w.aggregates[a.Name]
	if known == nil {
		known = &heldAggregate{}
	}
	for i, s := range stretches {
		if versions[i] == 0 {
			continue
		}
		if v, ok := known.of[s]; ok && v.rows >= versions[i] {
			found[i] = v.Partial
		} else {
			missing = append(missing, i)
		}
	}
	return found, missing
}

// Use notes that somebody uses the partials of these aggregates.
func (w *Partials) Use(all []state.Aggregate) {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	for _, a := range all {
		if known := w.aggregates[a.Name]; known != nil {
			known.used = w.cache.tick()
			known.found++
		}
	}
}

// Has reports whether there are partials of each of these aggregates.
func (w *Partials) Has(all []state.Aggregate) bool {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return !slices.ContainsFunc(all, func(a state.Aggregate) bool {
		known := w.aggregates[a.Name]
		return known == nil || len(known.of) == 0
	})
}

// Stale returns how many of these stretches have a partial of an aggregate that is older than the given version, and
// older than the versions that were noted by Want.
func (w *Partials) Stale(a state.Aggregate, stretches []calendar.Interval, versions []uint64) (n int) {
	w.eachStale(a, stretches, versions, func(int, version) { n++ })
	return n
}

// Want notes that somebody asked for the partials of an aggregate at these versions.
func (w *Partials) Want(a state.Aggregate, stretches []calendar.Interval, versions []uint64) {
	w.eachStale(a, stretches, versions, func(i int, v version) {
		v.wanted = versions[i]
		w.aggregates[a.Name].of[stretches[i]] = v
	})
}

// eachStale calls what with the stretches that Stale counts. It holds cache.mu meanwhile.
func (w *Partials) eachStale(a state.Aggregate, stretches []calendar.Interval, versions []uint64,
	what func(i int, v version)) {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	known := w.aggregates[a.Name]
	if known == nil {
		return
	}
	for i, s := range stretches {
		if v, ok := known.of[s]; ok && max(v.rows, v.wanted) < versions[i] {
			what(i, v)
		}
	}
}

// Lock takes the lock that Add needs. It returns the error of ctx if ctx ends first.
func (w *Partials) Lock(ctx context.Context) error {
	select {
	case w.building <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unlock gives the lock back.
func (w *Partials) Unlock() { <-w.building }

// Add makes partials from b, holds them in memory, and returns them by aggregate and stretch. The caller holds the lock
// of w. Its error wraps [state.ErrTooLarge] if b is too large.
func (w *Partials) Add(b *state.Computed) ([][]*state.Partial, error) {
	made, err := b.Build(w.Numbering)
	if err != nil {
		return nil, err
	}
	w.Put(b.Aggregates, b.KeyNames, b.Stretches, b.Versions, made)
	return made, nil
}

// Put holds partials in memory, by aggregate and stretch. Their numbers are numbers of w. The caller holds the lock of
// w.
func (w *Partials) Put(aggregates []state.Aggregate, keyNames string, stretches []calendar.Interval, versions []uint64,
	made [][]*state.Partial) {
	c := w.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	grown := w.Publish(aggregates, keyNames)
	w.size += grown
	switch c.subjects[w.subject] {
	case w:
		c.size += grown
	case nil: // c forgot w meanwhile
		c.subjects[w.subject] = w
		c.size += w.size + w.Dictionaries.size
	default:
		return // and has another one
	}
	for i, a := range aggregates {
		all := w.aggregates[a.Name]
		if all == nil || len(all.of) > maxStretches {
			w.forget(a.Name)
			all = w.begin(a.Name)
		}
		all.used = c.tick()
		for j, s := range stretches {
			grown := made[i][j].Size()
			if before, ok := all.of[s]; ok {
				grown -= before.Size()
			}
			made[i][j].ID = c.tick()
			all.of[s] = version{rows: versions[j], Partial: made[i][j]}
			all.size += grown
			c.size += grown
		}
	}
	c.shrink()
}

// maxStretches bounds the partials of an aggregate. Above it they are dropped: most of them are ends of ranges, which
// are parts of days and of little use later.
const maxStretches = 4096

// begin makes place for the partials of an aggregate.
func (w *Partials) begin(name string) *heldAggregate {
	p := &heldAggregate{of: map[calendar.Interval]version{}, size: emptySize, used: w.cache.tick()}
	w.aggregates[name] = p
	w.cache.size += p.size
	return p
}

func (w *Partials) forget(name string) {
	if p := w.aggregates[name]; p != nil {
		w.cache.size -= p.size
		delete(w.aggregates, name)
	}
}
