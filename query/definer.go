package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// definer turns one Type into a definition.
type definer struct {
	words  dictionary
	def    *definition
	faults []error
}

func (b *definer) fault(format string, args ...any) {
	b.faults = append(b.faults, fmt.Errorf("query type %q: %s", b.def.Name, fmt.Sprintf(format, args...)))
}

func (b *definer) define() {
	d := b.def
	if d.Name == "" || d.Title == "" || d.About == "" || d.Category == "" || d.Chart == "" {
		b.fault("Name, Title, About, Category and Chart are required")
	}
	d.table = tableNamed(d.Rows)
	if d.table == nil {
		b.fault("there is no table %q", d.Rows)
		return
	}
	if d.table.of != d.Of {
		b.fault("table %q is not of a %s", d.Rows, d.Of)
	}
	for _, name := range d.With {
		if tb := tableNamed(name); tb == nil || tb.of != d.Of {
			b.fault("there is no table %q of a %s", name, d.Of)
		}
	}
	b.columns()
	b.keys()
	b.having()
	b.references()
	b.metrics()
	b.tables()
	b.orders()
	b.fields()
	if len(b.faults) == 0 {
		b.bind()
	}
}

// bind writes the columns with nothing left to look up.
func (b *definer) bind() {
	d := b.def
	for _, tm := range d.terms {
		d.exprs = append(d.exprs, b.bound(tm))
	}
	if d.Named != "" {
		d.named = d.dimension(d.Named)
	}
}

// bound is a column over the relation j or, of a list, over a row of the table.
func (b *definer) bound(tm *term) expr.Expr {
	d := b.def
	switch {
	case tm.date:
		return j(bucket)
	case tm.share:
		of := b.bound(d.terms[d.column(d.Share)])
		return percent(of, expr.Call(dialect.SumOver, of))
	case tm.on != "" && !d.Each:
		return j(tm.alias())
	}
	return expr.Replace(tm.expr, func(name string) expr.Expr {
		f := d.dimension(name)
		switch {
		case f == nil:
			return j(d.parts[name].alias())
		case d.Each:
			return value(f, d.table)
		}
		return j(expr.Ident(f.Name))
	})
}

// keys looks up what tells rows apart.
func (b *definer) keys() {
	d := b.def
	for _, name := range d.Key {
		if d.column(name) < 0 {
			b.fault("its key %q is no column of it", name)
		}
	}
	for _, name := range d.By {
		f := dimension(name)
		if f == nil {
			b.fault("there is no dimension %q", name)
			continue
		}
		d.by = append(d.by, f)
	}
	if d.Series && (len(d.By) > 0 || d.Each) {
		b.fault("a series has no other keys than its date")
	}
	if d.Each && len(d.By) > 0 {
		b.fault("rows that are not counted have no By")
	}
	if d.Each && d.table.shape == sessionRows && len(d.Key) == 0 {
		b.fault("sessions need a Key")
	}
	if len(d.Values) > 0 && len(d.By) != 1 {
		b.fault("Values are those of one dimension")
	}
	if d.All && (len(d.Values) == 0 || len(d.With) > 0) {
		b.fault("All needs Values, and columns of one table")
	}
	if d.Series && (d.Last > 0 || d.Today) {
		b.fault("a series has the range of its request")
	}
}

func (b *definer) having() {
	if b.def.Having == "" {
		return
	}
	tm := b.words[word{on: b.def.Rows, name: b.def.Having}]
	if tm == nil {
		b.fault("Having names %q, which is no metric of table %q", b.def.Having, b.def.Rows)
		return
	}
	b.def.having = []*term{tm}
}

func (b *definer) columns() {
	seen := map[string]bool{}
	for _, spec := range b.def.Columns {
		name, source, named := strings.Cut(spec, "=")
		if !named {
			source = name
		}
		tm := b.term(source)
		if tm == nil {
			b.fault("there is no column %q for table %q", source, b.def.Rows)
			continue
		}
		if seen[name] {
			b.fault("two columns are called %q", name)
		}
		seen[name] = true
		if tm.date && !b.def.Series || tm.share && b.def.Each {
			b.fault("there is no %s without Series, and no %s with Each", dateColumn, shareColumn)
		}
		shown := tm.column
		shown.Name = name
		b.def.columns = append(b.def.columns, shown)
		b.def.terms = append(b.def.terms, tm)
	}
	if len(b.def.Columns) == 0 {
		b.fault("it has no columns")
	}
	if b.def.Series && !slices.Contains(b.def.Columns, dateColumn) {
		b.fault("a series needs a column %q", dateColumn)
	}
}

// term finds a word for the type: of its own table, then one made of other columns,
// then of the tables beside it.
func (b *definer) term(name string) *term {
	for _, on := range slices.Concat([]string{b.def.Rows, ""}, b.def.With) {
		if tm := b.words[word{on, name, on != "" && b.def.Each}]; tm != nil {
			return tm
		}
	}
	return nil
}

// references looks up the names that columns are made of.
func (b *definer) references() {
	for _, tm := range b.def.terms {
		for _, name := range expr.Refs(tm.expr) {
			if b.def.dimension(name) != nil {
				continue
			}
			m := b.term(name)
			if m == nil || m.on == "" {
				b.fault("column %q needs %q, which is neither a metric nor in By", tm.Name, name)
				continue
			}
			b.def.parts[name] = m
		}
	}
}

// metrics lists the aggregates that the type is made of.
func (b *definer) metrics() {
	d := b.def
	for _, tm := range slices.Concat(d.terms, d.having) {
		all := []*term{tm}
		for _, name := range expr.Refs(tm.expr) {
			all = append(all, d.parts[name])
		}
		for _, m := range all {
			if m != nil && m.on != "" && !slices.Contains(d.metrics, m) {
				d.metrics = append(d.metrics, m)
			}
		}
	}
}

// tables finds those whose rows the type counts. All of them must have its keys, and its
// own decides which rows the answer has.
func (b *definer) tables() {
	d := b.def
	d.used = []*table{d.table}
	own := false
	for _, m := range d.metrics {
		own = own || m.on == d.Rows
		if !slices.Contains(d.used, m.table) {
			d.used = append(d.used, m.table)
		}
	}
	for _, f := range d.by {
		for _, tb := range d.used {
			if !tb.has(f) {
				b.fault("table %q has no dimension %q", tb.name, f.Name)
			}
		}
	}
	d.owned = len(d.by) > 0 && !d.Either && len(d.used) > 1
	if !own && !d.Each && (d.owned || len(d.used) != 2) {
		b.fault("no column counts rows of table %q", d.Rows)
	}
}

func (b *definer) orders() {
	for _, spec := range b.def.Order {
		name, desc := strings.CutPrefix(spec, "-")
		if b.def.column(name) < 0 {
			b.fault("it is ordered by %q, which is no column of it", name)
		}
		b.def.order = append(b.def.order, order{column: name, desc: desc})
	}
	if len(b.def.Order)+len(b.def.Values) == 0 && (len(b.def.By) > 0 || b.def.Each) {
		b.fault("rows need an order")
	}
	if b.def.Share == "" && len(b.def.order) > 0 {
		b.def.Share = b.def.order[0].column
	}
	of := b.def.column(b.def.Share)
	if slices.ContainsFunc(b.def.terms, func(tm *term) bool { return tm.share }) && (of < 0 || b.def.terms[of].share) {
		b.fault("percentage is a share of %q, which is no other column of it", b.def.Share)
	}
	if b.def.Named != "" && b.def.dimension(b.def.Named) == nil {
		b.fault("Named is %q, which is not in By", b.def.Named)
	}
}

// fields finds what callers may filter, group and sort by: a field that the rows of
// every table have which the type counts.
func (b *definer) fields() {
	d := b.def
	d.fields = map[string]*field{}
	for _, f := range fields {
		if slices.ContainsFunc(d.used, func(tb *table) bool { return !tb.has(f) }) {
			continue
		}
		d.fields[f.Name] = f
		d.filterable = append(d.filterable, f.Name)
		shown := d.column(f.Name) >= 0 || slices.Contains(d.By, f.Name)
		if !shown && d.groups(f) {
			d.groupable = append(d.groupable, f.Name)
		}
	}
	for _, c := range d.columns {
		if c.Format != JSON {
			d.sortable = append(d.sortable, c.Name)
		}
	}
	if d.Require != "" && d.fields[d.Require] == nil {
		b.fault("it requires a filter on %q, which is no field of it", d.Require)
	}
}
