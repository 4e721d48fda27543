package state

import (
	"slices"
)

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

// appendMembers appends the members of l.
func (l list) appendMembers(all []uint32, of []Source) []uint32 {
	members := of[l.source].members[l.from:l.to]
	if !l.dense {
		return append(all, members...)
	}
	return appendBits(all, members[1], members[2:])
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

// each calls what with every list that counts for a row before next, from certain keys of the sources on, and returns
// the keys from which on it did not.
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

// MembersOf returns the numbers of the members that sets have in a row, some more than once.
func MembersOf(row int32, of []Source) (members []uint32) {
	for _, l := range listsOf(row, of) {
		members = l.appendMembers(members, of)
	}
	return members
}
