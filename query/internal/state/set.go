package state

import (
	"math/bits"
	"sync"
)

// A counter counts the different members of sets. It is used again for further counts.
type counter struct {
	// words have a bit for each of 32 members in their lower half. Their upper half is the number of the count that set
	// these bits, so no count has to clear the bits of the one before.
	words []uint64
	now   uint64 // the number of the current count, in the upper half
	lists []list
}

// firstCount is the upper half of words that were set by the first count.
const firstCount = 1 << 32

// begin begins a count.
func (c *counter) begin() {
	if c.now += firstCount; c.now == 0 {
		clear(c.words)
		c.now = firstCount
	}
}

// set sets bits of a word, and returns the bits that this count had set before.
func (c *counter) set(word *uint64, members uint32) (before uint32) {
	set := *word
	if set < c.now {
		set = c.now
	}
	*word = set | uint64(members)
	return uint32(set)
}

// count counts the different members of lists.
func (c *counter) count(lists []list, of []Source) (n int64) {
	all := 0
	for _, l := range lists {
		all += l.len(of)
	}
	switch {
	case len(lists) == 1:
		return int64(all)
	case all > len(c.words):
		return c.countMany(lists, of)
	}
	c.begin()
	for _, l := range lists {
		members := of[l.source].members[l.from:l.to]
		if l.dense {
			words := c.words[members[1]:][:len(members)-2]
			for i, word := range members[2:] {
				n += int64(bits.OnesCount32(word &^ c.set(&words[i], word)))
			}
			continue
		}
		for _, member := range members {
			before := c.set(&c.words[member/32], 1<<(member%32))
			n += int64(^before >> (member % 32) & 1)
		}
	}
	return n
}

// countMany counts the members of lists that are longer than the number of words. Then it takes less time to clear all
// words and to count them at the end.
func (c *counter) countMany(lists []list, of []Source) (n int64) {
	clear(c.words)
	for _, l := range lists {
		members := of[l.source].members[l.from:l.to]
		if l.dense {
			words := c.words[members[1]:][:len(members)-2]
			for i, word := range members[2:] {
				words[i] |= uint64(word)
			}
			continue
		}
		for _, member := range members {
			c.words[member/32] |= 1 << (member % 32)
		}
	}
	for _, word := range c.words {
		n += int64(bits.OnesCount64(word))
	}
	return n
}

// Counters count the members of sets. They reuse memory. The zero value is ready for use, and safe for concurrent use.
type Counters struct{ pool sync.Pool }

// Count returns the number of distinct members of one row. members is the number of all members: see
// [Numbering.Members].
func (c *Counters) Count(row int32, members int, of []Source) int64 {
	counter := c.counter(members)
	n := counter.count(listsOf(row, of), of)
	c.pool.Put(counter)
	return n
}

// Counts returns the number of distinct members for each row of the answer.
func (c *Counters) Counts(rows, members int, of []Source) []int64 {
	counter, counts := c.counter(members), make([]int64, rows)
	counter.lists = byRow(rows, of, counter.lists,
		func(row uint32, lists []list) { counts[row] = counter.count(lists, of) })
	c.pool.Put(counter)
	return counts
}

// counter returns a counter for so many members. The caller gives it back after counting, unless counting failed.
func (c *Counters) counter(members int) *counter {
	used, ok := c.pool.Get().(*counter)
	if !ok {
		used = &counter{}
	}
	if n := members/32 + 1; len(used.words) < n {
		used.words = make([]uint64, n)
	}
	return used
}
