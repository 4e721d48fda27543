package memory

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// A rollup is one partial in place of others. It stays in memory as long as the others do not need the room.

// rollupName tells apart the rollups of a subject.
type rollupName struct {
	aggregate string
	cut       string // how rows are made of keys
}

// Rollups holds the rollups of a subject. It is safe for concurrent use.
type Rollups struct {
	partials *Partials
	named    map[rollupName]*rolledUp // guarded by Cache.mu
}

// rolledUp holds the rollups of one name, by their intervals.
type rolledUp struct {
	of   map[calendar.Interval]rollup
	size int64
	used uint64
}

// A rollup is a partial that others are rolled up into, or the note that it was asked for.
type rollup struct {
	of       []uint64 // the partials that it stands for
	since    uint64   // from when on it is counted how often it is asked for in vain
	times    int      // how often it was; manyTimes push out what nobody used meanwhile
	reserved int64    // while somebody makes it: the bytes that it takes at most
	*state.Partial
}

func (r rollup) size() int64 {
	size := 96 + 8*int64(len(r.of)) + r.reserved
	if r.Partial != nil {
		size += r.Partial.Size()
	}
	return size
}

// Of returns one partial in place of all sources of an aggregate within an interval. Its keys are their rows less
// first; cut names how these follow from keys. It returns nil if it is asked for the first time, since the sources may
// change before the next time, and if there is no room. Then the caller merges the sources.
func (r *Rollups) Of(a state.Aggregate, cut string, within calendar.Interval, first int32,
	of []state.Source) *state.Partial {
	var ids []uint64
	most := int64(0)
	for _, s := range of {
		if s.Partial != nil {
			ids = append(ids, s.ID)
			most += s.Partial.Size()
		}
	}
	if len(ids) < 2 {
		return nil
	}
	name := rollupName{a.Name, cut}
	made, wanted := r.find(name, within, ids, most)
	if !wanted {
		return made
	}
	made = state.RollUp(a.Kind, first, of)
	r.keep(name, within, ids, made)
	return made
}

// find returns the partial that replaces these, or nil and whether to make it. It would take at most that many bytes.
func (r *Rollups) find(name rollupName, within calendar.Interval, of []uint64, bytes int64) (found *state.Partial,
	wanted bool) {
	c, w := r.partials.cache, r.partials
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subjects[w.subject] != w {
		return nil, false
	}
	all := r.named[name]
	if all == nil {
		all = &rolledUp{of: map[calendar.Interval]rollup{}, size: emptySize}
		r.named[name] = all
		c.size += all.size
	}
	all.used = c.tick()
	switch known, ok := all.of[within]; {
	case !ok || !slices.Equal(known.of, of):
		c.size += all.put(within, rollup{of: of, since: all.used})
		c.shrink()
		return nil, false
	case known.Partial != nil:
		return known.Partial, false
	case known.reserved > 0:
		return nil, false
	default:
		if known.times++; known.times < manyTimes {
			wanted = c.size+bytes <= c.most
		} else {
			wanted = c.makeRoom(bytes, known.since)
			known.times, known.since = 0, all.used
		}
		if c.subjects[w.subject] != w { // which had nothing else that was used since
			return nil, false
		}
		if wanted {
			known.reserved = bytes
		}
		c.size += all.put(within, known)
		return nil, wanted
	}
}

// keep holds a partial that stands for these, if nothing came between.
func (r *Rollups) keep(name rollupName, within calendar.Interval, of []uint64, made *state.Partial) {
	c, w := r.partials.cache, r.partials
	c.mu.Lock()
	defer c.mu.Unlock()
	if all := r.named[name]; all != nil && slices.Equal(all.of[within].of, of) && c.subjects[w.subject] == w {
		c.size += all.put(within, rollup{of: of, Partial: made})
		c.shrink()
	}
}

// put adds a rollup in place of an earlier one, and returns how many bytes more the rollups take.
func (all *rolledUp) put(within calendar.Interval, r rollup) (grown int64) {
	grown = r.size()
	if before, ok := all.of[within]; ok {
		grown -= before.size()
	}
	all.of[within] = r
	all.size += grown
	return grown
}

// makeRoom forgets what was not used since then until there is room for some bytes, and reports whether there is. If
// they do not fit beside what else is used, it forgets nothing.
func (c *Cache) makeRoom(bytes int64, since uint64) bool {
	if c.size-c.unused(since)+bytes > c.most {
		return false
	}
	for c.size+bytes > c.most && (c.forgetRollup(since) || c.forgetDictionaries() || c.forgetAggregate(since)) {
	}
	return c.size+bytes <= c.most
}

// unused returns the bytes of partials that were not used since then.
func (c *Cache) unused(since uint64) (bytes int64) {
	for _, w := range c.subjects {
		bytes += w.Dictionaries.size
		for _, all := range w.Rollups.named {
			if all.used < since {
				bytes += all.size
			}
		}
		for _, all := range w.aggregates {
			if all.used < since {
				bytes += all.size
			}
		}
	}
	return bytes
}

// forgetRollup forgets the rollups of a name that were used before all others and before then, if there are such.
func (c *Cache) forgetRollup(before uint64) bool {
	var from *Partials
	var name rollupName
	for _, w := range c.subjects {
		for n, all := range w.Rollups.named {
			if all.used < before {
				before, from, name = all.used, w, n
			}
		}
	}
	if from != nil {
		c.size -= from.Rollups.named[name].size
		delete(from.Rollups.named, name)
	}
	return from != nil
}
