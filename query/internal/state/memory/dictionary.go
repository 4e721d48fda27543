package memory

import (
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// A store's sets refer to members by their places in a dictionary: see package codec. Dictionaries are held as long as partials
// need no room, for states that are loaded later.

// dictionaryName tells apart the dictionaries of a subject.
type dictionaryName struct {
	members string
	of      calendar.Interval
}

// HasDictionary reports whether the dictionary of a stretch is in memory.
func (w *Shelf) HasDictionary(members string, s calendar.Interval) bool {
	return w.Dictionary(members, s) != nil
}

// Dictionary returns the dictionary of a stretch, or nil if it is not in memory.
func (w *Shelf) Dictionary(members string, s calendar.Interval) *state.Dictionary {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return w.dictionaries[dictionaryName{members, s}]
}

// ForgetDictionary forgets the dictionary of a stretch, since the store has another one.
func (w *Shelf) ForgetDictionary(members string, s calendar.Interval) {
	w.PutDictionary(members, s, nil)
}

// PutDictionary holds a dictionary of a stretch in memory, in place of an earlier one. With nil it only forgets the earlier one.
func (w *Shelf) PutDictionary(members string, s calendar.Interval, d *state.Dictionary) {
	name := dictionaryName{members, s}
	c := w.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	grown := int64(0)
	if before := w.dictionaries[name]; before != nil {
		grown -= before.Size()
		delete(w.dictionaries, name)
	}
	if d != nil {
		grown += d.Size()
		w.dictionaries[name] = d
	}
	w.dictionarySize += grown
	if c.shelves[w.subject] == w {
		c.size += grown
		c.shrink()
	}
}

func (w *Shelf) forgetDictionaries() {
	w.cache.size -= w.dictionarySize
	w.dictionarySize = 0
	clear(w.dictionaries)
}

// forgetDictionaries drops the dictionaries of all subjects, and reports whether there were any.
func (c *Cache) forgetDictionaries() (some bool) {
	for _, w := range c.shelves {
		some = some || len(w.dictionaries) > 0
		w.forgetDictionaries()
	}
	return some
}
