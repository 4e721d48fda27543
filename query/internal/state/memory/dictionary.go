package memory

import (
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// Dictionaries holds the dictionaries of a subject. Stored sets refer to members by their places in a
// dictionary: see package codec. Dictionaries stay in memory as long as partials need no room, for states that are
// loaded later. It is safe for concurrent use.
type Dictionaries struct {
	partials *Partials

	// Guarded by Cache.mu.
	of   map[dictionaryName]*state.Dictionary
	size int64
}

// dictionaryName tells apart the dictionaries of a subject.
type dictionaryName struct {
	members string
	of      calendar.Interval
}

// Dictionary returns the dictionary of a stretch, or nil if it is not in memory.
func (d *Dictionaries) Dictionary(members string, s calendar.Interval) *state.Dictionary {
	d.partials.cache.mu.Lock()
	defer d.partials.cache.mu.Unlock()
	return d.of[dictionaryName{members, s}]
}

// PutDictionary holds a dictionary of a stretch in memory, in place of an earlier one. With nil it only forgets the
// earlier one.
func (d *Dictionaries) PutDictionary(members string, s calendar.Interval, one *state.Dictionary) {
	name := dictionaryName{members, s}
	c := d.partials.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	grown := int64(0)
	if before := d.of[name]; before != nil {
		grown -= before.Size()
		delete(d.of, name)
	}
	if one != nil {
		grown += one.Size()
		d.of[name] = one
	}
	d.size += grown
	if c.subjects[d.partials.subject] == d.partials {
		c.size += grown
		c.shrink()
	}
}

// forget drops all dictionaries. The caller holds Cache.mu.
func (d *Dictionaries) forget() {
	d.partials.cache.size -= d.size
	d.size = 0
	clear(d.of)
}

// forgetDictionaries drops the dictionaries of all subjects, and reports whether there were any.
func (c *Cache) forgetDictionaries() (some bool) {
	for _, w := range c.subjects {
		some = some || len(w.Dictionaries.of) > 0
		w.Dictionaries.forget()
	}
	return some
}
