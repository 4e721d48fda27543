//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// This file explains how event ids are looked up among the receipts.
//
// A part is a set of receipts that were stored one after the other: partKeys receipts, or a few more if the
// commit that filled it had more. The filter of each part is in memory, with 4 bytes per receipt. A new id is
// rarely looked up in the file: once for every million parts. A repeat is looked up in the part that has it, so
// its cost does not depend on the number of receipts.
//
// A full part accepts no more receipts, and its filter is stored. So no filter is ever overfull or computed
// twice, and Open reads filters instead of receipts. Eight parts with stored filters form a group: see
// bloom.go.
type part struct {
	number int32
	filter *bloom
	stored bool // whether the filter is in the file
}

// partKeys is a compromise. Looking up ids in a part takes 4 to 6 ms. For a new id, the filters of all parts
// must be checked: with 50 million receipts these are 190 parts, eight of which are checked at a time. Sorting
// the receipts of a part by hash does not pay off: it speeds up the look-up of a few ids, but not of fifty.
const partKeys = 1 << 18

// A parts value has all parts, ordered by number. Receipts are added to the last one.
type parts struct {
	grouped []*group // the oldest parts
	all     []*part  // the parts that are not in a group
	keys    int      // partKeys; smaller in tests
}

func (p *parts) last() *part { return p.all[len(p.all)-1] }

// add adds the keys of rows to the last part, and begins a new part if that is full.
func (p *parts) add(rows []*row) {
	last := p.last()
	for _, r := range rows {
		last.filter.add(r.key)
	}
	p.begin()
}

// begin adds a part if p is empty or its last one is full.
func (p *parts) begin() {
	if len(p.all) == 0 {
		p.all = append(p.all, &part{filter: newBloom()})
	} else if last := p.last(); last.stored || last.filter.count >= p.keys {
		p.all = append(p.all, &part{number: last.number + 1, filter: newBloom()})
	}
}

// maybe appends the numbers of the parts that may contain k to in.
func (p *parts) maybe(in []int32, k key) []int32 {
	for _, some := range p.grouped {
		in = some.maybe(in, k)
	}
	for _, one := range p.all {
		if one.filter.maybe(k) {
			in = append(in, one.number)
		}
	}
	return in
}

// unstored returns the first full part whose filter is not stored, or nil.
func (p *parts) unstored() *part {
	for _, one := range p.all[:len(p.all)-1] {
		if !one.stored {
			return one
		}
	}
	return nil
}

// group moves the first parts into groups if their filters are stored. The last part is never in a group.
func (p *parts) group() {
	for len(p.all) > groupParts {
		some := p.all[:groupParts]
		if slices.ContainsFunc(some, func(one *part) bool { return !one.stored }) {
			return
		}
		p.grouped = append(p.grouped, groupOf(some))
		p.all = slices.Clone(p.all[groupParts:])
	}
}

// drop removes the parts before number.
func (p *parts) drop(number int32) {
	p.grouped = slices.DeleteFunc(p.grouped, func(g *group) bool {
		for i, one := range g.numbers {
			if one < number {
				g.has &^= 1 << i
			}
		}
		return g.has == 0
	})
	last := p.last()
	p.all = slices.DeleteFunc(p.all, func(one *part) bool { return one.number < number && one != last })
}

// filterRow is the number of words in one row of the table receipt_filters. The engine holds 2048 rows in
// memory at a time, which is 32 MB.
const filterRow = 2048

// storeFilter stores the filter of p in one transaction.
func storeFilter(c engine, p *part) error {
	return transact(c, func() error {
		return c.fill("receipt_filters", func(add func(...sqldriver.Value) error) error {
			word := int32(0)
			for some := range slices.Chunk(p.filter.words, filterRow) {
				bits := make([]byte, 0, 8*filterRow)
				for _, w := range some {
					bits = binary.LittleEndian.AppendUint64(bits, w)
				}
				if err := add(p.number, word, bits); err != nil {
					return err
				}
				word += filterRow
			}
			return nil
		})
	})
}

// readParts reads the stored filters, and computes the others from receipts.
func readParts(c engine) (*parts, error) {
	p := &parts{keys: partKeys}
	stored, err := partNumbers(c, "SELECT DISTINCT part::BIGINT FROM receipt_filters ORDER BY 1")
	if err != nil {
		return nil, err
	}
	last := int32(-1)
	for _, number := range stored {
		filter, err := readFilter(c, number)
		if err != nil {
			return nil, err
		}
		p.all = append(p.all, &part{number, filter, true})
		last = number
		p.group()
	}
	// Filters are stored in the order of their parts, so all later parts have none.
	others, err := partNumbers(c, "SELECT DISTINCT part::BIGINT FROM receipts WHERE part > $last::INTEGER ORDER BY 1",
		named("last", last))
	if err != nil {
		return nil, err
	}
	for _, number := range others {
		filter, err := makeFilter(c, number)
		if err != nil {
			return nil, err
		}
		p.all = append(p.all, &part{number, filter, false})
	}
	p.begin()
	p.group()
	return p, nil
}

func partNumbers(c engine, question string, args ...sqldriver.NamedValue) (numbers []int32, err error) {
	err = c.each(question, args, func(v []sqldriver.Value) error {
		var number int64
		if err := scan(v, &number); err != nil {
			return err
		}
		numbers = append(numbers, int32(number))
		return nil
	})
	return numbers, err
}

// readFilter reads the stored filter of a part.
func readFilter(c engine, number int32) (*bloom, error) {
	b := newBloom()
	err := c.each("SELECT bits, word::BIGINT FROM receipt_filters WHERE part = $part::INTEGER",
		[]sqldriver.NamedValue{named("part", number)},
		func(v []sqldriver.Value) error {
			var word int64
			if err := scan(v[1:], &word); err != nil {
				return err
			}
			bits, ok := v[0].([]byte)
			if !ok || word < 0 || word+filterRow > bloomWords || len(bits) != 8*filterRow {
				return &fault{kind: store.ErrCorrupt,
					cause: fmt.Errorf("the filter of part %d of the receipts has an unknown format", number)}
			}
			for i := range filterRow {
				b.words[int(word)+i] = binary.LittleEndian.Uint64(bits[8*i:])
			}
			return nil
		})
	return b, err
}

// makeFilter computes the filter of a part from its receipts.
func makeFilter(c engine, number int32) (*bloom, error) {
	b := newBloom()
	err := c.each("SELECT hi, lo FROM receipts WHERE part = $part::INTEGER",
		[]sqldriver.NamedValue{named("part", number)},
		func(v []sqldriver.Value) error {
			var k key
			if err := scan(v, &k.hi, &k.lo); err != nil {
				return err
			}
			b.add(k)
			return nil
		})
	return b, err
}
