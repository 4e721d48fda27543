//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// A part is partKeys receipts that were stored one after the other, and some more if the
// commit that filled it had them. Its filter lies in memory, with 4 bytes for each, so a
// new id is looked up in the file for one in a million parts, and one that came before in
// the part where it is: a repeat costs no more however many receipts there are.
//
// A part that is full takes no more and its filter is stored: so no filter errs more than
// a full one, none is made anew, and Open reads filters instead of receipts. Eight that are stored are a group.
type part struct {
	number int32
	filter *bloom
	stored bool // the filter is in the file
}

// partKeys is a balance: a look-up reads a part, in 4 to 6 ms, and a new id asks the filters of
// all parts, 190 with 50 million receipts, which are eight at a time. To sort the receipts
// of a part by their hash does not pay: a few ids are found sooner, fifty are not.
const partKeys = 1 << 18

// Parts are those that there are, by number; receipts are added to the last one.
type parts struct {
	grouped []*group // of the first ones
	all     []*part  // that are in no group
	keys    int      // partKeys but in tests
}

func (p *parts) last() *part { return p.all[len(p.all)-1] }

// add notes that keys are in the last part, and begins another when that is full.
func (p *parts) add(rows []*row) {
	last := p.last()
	for _, r := range rows {
		last.filter.add(r.key)
	}
	p.begin()
}

// begin adds a part if there is none that is not full.
func (p *parts) begin() {
	if len(p.all) == 0 {
		p.all = append(p.all, &part{filter: newBloom()})
	} else if last := p.last(); last.stored || last.filter.count >= p.keys {
		p.all = append(p.all, &part{number: last.number + 1, filter: newBloom()})
	}
}

// maybe appends to in the numbers of the parts that may have k.
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

// ended is the first part that is full and not stored, or nil.
func (p *parts) ended() *part {
	for _, one := range p.all[:len(p.all)-1] {
		if !one.stored {
			return one
		}
	}
	return nil
}

// group puts the first parts that are stored in groups. The last part of all is in none.
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

// drop forgets the parts before number.
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

// filterRow is how many words are one row of the table receipt_filters: the engine holds
// 2048 rows in memory at a time, and they are 32 MB.
const filterRow = 2048

// storeFilter stores the filter of p, whole or not at all.
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

// readParts reads the filters that are stored, and makes those that are not, of receipts.
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
	// Filters are stored in the order of their parts.
	others, err := partNumbers(c, "SELECT DISTINCT part::BIGINT FROM receipts WHERE part > $last::INTEGER ORDER BY 1", named("last", last))
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

func readFilter(c engine, number int32) (*bloom, error) {
	b := newBloom()
	err := c.each("SELECT bits, word::BIGINT FROM receipt_filters WHERE part = $part::INTEGER", []sqldriver.NamedValue{named("part", number)},
		func(v []sqldriver.Value) error {
			var word int64
			if err := scan(v[1:], &word); err != nil {
				return err
			}
			bits, ok := v[0].([]byte)
			if !ok || word < 0 || word+filterRow > bloomWords || len(bits) != 8*filterRow {
				return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("the filter of part %d of receipts is of another form", number)}
			}
			for i := range filterRow {
				b.words[int(word)+i] = binary.LittleEndian.Uint64(bits[8*i:])
			}
			return nil
		})
	return b, err
}

func makeFilter(c engine, number int32) (*bloom, error) {
	b := newBloom()
	err := c.each("SELECT hi, lo FROM receipts WHERE part = $part::INTEGER", []sqldriver.NamedValue{named("part", number)},
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
