package state

import (
	"math/bits"
	"slices"
)

// A union makes one set of several. It is used again for further ones.
type union struct {
	words   []uint32 // of 32 members each; none is set between unions
	members []uint32
}

// sparse is the most words, or places of a table, per value that counts. With more, it takes longer to read them than
// to sort the values.
const sparse = 8

// add adds to p a key with the different members of lists.
func (u *union) add(p *Maker, key uint32, lists []list, of []Source) {
	all, first, last := 0, ^uint32(0), uint32(0)
	for _, l := range lists {
		from, to := l.words(of)
		all, first, last = all+l.len(of), min(first, from), max(last, to)
	}
	n := int(last-first) + 1
	if n > sparse*all {
		u.members = u.members[:0]
		for _, l := range lists {
			u.members = l.appendMembers(u.members, of)
		}
		slices.Sort(u.members)
		p.AddSet(key, slices.Compact(u.members))
		return
	}
	if n > len(u.words) {
		u.words = make([]uint32, n)
	}
	words := u.words[:n]
	for _, l := range lists {
		l.setIn(words, first, of)
	}
	p.addBits(key, first, words)
	clear(words)
}

// setIn sets the members of l in words, which begin with the word number first.
func (l list) setIn(words []uint32, first uint32, of []Source) {
	members := of[l.source].members[l.from:l.to]
	if l.dense {
		some := words[members[1]-first:][:len(members)-2]
		for i, word := range members[2:] {
			some[i] |= word
		}
		return
	}
	for _, member := range members {
		words[member/32-first] |= 1 << (member % 32)
	}
}

// words returns the first and the last word with members of l.
func (l list) words(of []Source) (first, last uint32) {
	members := of[l.source].members[l.from:l.to]
	if l.dense {
		return members[1], members[1] + uint32(len(members)) - 3
	}
	return slices.Min(members) / 32, slices.Max(members) / 32
}

// addBits adds a key with the members in words, which begin with the word number first. It stores bits if these take
// fewer bytes. Neither end is zero.
func (m *Maker) addBits(key, first uint32, words []uint32) {
	n := 0
	for _, word := range words {
		n += bits.OnesCount32(word)
	}
	p := &m.p
	dense := len(words)+2 < n
	if dense {
		p.members = append(append(p.members, uint32(n), first), words...)
	} else {
		p.members = appendBits(p.members, first, words)
	}
	m.endSet(key, dense)
}

// appendBits appends the members in words, ascending.
func appendBits(all []uint32, first uint32, words []uint32) []uint32 {
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			all = append(all, (first+uint32(i))*32+uint32(bits.TrailingZeros32(word)))
		}
	}
	return all
}
