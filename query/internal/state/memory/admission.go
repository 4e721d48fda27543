package memory

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/state"
)

// Partials are admitted to memory from the second question on. They push out the partials that were not used for
// longest. If these are asked for again soon, not all of them fit, and questions would push out each other's partials
// by turns. Each answer would compute all its partials again, which takes longer than a statement. So partials that
// were pushed out are admitted again only beside all others that were used since they were asked for several times. The
// more often they were pushed out, the more times this takes.

// maxAsked bounds the aggregates of a subject that are remembered as asked for.
const maxAsked = 4096

// manyTimes bounds how often an aggregate has to be asked for before it pushes out others that nobody used meanwhile.
// If several callers use their partials by turns, each was used after so many questions.
const manyTimes = 8

// An Admission decides which questions about a subject get partials in memory. It is safe for concurrent
// use.
type Admission struct {
	partials *Partials
	asked    map[string]*asked // by the names of aggregates; guarded by Cache.mu
}

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

// again returns a as it is after the aggregate is asked for once more. A nil a was never asked for.
func (a *asked) again(now uint64) *asked {
	after := &asked{}
	if a != nil {
		*after = *a
		copy(after.at[1:], a.at[:])
	}
	after.at[0] = now
	return after
}

// NoteAsked notes that these aggregates are asked for.
func (m *Admission) NoteAsked(all []state.Aggregate) {
	m.partials.cache.mu.Lock()
	defer m.partials.cache.mu.Unlock()
	now := m.partials.cache.tick()
	for _, a := range all {
		if m.asked[a.Name] == nil && len(m.asked) >= maxAsked {
			clear(m.asked)
		}
		m.asked[a.Name] = m.asked[a.Name].again(now)
	}
}

// Asked reports whether all of these aggregates were asked for before and fit into memory. It takes two questions
// before partials are worth their memory.
func (m *Admission) Asked(all []state.Aggregate) bool {
	m.partials.cache.mu.Lock()
	defer m.partials.cache.mu.Unlock()
	return !slices.ContainsFunc(all, func(a state.Aggregate) bool {
		if known := m.partials.aggregates[a.Name]; known != nil {
			return known.tooLarge
		}
		return m.asked[a.Name] == nil
	})
}

// Fit reports whether these aggregates fit into memory, as far as is known.
func (m *Admission) Fit(all []state.Aggregate) bool {
	m.partials.cache.mu.Lock()
	defer m.partials.cache.mu.Unlock()
	return !slices.ContainsFunc(all, func(a state.Aggregate) bool {
		known := m.partials.aggregates[a.Name]
		return known != nil && known.tooLarge
	})
}

// Exclude notes that these aggregates do not fit into memory.
func (m *Admission) Exclude(all []state.Aggregate) {
	m.partials.cache.mu.Lock()
	defer m.partials.cache.mu.Unlock()
	for _, a := range all {
		m.partials.forget(a.Name)
		m.partials.begin(a.Name).tooLarge = true
	}
}

// NumberingSize returns the bytes that the numbers of keys and members take.
func (m *Admission) NumberingSize() int64 {
	m.partials.cache.mu.Lock()
	defer m.partials.cache.mu.Unlock()
	return m.partials.size
}

// RecordSize notes how many bytes the partials of an aggregate take, and numbers that were new when they were computed.
func (m *Admission) RecordSize(a state.Aggregate, found []*state.Partial, names int64) {
	bytes, n := sizeOf(found)
	m.partials.cache.mu.Lock()
	defer m.partials.cache.mu.Unlock()
	if of := m.asked[a.Name]; of != nil && n > 0 {
		of.bytes, of.names = bytes/n, max(of.names, names)
	}
}

// sizeOf returns the bytes of partials, and how many of them have rows.
func sizeOf(found []*state.Partial) (bytes, n int64) {
	for _, p := range found {
		if p != nil {
			bytes += p.Size()
			n++
		}
	}
	return bytes, n
}

// ExceedsMemory reports whether partials, by aggregate and stretch, take more memory than there is for all.
func (m *Admission) ExceedsMemory(found [][]*state.Partial) bool {
	all := int64(0)
	for _, of := range found {
		bytes, _ := sizeOf(of)
		all += bytes
	}
	m.partials.cache.mu.Lock()
	defer m.partials.cache.mu.Unlock()
	return all+m.partials.size > m.partials.cache.most
}

// A Demand is an aggregate that is asked for in some stretches with rows, of which some are missing.
type Demand struct {
	state.Aggregate
	Stretches, Missing int
}

// Room reports whether there is memory for the partials that an answer is merged from: for all together and, if a
// quarter or more is missing, for these beside the partials that stay. It assumes that partials are as large as the
// measured ones, and that the partials of the answer are used now. With asks, they are also asked for now: see
// NoteAsked.
//
// If only the numbers of keys and members of other questions take the room, and the answer was asked for often enough,
// renew is true: there is room after Renew.
func (m *Admission) Room(all []Demand, asks bool) (fit, renew bool) {
	m.partials.cache.mu.Lock()
	defer m.partials.cache.mu.Unlock()
	c := m.partials.cache
	now := c.clock + 1
	var bytes, more, names int64
	stretches, missing, since, often := 0, 0, now, true
	for _, a := range all {
		stretches, missing = stretches+a.Stretches, missing+a.Missing
		of := m.asked[a.Name]
		if asks {
			of = of.again(now)
		}
		if of != nil {
			bytes, more, names = bytes+of.bytes*int64(a.Stretches), more+of.bytes*int64(a.Missing), max(names, of.names)
			since, often = min(since, of.since()), often && of.at[manyTimes-1] > m.partials.begun
		}
	}
	if bytes+m.partials.size > c.most {
		return false, often && bytes+names <= c.most && c.subjects[m.partials.subject] == m.partials
	}
	return 4*missing < stretches || c.used(since, m.partials, all)+more <= c.most, false
}

// Renew drops all partials of the subject, and keeps what was asked for.
func (m *Admission) Renew() {
	c := m.partials.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subjects[m.partials.subject] == m.partials {
		c.renew(m.partials)
	}
}

// used returns the bytes of partials that were used since then, or are used now by a subject. It leaves out rollups and
// dictionaries, which are made again when there is room.
func (c *Cache) used(since uint64, by *Partials, now []Demand) (bytes int64) {
	for _, w := range c.subjects {
		names := int64(0)
		for name, all := range w.aggregates {
			if all.used >= since ||
				w == by && slices.ContainsFunc(now, func(d Demand) bool { return d.Name == name }) {
				bytes, names = bytes+all.size, w.size
			}
		}
		bytes += names
	}
	return bytes
}
