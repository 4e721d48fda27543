package memory

import (
	"sync"

	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
)

// A subject is whom partials are about. Those of answers about days whose rows were removed are apart from others,
// since they may have other states of the days after removed ones.
type subject struct {
	store.Subject
	removed bool
}

// A Cache holds partials in memory and drops the least recently used ones. It is safe for concurrent use.
type Cache struct {
	most int64

	mu       sync.Mutex
	size     int64 // bytes, about
	clock    uint64
	subjects map[subject]*Partials

	state.Counters
}

// NewCache makes a cache of about most bytes.
func NewCache(most int64) *Cache {
	return &Cache{most: most, subjects: map[subject]*Partials{}}
}

// Forget drops all partials of a subject, except the partials that OfRemoved returns.
func (c *Cache) Forget(of store.Subject) { c.forget(subject{of, false}) }

// ForgetRemoved drops the partials that OfRemoved returns.
func (c *Cache) ForgetRemoved(of store.Subject) { c.forget(subject{of, true}) }

func (c *Cache) forget(of subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.subjects[of]; w != nil {
		c.remove(w)
	}
}

// remove drops w. The caller holds c.mu.
func (c *Cache) remove(w *Partials) {
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
	delete(c.subjects, w.subject)
}

// renew drops w, except for the questions that were asked. The caller holds c.mu.
func (c *Cache) renew(w *Partials) {
	c.remove(w)
	if len(w.Admission.asked) > 0 {
		c.begin(w.subject, w.Admission.asked)
	}
}

// Of returns the partials of a subject, empty at first.
func (c *Cache) Of(of store.Subject) *Partials { return c.of(subject{of, false}) }

// OfRemoved returns the partials of answers about days of a subject whose rows were removed.
func (c *Cache) OfRemoved(of store.Subject) *Partials { return c.of(subject{of, true}) }

func (c *Cache) of(of subject) *Partials {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.subjects[of]
	if w == nil {
		w = c.begin(of, map[string]*asked{})
	}
	return w
}

// begin starts without partials of a subject.
func (c *Cache) begin(of subject, asked map[string]*asked) *Partials {
	w := &Partials{cache: c, subject: of, Numbering: state.NewNumbering(), building: make(chan struct{}, 1),
		begun:      c.tick(),
		aggregates: map[string]*heldAggregate{}}
	w.Admission = &Admission{partials: w, asked: asked}
	w.Stored = &Stored{partials: w}
	w.Rollups = &Rollups{partials: w, named: map[rollupName]*rolledUp{}}
	w.Dictionaries = &Dictionaries{partials: w, of: map[dictionaryName]*state.Dictionary{}}
	c.subjects[of] = w
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
	var from *Partials
	var name string
	for _, w := range c.subjects {
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
