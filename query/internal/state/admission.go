package state

import "slices"

// Partials are admitted to memory when they were asked for before. They push out those that were not used for longest. Where
// these come back soon, not all that is asked for fits, and questions would push out each other's partials by turns: each answer
// would compute all of its own again, which takes longer than a statement. So what was pushed out is admitted again only beside
// all that was used since it was asked for some times, the more often the more often it was pushed out.

// maxAsked is how many aggregates of a website are remembered to have been asked for.
const maxAsked = 4096

// manyTimes is how often something is asked for at most before it pushes out what nobody used meanwhile: of what several callers
// use by turns, each was used after so many.
const manyTimes = 8

// An asked aggregate is one that was asked for.
type asked struct {
	at        [manyTimes]uint64 // the last times, on the clock of the cache; 0: it was not asked for so often
	pushedOut int               // how often its partials were since they were of use
	bytes     int64             // that a partial of it takes in the mean; 0: not known
	names     int64             // the most bytes that numbering took while it was computed
}

// since is from when on what was used stays, when it is admitted.
func (a *asked) since() uint64 {
	i := min(a.pushedOut, manyTimes-1)
	for i > 0 && a.at[i] == 0 {
		i--
	}
	return a.at[i]
}

// Asked notes that these aggregates are asked for, and reports whether all of them were before and
// are fit to be kept. What is asked for once is not worth keeping.
func (w *Website) Asked(all []Aggregate) bool {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	before, now := true, w.cache.tick()
	for _, a := range all {
		of := w.asked[a.Name]
		known := w.aggregates[a.Name]
		before = before && (known != nil && !known.tooLarge || known == nil && of != nil)
		if of == nil {
			if len(w.asked) >= maxAsked {
				clear(w.asked)
			}
			of = &asked{}
			w.asked[a.Name] = of
		}
		copy(of.at[1:], of.at[:])
		of.at[0] = now
	}
	return before
}

// Fit reports whether these aggregates can be kept, as far as is known.
func (w *Website) Fit(all []Aggregate) bool {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return !slices.ContainsFunc(all, func(a Aggregate) bool { known := w.aggregates[a.Name]; return known != nil && known.tooLarge })
}

// Exclude notes that these aggregates cannot be kept.
func (w *Website) Exclude(all []Aggregate) {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	for _, a := range all {
		w.forget(a.Name)
		w.begin(a.Name).tooLarge = true
	}
}

// NumberingSize is how many bytes the numbers of keys and members take.
func (w *Website) NumberingSize() int64 {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return w.size
}

// RecordSize notes how many bytes the partials of an aggregate take, and numbers that were new when they were computed.
func (w *Website) RecordSize(a Aggregate, found []*Partial, names int64) {
	bytes, n := sizeOf(found)
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	if of := w.asked[a.Name]; of != nil && n > 0 {
		of.bytes, of.names = bytes/n, max(of.names, names)
	}
}

// sizeOf is how many bytes partials take, and how many have rows.
func sizeOf(found []*Partial) (bytes, n int64) {
	for _, p := range found {
		if p != nil {
			bytes += p.size()
			n++
		}
	}
	return bytes, n
}

// ExceedsMemory reports whether partials, by aggregate and stretch, take more memory than there is for all.
func (w *Website) ExceedsMemory(found [][]*Partial) bool {
	all := int64(0)
	for _, of := range found {
		bytes, _ := sizeOf(of)
		all += bytes
	}
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return all+w.size > w.cache.most
}

// A Demand is an aggregate that is asked for in some stretches with rows, of which some are missing.
type Demand struct {
	Aggregate
	Stretches, Missing int
}

// Admit reports whether there is memory for the partials that an answer is merged from: for all together and, where a
// quarter is missing or more, for these beside what stays. It takes partials for as large as
// those that were measured. Where only the numbers of keys and members that other questions had are in the way, and it was asked
// often enough, w is begun anew.
func (w *Website) Admit(all []Demand) bool {
	c := w.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	var bytes, more, names int64
	stretches, missing, since, often := 0, 0, c.clock, true
	for _, a := range all {
		stretches, missing = stretches+a.Stretches, missing+a.Missing
		if of := w.asked[a.Name]; of != nil {
			bytes, more, names = bytes+of.bytes*int64(a.Stretches), more+of.bytes*int64(a.Missing), max(names, of.names)
			since, often = min(since, of.since()), often && of.at[manyTimes-1] > w.begun
		}
	}
	if bytes+w.size > c.most {
		if often && bytes+names <= c.most && c.websites[w.subject] == w {
			c.renew(w)
		}
		return false
	}
	return 4*missing < stretches || c.used(since)+more <= c.most
}

// used is how many bytes those take that were used since then, without rollups and dictionaries, which are made again where there
// is room.
func (c *Cache) used(since uint64) (bytes int64) {
	for _, w := range c.websites {
		names := int64(0)
		for _, all := range w.aggregates {
			if all.used >= since {
				bytes, names = bytes+all.size, w.size
			}
		}
		bytes += names
	}
	return bytes
}
