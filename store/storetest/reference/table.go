package reference

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

type valueKind int

const (
	null valueKind = iota
	textValue
	numberValue
	instantValue
	boolValue
	rawValue // JSON as it is
)

// A value is one cell of an answer.
type value struct {
	kind   valueKind
	text   string
	number *big.Rat
	digits int   // decimals shown of a number
	whole  int64 // an instant in milliseconds; 1 or 0 of a boolean
}

func text(s string) value { return value{kind: textValue, text: s} }

func count(n int) value { return whole(int64(n)) }

func whole(n int64) value { return fraction(big.NewRat(n, 1)) }

// raw is a cell that holds JSON: an object or a list.
func raw(json string) value { return value{kind: rawValue, text: json} }

func instant(ms int64) value { return value{kind: instantValue, whole: ms} }

func truth(b bool) value {
	v := value{kind: boolValue}
	if b {
		v.whole = 1
	}
	return v
}

// fraction is a number shown with two decimals; nil is null.
func fraction(r *big.Rat) value { return decimals(r, 2) }

func decimals(r *big.Rat, digits int) value {
	if r == nil {
		return value{}
	}
	return value{kind: numberValue, number: r, digits: digits}
}

// ratio is a/b, null when b is 0.
func ratio(a, b int) value {
	if b == 0 {
		return value{}
	}
	return fraction(big.NewRat(int64(a), int64(b)))
}

// compare orders two values of one column that are not null.
func (v value) compare(w value) int {
	switch v.kind {
	case textValue:
		return strings.Compare(v.text, w.text)
	case numberValue:
		return v.number.Cmp(w.number)
	default:
		return cmp.Compare(v.whole, w.whole)
	}
}

func (v value) json() string {
	switch v.kind {
	case textValue:
		return quoted(v.text)
	case numberValue:
		return decimal(v.number, v.digits)
	case instantValue:
		return time.UnixMilli(v.whole).UTC().Format(`"2006-01-02T15:04:05.000Z"`)
	case boolValue:
		return fmt.Sprint(v.whole == 1)
	case rawValue:
		return v.text
	default:
		return "null"
	}
}

// quoted is s as a JSON string. Quotes, backslashes and control characters are escaped,
// by their letter where they have one; nothing else is.
func quoted(s string) string {
	letters := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch escaped, ok := letters[r]; {
		case ok:
			b.WriteString(escaped)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// An order sorts by one column.
type order struct {
	column string
	desc   bool
}

// A table is an answer before it is sorted and cut.
type table struct {
	columns []Column
	keys    []string // break ties, ascending
	order   []order  // the default order
	hidden  []string // cells after those of the columns, for orders only
	rows    [][]value
}

// at is the place of a column's or a hidden cell.
func (t *table) at(name string) int {
	if i := columnOf(t.columns, name); i >= 0 {
		return i
	}
	return len(t.columns) + slices.Index(t.hidden, name)
}

func columnOf(list []Column, name string) int {
	return slices.IndexFunc(list, func(c Column) bool { return c.Name == name })
}

// sort applies the order that was asked for, else the default one, then the keys.
func (t *table) sort(by, direction string) error {
	orders := t.order
	if by != "" {
		i := columnOf(t.columns, by)
		if i < 0 || t.columns[i].Kind == Object {
			return fmt.Errorf("%w: no column %q", ErrSort, by)
		}
		desc := t.columns[i].Kind.descending()
		if direction != "" {
			desc = direction == "desc"
		}
		orders = []order{{by, desc}}
	}
	for _, k := range t.keys {
		orders = append(slices.Clone(orders), order{k, false})
	}
	slices.SortStableFunc(t.rows, func(a, b []value) int {
		for _, o := range orders {
			i := t.at(o.column)
			if c := compareCells(a[i], b[i], o.desc); c != 0 {
				return c
			}
		}
		return 0
	})
	return nil
}

// compareCells puts null last in both directions.
func compareCells(a, b value, desc bool) int {
	switch {
	case a.kind == null && b.kind == null:
		return 0
	case a.kind == null:
		return 1
	case b.kind == null:
		return -1
	case desc:
		return b.compare(a)
	default:
		return a.compare(b)
	}
}

// cut keeps one page.
func (t *table) cut(limit, page int, series bool) {
	page = max(page, 1)
	if limit == 0 {
		if series && page == 1 {
			return
		}
		limit = 100
		if series {
			limit = len(t.rows)
		}
	}
	start := min((page-1)*limit, len(t.rows))
	t.rows = t.rows[start:min(start+limit, len(t.rows))]
}

// json writes the rows as an array of objects, columns in their order.
func (t *table) json() []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, row := range t.rows {
		if i > 0 {
			b.WriteByte(',')
		}
		object(&b, t.columns, row)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// object writes one row.
func object(b *bytes.Buffer, names []Column, row []value) {
	b.WriteByte('{')
	for i, c := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		cell := row[i]
		if c.Kind == Host {
			cell.text = unicodeOf(cell.text)
		}
		fmt.Fprintf(b, "%q:%s", c.Name, cell.json())
	}
	b.WriteByte('}')
}
