package memory

import (
	"sync"

	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
)

// A Cache holds partials in memory and drops the least recently used ones. It is safe for concurrent use.
type Cache struct {
	most int64

	mu      sync.Mutex
	size    int64 // bytes, about
	clock   uint64
	shelves map[store.Subject]*Shelf

	state.Counters
}

// NewCache makes a cache of about most bytes.
func NewCache(most int64) *Cache {
	return &Cache{most: most, shelves: map[store.Subject]*Shelf{}}
}

// Forget drops all partials of a subject.
func (c *Cache) Forget(of store.Subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.shelves[of]; w != nil {
		c.remove(w)
	}
}

// remove drops w. The caller holds c.mu.
func (c *Cache) remove(w *Shelf) {
	for name := range w.aggregates {
		w.forget(name)
	}
	for _, all := range w.Rollups.named {
		c.size -= all.size
	}
	clear(w.Rollups.named)
	w.Dictionaries.forget()
	c.size -= w.size
	w.size -= w.Stored.size
	w.Stored.versions, w.Stored.size = nil, 0
	delete(c.shelves, w.subject)
}

// renew drops w, except for the questions that were asked. The caller holds c.mu.
func (c *Cache) renew(w *Shelf) {
	c.remove(w)
	if len(w.Admission.asked) > 0 {
		c.begin(w.subject, w.Admission.asked)
	}
}

// Shelf returns the shelf of a subject, empty at first.
func (c *Cache) Shelf(of store.Subject) *Shelf {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.shelves[of]
	if w == nil {
		w = c.begin(of, map[string]*asked{})
	}
	return w
}

// begin starts an empty shelf for a subject.
func (c *Cache) begin(of store.Subject, asked map[string]*asked) *Shelf {
	w := &Shelf{cache: c, subject: of, Numbering: state.NewNumbering(), building: make(chan struct{}, 1),
		begun:      c.tick(),
		aggregates: map[string]*shelved{}}
	w.Admission = &Admission{shelf: w, asked: asked}
	w.Stored = &Stored{shelf: w}
	w.Rollups = &Rollups{shelf: w, named: map[rollupName]*rolledUp{}}
	w.Dictionaries = &Dictionaries{shelf: w, of: map[dictionaryName]*state.Dictionary{}}
	c.shelves[of] = w
	return w
}

// Size is about how many bytes c takes.
func (c *Cache) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// MaxBytes is about how many bytes c may take.
func (c *Cache) MaxBytes() int64 { return c.most }

// tick numbers the uses of partials.
func (c *Cache) tick() uint64 {
	c.clock++
	return c.clock
}

// shrink forgets what was not used for longest until c is as small as it must be: first of rollups, then all
// dictionaries, which only loading needs.
func (c *Cache) shrink() {
	for c.size > c.most {
		if c.forgetRollup(c.clock+1) || c.forgetDictionaries() {
			continue
		}
		if !c.forgetAggregate(c.clock + 1) {
			return
		}
	}
}

// forgetAggregate forgets the partials of the aggregate that was used before all others and before then, if there is
// such a one.
func (c *Cache) forgetAggregate(before uint64) bool {
	var from *Shelf
	var name string
	for _, w := range c.shelves {
		for n, p := range w.aggregates {
			if p.used < before {
				before, from, name = p.used, w, n
			}
		}
	}
	if from == nil {
		return false
	}
	if of := from.Admission.asked[name]; of != nil && from.aggregates[name].found < manyTimes {
		of.pushedOut++
	} else if of != nil {
		of.pushedOut = 1
	}
	from.forget(name)
	if len(from.aggregates) == 0 {
		c.renew(from)
	}
	return true
}
