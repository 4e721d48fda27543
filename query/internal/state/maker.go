package state

import (
	"slices"
)

// A Maker makes partials one after the other, each key by key in their order.
type Maker struct {
	p       Partial // whose lists are larger than they need to be
	numbers []int64 // its values
}

// AddValue adds a key with its value.
func (m *Maker) AddValue(key uint32, value int64) {
	m.p.keys, m.numbers = append(m.p.keys, key), append(m.numbers, value)
}

// AddSample adds a key with its values, which are ascending.
func (m *Maker) AddSample(key uint32, values []int64) {
	m.numbers = append(m.numbers, values...)
	m.p.keys, m.p.ends = append(m.p.keys, key), append(m.p.ends, uint32(len(m.numbers)))
}

// AddSet adds a key with its members, which differ: as bits where these are fewer bytes.
func (m *Maker) AddSet(key uint32, members []uint32) {
	p := &m.p
	first, last := slices.Min(members)/32, slices.Max(members)/32
	dense := int(last-first)+3 < len(members)
	if !dense {
		p.members = append(p.members, members...)
	} else {
		at := len(p.members) + 2
		p.members = append(p.members, uint32(len(members)), first)
		p.members = append(p.members, make([]uint32, last-first+1)...)
		for _, member := range members {
			p.members[at+int(member/32-first)] |= 1 << (member % 32)
		}
	}
	m.endSet(key, dense)
}

// endSet ends the set of a key, whose members were appended: as they are or, where it is dense, as bits.
func (m *Maker) endSet(key uint32, dense bool) {
	p := &m.p
	p.keys, p.ends, p.dense = append(p.keys, key), append(p.ends, uint32(len(p.members))), append(p.dense, dense)
}

// Reserve makes room for so many at first.
func (m *Maker) Reserve(keys, members, values int) {
	p := &m.p
	p.keys, p.members, m.numbers = slices.Grow(p.keys, keys), slices.Grow(p.members, members),
		slices.Grow(m.numbers, values)
	if members > 0 || values > keys {
		p.ends = slices.Grow(p.ends, keys)
	}
	if members > 0 {
		p.dense = slices.Grow(p.dense, keys)
	}
}

// Done is the partial that was made.
func (m *Maker) Done() *Partial {
	p := &m.p
	made := &Partial{keys: slices.Clone(p.keys), values: numbersOf(m.numbers), members: slices.Clone(p.members),
		ends: slices.Clone(p.ends)}
	if slices.Contains(p.dense, true) {
		made.dense = slices.Clone(p.dense)
	}
	*p, m.numbers = Partial{keys: p.keys[:0], members: p.members[:0], ends: p.ends[:0], dense: p.dense[:0]},
		m.numbers[:0]
	return made
}
