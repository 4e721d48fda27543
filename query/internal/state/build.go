package state

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
)

// maxGroups bounds the groups of computed rows: each takes some bytes while partials are made.
const maxGroups = 1 << 24

// maxKeys bounds the keys of a stretch.
const maxKeys = 50_000

// Computed is the result of a statement, to make partials from: rows in any order, each of which stands
// for the rows of the store with the same stretch, keys, members and samples.
type Computed struct {
	Stretches []calendar.Interval // that the statement covers, in order
	Versions  []uint64            // of the rows of each stretch, read before the statement ran
	Rows      *store.Rows
	// Cell is the column with the number of the piece of time that a row lies in: its time divided by
	// Width (milliseconds), rounded down. Without Keys the piece within its stretch serves as the key;
	// otherwise it only selects the stretch. A stretch may cut its first and last piece.
	Cell       int
	Width      int64
	Keys       []int  // columns of texts
	KeyNames   string // names the Keys; aggregates with the same KeyNames share the numbers of keys
	Aggregates []Aggregate
	Columns    []int // of each aggregate
	Count      int   // the column of how many rows of the store a row stands for
}

// A builder makes partials of computed rows: one for each aggregate and stretch.
type builder struct {
	*Computed
	keys   int      // how many there may be
	groups []uint32 // of each row, by stretch and key
}

// groupsOf finds the group of each row, and numbers keys that are new.
func (b *builder) groupsOf(names *Texts) error {
	cells := b.Rows.Columns[b.Cell].Ints
	keys, err := b.keysOf(names)
	if err != nil {
		return err
	}
	b.groups = make([]uint32, b.Rows.Len)
	last, stretch := int64(-1<<62), 0
	for row, cell := range cells {
		if cell != last {
			last = cell
			at := cell * b.Width
			i, found := slices.BinarySearchFunc(b.Stretches, at, func(s calendar.Interval, at int64) int {
				switch {
				case s.To <= at:
					return -1
				case s.From >= at+b.Width:
					return 1
				}
				return 0
			})
			if !found {
				return fmt.Errorf("state: a row of cell %d, which was not asked for", cell)
			}
			stretch = i
		}
		key := uint32(0)
		if keys != nil {
			key = keys[row]
		} else {
			key = uint32(cell - calendar.FloorDiv(b.Stretches[stretch].From, b.Width))
		}
		b.groups[row] = uint32(stretch*b.keys) + key
	}
	return nil
}

// keysOf numbers the keys of rows; nil without keys, when b.keys becomes how many cells the longest
// stretch has.
func (b *builder) keysOf(names *Texts) ([]uint32, error) {
	if len(b.Keys) == 0 {
		for _, s := range b.Stretches {
			b.keys = max(b.keys, int(calendar.FloorDiv(s.To-1, b.Width)-calendar.FloorDiv(s.From, b.Width)+1))
		}
		return nil, nil
	}
	found := make([]uint32, b.Rows.Len)
	values := make([]string, len(b.Keys))
	for row := range found {
		for i, c := range b.Keys {
			values[i] = b.Rows.Columns[c].Texts[row]
		}
		found[row] = names.Number(JoinKey(values))
	}
	if b.keys = len(names.texts); int64(b.keys)*int64(len(b.Stretches)) > maxGroups {
		return nil, ErrTooLarge
	}
	return found, nil
}

// extremes makes the partials of a Least or Greatest.
func (b *builder) extremes(kind Kind, column int) []*Partial {
	values := &b.Rows.Columns[column]
	found := slices.Repeat([]int64{None}, b.keys*len(b.Stretches))
	for row, group := range b.groups {
		if !values.Null(row) {
			found[group] = kind.extreme(found[group], values.Ints[row])
		}
	}
	return b.each(func(p *Maker, group int, key uint32) {
		if found[group] != None {
			p.AddValue(key, found[group])
		}
	})
}

// sums makes the partials of a Sum.
func (b *builder) sums(column int) []*Partial {
	values := b.Rows.Columns[column].Ints
	sums := make([]int64, b.keys*len(b.Stretches))
	for row, group := range b.groups {
		sums[group] += values[row]
	}
	return b.each(func(p *Maker, group int, key uint32) {
		if sums[group] != 0 {
			p.AddValue(key, sums[group])
		}
	})
}

// each makes a partial of every stretch by what of each of its keys.
func (b *builder) each(what func(p *Maker, group int, key uint32)) []*Partial {
	found, p := make([]*Partial, len(b.Stretches)), &Maker{}
	for i := range found {
		for key := range b.keys {
			what(p, i*b.keys+key, uint32(key))
		}
		found[i] = p.Done()
	}
	return found
}

// sets makes the partials of a Set.
func (b *builder) sets(column int, members *Members) []*Partial {
	hashes := &b.Rows.Columns[column]
	return b.setsOf(func(row int) (uint32, int) {
		if hashes.Null(row) || hashes.Ints[row] == 0 {
			return 0, 0
		}
		return members.Number(hashes.Ints[row]), 1
	})
}

// textSets makes the partials of a TextSet.
func (b *builder) textSets(column int, members *Texts) []*Partial {
	texts := &b.Rows.Columns[column]
	return b.setsOf(func(row int) (uint32, int) {
		if texts.Null(row) || texts.Texts[row] == "" {
			return 0, 0
		}
		return members.Number(texts.Texts[row]), 1
	})
}

// setsOf makes the partials of sets of the members, none or one, of rows.
func (b *builder) setsOf(member func(row int) (number uint32, times int)) []*Partial {
	byGroup := gather(b, member)
	return b.each(func(p *Maker, group int, key uint32) {
		if found := byGroup(group); len(found) > 0 {
			slices.Sort(found)
			p.AddSet(key, slices.Compact(found))
		}
	})
}

// samples makes the partials of a Sample.
func (b *builder) samples(column int) []*Partial {
	values, counts := &b.Rows.Columns[column], b.Rows.Columns[b.Count].Ints
	byGroup := gather(b, func(row int) (int64, int) {
		if values.Null(row) {
			return 0, 0
		}
		return values.Ints[row], int(counts[row])
	})
	return b.each(func(p *Maker, group int, key uint32) {
		if found := byGroup(group); len(found) > 0 {
			slices.Sort(found)
			p.AddSample(key, found)
		}
	})
}

// gather puts the values of rows, each so many times, in the order of their groups. It returns a function for the
// values of a group.
func gather[T any](b *builder, value func(row int) (T, int)) func(group int) []T {
	ends := make([]uint32, b.keys*len(b.Stretches)+1)
	values, times := make([]T, len(b.groups)), make([]int, len(b.groups))
	for row, group := range b.groups {
		values[row], times[row] = value(row)
		ends[group+1] += uint32(times[row])
	}
	for group := 1; group < len(ends); group++ {
		ends[group] += ends[group-1]
	}
	all := make([]T, ends[len(ends)-1])
	for row, group := range b.groups {
		for range times[row] {
			all[ends[group]] = values[row]
			ends[group]++
		}
	}
	return func(group int) []T {
		from := uint32(0)
		if group > 0 {
			from = ends[group-1]
		}
		return all[from:ends[group]]
	}
}

// Build makes the partials of every aggregate, by aggregate and stretch. It numbers keys and members that are new. Its
// error wraps ErrTooLarge if c is too large.
func (c *Computed) Build(names *Numbering) ([][]*Partial, error) {
	made := &builder{Computed: c}
	if err := made.groupsOf(names.TextsOf(c.KeyNames)); err != nil {
		return nil, err
	}
	found := make([][]*Partial, len(c.Aggregates))
	for i, a := range c.Aggregates {
		switch a.Kind {
		case Sum:
			found[i] = made.sums(c.Columns[i])
		case Least, Greatest:
			found[i] = made.extremes(a.Kind, c.Columns[i])
		case Set:
			found[i] = made.sets(c.Columns[i], names.MembersOf(a.Members))
		case TextSet:
			found[i] = made.textSets(c.Columns[i], names.TextsOf(a.Members))
		case Sample:
			found[i] = made.samples(c.Columns[i])
		}
		for _, p := range found[i] {
			if len(c.Keys) > 0 && len(p.keys) > maxKeys {
				return nil, ErrTooLarge
			}
		}
	}
	return found, nil
}
