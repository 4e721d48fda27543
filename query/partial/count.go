package partial

// A counter counts the different members of sets. It is large, and used again for further answers.
type counter struct {
	seen  []uint32 // by member, the last turn that saw it
	turn  uint32
	lists []list
}

// A list is the members of one key of a source.
type list struct{ source, from, to uint32 }

// begin makes c ready for so many members and turns.
func (c *counter) begin(members, turns int) {
	if len(c.seen) < members {
		c.seen, c.turn = make([]uint32, members+members/4), 0
	}
	if uint64(c.turn)+uint64(turns) >= 1<<32 {
		clear(c.seen)
		c.turn = 0
	}
}

// count counts the different members of lists.
func (c *counter) count(lists []list, of []Source) int64 {
	if len(lists) == 1 {
		return int64(lists[0].to - lists[0].from)
	}
	c.turn++
	n, turn, seen := int64(0), c.turn, c.seen
	for _, l := range lists {
		for _, member := range of[l.source].members[l.from:l.to] {
			if seen[member] != turn {
				seen[member] = turn
				n++
			}
		}
	}
	return n
}

// Count returns the number of distinct members of one row; members is how many there are in all, see
// [Website.Members].
func (c *Cache) Count(row int32, members int, of []Source) int64 {
	counter := c.counter()
	defer c.counters.Put(counter)
	counter.begin(members, 1)
	return counter.count(listsOf(row, of), of)
}

// Counts returns the number of distinct members for each row of the answer.
func (c *Cache) Counts(rows, members int, of []Source) []int64 {
	counter := c.counter()
	defer c.counters.Put(counter)
	counter.begin(members, rows)
	// Lists are put in the order of rows: counted, given their places, and placed.
	ends := make([]uint32, rows+1)
	each(of, func(row int32, _ list) { ends[row+1]++ })
	for row := range rows {
		ends[row+1] += ends[row]
	}
	n := int(ends[rows])
	if cap(counter.lists) < n {
		counter.lists = make([]list, n)
	}
	lists := counter.lists[:n]
	each(of, func(row int32, l list) {
		lists[ends[row]] = l
		ends[row]++
	})
	counts, from := make([]int64, rows), uint32(0)
	for row := range counts {
		if to := ends[row]; from < to {
			counts[row] = counter.count(lists[from:to], of)
			from = to
		}
	}
	return counts
}

func (c *Cache) counter() *counter {
	if used, ok := c.counters.Get().(*counter); ok {
		return used
	}
	return &counter{}
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
				what(row, list{uint32(n), from, to})
			}
			from = to
		}
	}
}

// listsOf are those of one row.
func listsOf(row int32, of []Source) []list {
	var found []list
	for n, s := range of {
		switch {
		case s.Partial == nil:
		case s.Rows == nil:
			if i, ok := s.find(uint32(row)); ok {
				from, to := s.span(i)
				found = append(found, list{uint32(n), from, to})
			}
		default:
			for i, key := range s.keys {
				if s.Rows[key] == row {
					from, to := s.span(i)
					found = append(found, list{uint32(n), from, to})
				}
			}
		}
	}
	return found
}
