package state

import (
	"slices"
)

// RollUp makes one partial of sources.
func RollUp(kind Kind, first int32, of []Source) *Partial {
	of, rows := fromRow(first, of)
	p := &Maker{}
	switch {
	case kind == Sum:
		for row, sum := range Sums(rows, of) {
			if sum != 0 {
				p.AddValue(uint32(row), sum)
			}
		}
	case kind.Extreme():
		for row, value := range Extremes(kind, rows, of) {
			if value != None {
				p.AddValue(uint32(row), value)
			}
		}
	case kind == Sample:
		var all []int64
		byRow(rows, of, nil, func(row uint32, lists []list) {
			all = all[:0]
			for _, l := range lists {
				for i := l.from; i < l.to; i++ {
					all = append(all, of[l.source].values.at(int(i)))
				}
			}
			slices.Sort(all)
			p.AddSample(row, all)
		})
	default:
		var u union
		byRow(rows, of, nil, func(row uint32, lists []list) { u.add(p, row, lists, of) })
	}
	return p.Done()
}

// fromRow are sources whose rows begin with first, and how many rows they have.
func fromRow(first int32, of []Source) (from []Source, rows int) {
	for _, s := range of {
		if s.Partial == nil {
			continue
		}
		if s.Rows != nil {
			s.Rows = slices.Clone(s.Rows)
			for i := range s.Rows {
				s.Rows[i] -= first
			}
		}
		for _, key := range s.keys {
			rows = max(rows, int(s.row(key))+1)
		}
		from = append(from, s)
	}
	return from, rows
}
