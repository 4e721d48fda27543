package partial

import "math/bits"

// A counter counts the different members of sets. It is used again for further answers.
type counter struct {
	words []uint32 // a bit for each member, none of which is set before and after a count
	lists []list
}

// A list is the members of one key of a source.
type list struct {
	source, from, to uint32
	dense            bool // they are bits
}

// len is how many members l has, which is of these sources.
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
	for _, l := range lists {
		members := of[l.source].members[l.from:l.to]
		if l.dense {
			words := c.words[members[1]:]
			for i, word := range members[2:] {
				n += int64(bits.OnesCount32(word &^ words[i]))
				words[i] |= word
			}
			continue
		}
		for _, member := range members {
			word, bit := &c.words[member/32], member%32
			n += int64(^*word >> bit & 1)
			*word |= 1 << bit
		}
	}
	for _, l := range lists {
		members := of[l.source].members[l.from:l.to]
		if l.dense {
			clear(c.words[members[1]:][:len(members)-2])
			continue
		}
		for _, member := range members {
			c.words[member/32] = 0
		}
	}
	return n
}

// countMany counts those of lists that have more members than there are words: then these are sooner
// counted, and cleared, at the end.
func (c *counter) countMany(lists []list, of []Source) (n int64) {
	for _, l := range lists {
		members := of[l.source].members[l.from:l.to]
		if l.dense {
			words := c.words[members[1]:]
			for i, word := range members[2:] {
				words[i] |= word
			}
			continue
		}
		for _, member := range members {
			c.words[member/32] |= 1 << (member % 32)
		}
	}
	for i, word := range c.words {
		n += int64(bits.OnesCount32(word))
		c.words[i] = 0
	}
	return n
}

// appendMembers appends those of l, ascending.
func (l list) appendMembers(all []uint32, of []Source) []uint32 {
	members := of[l.source].members[l.from:l.to]
	if !l.dense {
		return append(all, members...)
	}
	for i, word := range members[2:] {
		for ; word != 0; word &= word - 1 {
			all = append(all, (members[1]+uint32(i))*32+uint32(bits.TrailingZeros32(word)))
		}
	}
	return all
}

// Count returns the number of distinct members of one row; members is how many there are in all, see
// [Website.Members].
func (c *Cache) Count(row int32, members int, of []Source) int64 {
	counter := c.counter(members)
	n := counter.count(listsOf(row, of), of)
	c.counters.Put(counter)
	return n
}

// Counts returns the number of distinct members for each row of the answer.
func (c *Cache) Counts(rows, members int, of []Source) []int64 {
	counter, counts := c.counter(members), make([]int64, rows)
	counter.lists = byRow(rows, of, counter.lists, func(row uint32, lists []list) { counts[row] = counter.count(lists, of) })
	c.counters.Put(counter)
	return counts
}

// counter is one for so many members. It is given back when it has counted: not where it failed.
func (c *Cache) counter(members int) *counter {
	used, ok := c.counters.Get().(*counter)
	if !ok {
		used = &counter{}
	}
	if n := members/32 + 1; len(used.words) < n {
		used.words = make([]uint32, n)
	}
	return used
}

// byRow calls what with the lists of each row that has some. It returns the memory that it needed,
// which is given for the next time.
func byRow(rows int, of []Source, lists []list, what func(row uint32, lists []list)) []list {
	// Lists are put in the order of rows: counted, given their places, and placed.
	ends := make([]uint32, rows+1)
	each(of, func(row int32, _ list) { ends[row+1]++ })
	for row := range rows {
		ends[row+1] += ends[row]
	}
	n := int(ends[rows])
	if cap(lists) < n {
		lists = make([]list, n)
	}
	lists = lists[:n]
	each(of, func(row int32, l list) {
		lists[ends[row]] = l
		ends[row]++
	})
	from := uint32(0)
	for row := range rows {
		if to := ends[row]; from < to {
			what(uint32(row), lists[from:to])
			from = to
		}
	}
	return lists
}

// each calls what with every list that counts for a row.
func each(of []Source, what func(row int32, l list)) {
	for n, s := range of {
		if s.Partial == nil {
			continue
		}
		from := uint32(0)
		for i, key := range s.keys {
			to := s.ends[i]
			if row := s.row(key); row >= 0 && from < to {
				what(row, list{uint32(n), from, to, s.dense != nil && s.dense[i]})
			}
			from = to
		}
	}
}

// listsOf are those of one row.
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
