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
	rawValue      // JSON, written unchanged
	tooLargeValue // a sum that may not be shown: the question fails
)

// A value is one cell of an answer.
type value struct {
	kind   valueKind
	text   string
	number *big.Rat
	digits int   // number of decimals
	whole  int64 // an instant in milliseconds; 1 or 0 of a boolean
}

func text(s string) value { return value{kind: textValue, text: s} }

func count(n int) value { return whole(int64(n)) }

func whole(n int64) value { return fraction(big.NewRat(n, 1)) }

// raw returns a cell with JSON: an object or a list.
func raw(json string) value { return value{kind: rawValue, text: json} }

func instant(ms int64) value { return value{kind: instantValue, whole: ms} }

func truth(b bool) value {
	v := value{kind: boolValue}
	if b {
		v.whole = 1
	}
	return v
}

// fraction returns a number shown with two decimals. Nil becomes null.
func fraction(r *big.Rat) value { return decimals(r, 2) }

func decimals(r *big.Rat, digits int) value {
	if r == nil {
		return value{}
	}
	return value{kind: numberValue, number: r, digits: digits}
}

// ratio returns a/b, or null if b is 0.
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

// quoted returns s as a JSON string. It escapes only quotes, backslashes and control characters, in the short
// form if there is one.
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

type table struct {
	columns []Column
	keys    []string // ascending, for rows that are otherwise equal
	order   []order  // the default order
	hidden  []string // extra cells after the columns, only for sorting
	block   int      // how many rows limit counts as one; 0 means 1
	rows    [][]value
	named   bool // names of websites are known
}

// at returns the index of a column or a hidden cell.
func (t *table) at(name string) int {
	if i := columnOf(t.columns, name); i >= 0 {
		return i
	}
	return len(t.columns) + slices.Index(t.hidden, name)
}

func columnOf(list []Column, name string) int {
	return slices.IndexFunc(list, func(c Column) bool { return c.Name == name })
}

// sort orders the rows by the requested order, else by the default order, then by the keys.
func (t *table) sort(by, direction string) error {
	orders := t.order
	if by != "" {
		i := columnOf(t.columns, by)
		if i < 0 || t.columns[i].Kind == Object {
			return fmt.Errorf("%w: unknown column %q", ErrSort, by)
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
			x, y := a[i], b[i]
			if i < len(t.columns) && t.columns[i].Kind == Host {
				x.text, y.text = unicodeOf(x.text), unicodeOf(y.text)
			}
			if i < len(t.columns) && t.columns[i].Kind == Date {
				x, y = inTime(x), inTime(y)
			}
			if c := compareCells(x, y, o.desc); c != 0 {
				return c
			}
		}
		return 0
	})
	return nil
}

// inTime returns the instant of a minute, since clocks may show an earlier time after a later one.
func inTime(v value) value {
	if at, err := time.Parse("2006-01-02T15:04Z07:00", v.text); err == nil {
		return instant(at.UnixMilli())
	}
	return v
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

// cut reduces the table to one page.
func (t *table) cut(limit, page, usual int, series bool) {
	page = max(page, 1)
	if limit == 0 {
		if series && page == 1 {
			return
		}
		limit = cmp.Or(usual, 100)
		if series {
			limit = len(t.rows)
		}
	}
	limit *= max(t.block, 1)
	start := min((page-1)*limit, len(t.rows))
	t.rows = t.rows[start:min(start+limit, len(t.rows))]
}

// json returns the rows as an array of objects, with the columns in order.
func (t *table) json() []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, row := range t.rows {
		if i > 0 {
			b.WriteByte(',')
		}
		t.object(&b, row)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// object writes a row of t. The name of a website follows its id.
func (t *table) object(b *bytes.Buffer, row []value) {
	at := columnOf(t.columns, websiteField)
	if at < 0 {
		object(b, t.columns, row)
		return
	}
	name := ""
	if t.named {
		name = SiteName(row[at].text)
	}
	object(b, slices.Insert(slices.Clone(t.columns), at+1, Column{"website_name", Name}),
		slices.Insert(slices.Clone(row), at+1, text(name)))
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
		b.WriteString(quoted(c.Name) + ":" + cell.json())
	}
	b.WriteByte('}')
}
