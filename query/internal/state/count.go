package state

import (
	"math/bits"
	"slices"
	"sync"
)

// A counter counts the different members of sets. It is used again for further counts.
type counter struct {
	// words have a bit for each of 32 members in their lower half. Their upper half is the number of the count that set these bits, so
	// no count has to clear the bits of the one before.
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

// A list is the members of one key of a source.
type list struct {
	source, from, to uint32
	dense            bool // they are bits
}

// len returns the number of members of l, which refers to these sources.
func (l list) len(of []Source) int {
	if l.dense {
		return int(of[l.source].members[l.from])
	}
	return int(l.to - l.from)
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

// countMany counts the members of lists that are longer than the number of words. Then it takes less time to clear all words and
// to count them at the end.
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

// appendMembers appends the members of l.
func (l list) appendMembers(all []uint32, of []Source) []uint32 {
	members := of[l.source].members[l.from:l.to]
	if !l.dense {
		return append(all, members...)
	}
	return appendBits(all, members[1], members[2:])
}

// Counters count the members of sets. They reuse memory. The zero value is ready for use, and safe for concurrent use.
type Counters struct{ pool sync.Pool }

// Count returns the number of distinct members of one row. members is the number of all members: see [Numbering.Members].
func (c *Counters) Count(row int32, members int, of []Source) int64 {
	counter := c.counter(members)
	n := counter.count(listsOf(row, of), of)
	c.pool.Put(counter)
	return n
}

// Counts returns the number of distinct members for each row of the answer.
func (c *Counters) Counts(rows, members int, of []Source) []int64 {
	counter, counts := c.counter(members), make([]int64, rows)
	counter.lists = byRow(rows, of, counter.lists, func(row uint32, lists []list) { counts[row] = counter.count(lists, of) })
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

// listsAtOnce is about how many lists are put in the order of rows at once: so few stay near the processor.
const listsAtOnce = 1 << 16

// byRow calls what with the lists of each row that has some. It returns the memory that it needed,
// which is given for the next time.
func byRow(rows int, of []Source, lists []list, what func(row uint32, lists []list)) []list {
	atOnce, at := rows, make([]int, len(of))
	if !slices.ContainsFunc(of, func(s Source) bool { return s.Rows != nil }) { // their keys are ascending rows
		atOnce = min(rows, max(1, listsAtOnce/max(1, len(of))))
	}
	ends := make([]uint32, atOnce+1)
	for first := 0; first < rows; first += atOnce {
		// Lists are put in the order of rows: counted, given their places, and placed.
		clear(ends)
		next := int32(min(first+atOnce, rows))
		each(of, at, next, func(row int32, _ list) { ends[int(row)-first+1]++ })
		for row := range atOnce {
			ends[row+1] += ends[row]
		}
		n := int(ends[atOnce])
		if cap(lists) < n {
			lists = make([]list, n)
		}
		lists = lists[:n]
		at = each(of, at, next, func(row int32, l list) {
			end := &ends[int(row)-first]
			lists[*end] = l
			*end++
		})
		from := uint32(0)
		for row := range atOnce {
			if to := ends[row]; from < to {
				what(uint32(first+row), lists[from:to])
				from = to
			}
		}
	}
	return lists
}

// each calls what with every list that counts for a row before next, from certain keys of the sources on, and returns the
// keys from which on it did not.
func each(of []Source, from []int, next int32, what func(row int32, l list)) (to []int) {
	to = make([]int, len(of))
	for n, s := range of {
		if s.Partial == nil {
			continue
		}
		at, begin := from[n], uint32(0)
		if at > 0 {
			begin = s.ends[at-1]
		}
		for ; at < len(s.keys); at++ {
			row, end := s.row(s.keys[at]), s.ends[at]
			if s.Rows == nil && row >= next {
				break
			}
			if row >= 0 && begin < end {
				what(row, list{uint32(n), begin, end, s.dense != nil && s.dense[at]})
			}
			begin = end
		}
		to[n] = at
	}
	return to
}

// listsOf returns the lists of one row.
func listsOf(row int32, of []Source) []list {
	var found []list
	add := func(n, i int) {
		from, to := of[n].span(i)
		found = append(found, list{uint32(n), from, to, of[n].dense != nil && of[n].dense[i]})
	}
	for n, s := range of {
		switch {
		case s.Partial == nil:
		case s.Rows == nil:
			if i, ok := s.find(uint32(row)); ok {
				add(n, i)
			}
		default:
			for i, key := range s.keys {
				if s.Rows[key] == row {
					add(n, i)
				}
			}
		}
	}
	return found
}
