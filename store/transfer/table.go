package transfer

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A table is a logical table: its columns, and how its rows become rows of a batch.
type table struct {
	name    string
	of      store.SubjectKind
	columns []column
	// put adds row i of an answer with all columns to b.
	put func(b *store.Batch, subject string, rows *store.Rows, i int)
	// key are the columns, beside time and event_id, that tell rows apart: those of
	// one id are one row for each.
	key string
}

// A column is one column of a logical table.
type column struct {
	name string
	kind dialect.Kind
}

// A field is a column and where its value belongs in a row of type T.
type field[T any] struct {
	column

	set func(row *T, value *store.Column, i int)
}

func text[T any](name string, of func(*T) *string) field[T] {
	return field[T]{column{name, dialect.Text}, func(row *T, value *store.Column, i int) { *of(row) = value.Texts[i] }}
}

func whole[T any](name string, set func(row *T, v int64)) field[T] {
	return field[T]{column{name, dialect.Int}, func(row *T, value *store.Column, i int) { set(row, value.Ints[i]) }}
}

func measure[T any](name string, of func(*T) *store.Measure) field[T] {
	return field[T]{column{name, dialect.Int}, func(row *T, value *store.Column, i int) {
		if !value.Null(i) {
			*of(row) = store.Known(value.Ints[i])
		}
	}}
}

// A common is where a row has what it shares with rows of other kinds.
type common struct {
	subject, id *string
	time        *time.Time
	agent       *store.Agent    // nil for checks
	identity    *store.Identity // nil but for rows of websites, as is path
	path        *string
}

// tableOf makes a table. rows is where a batch has its rows, of what they
// share with others; fields follow event_id and time.
func tableOf[T any](name, key string, kind store.SubjectKind, rows func(*store.Batch) *[]T, of func(*T) common, fields ...[]field[T]) table {
	all := slices.Concat(append([][]field[T]{{
		text("event_id", func(row *T) *string { return of(row).id }),
		whole("time", func(row *T, v int64) { *of(row).time = time.UnixMilli(v).UTC() }),
	}}, fields...)...)
	t := table{name: name, of: kind, key: key}
	for _, f := range all {
		t.columns = append(t.columns, f.column)
	}
	t.put = func(b *store.Batch, id string, from *store.Rows, i int) {
		to := rows(b)
		*to = append(*to, *new(T))
		row := &(*to)[len(*to)-1]
		*of(row).subject = id
		for c := range all {
			all[c].set(row, &from.Columns[c], i)
		}
	}
	return t
}

// visitor are the columns that the tables of websites go on with. The visitor follows
// from two others; it is read to be compared.
func visitor[T any](of func(*T) common) []field[T] {
	return slices.Concat([]field[T]{
		text("session_id", func(row *T) *string { return &of(row).identity.SessionID }),
		text("anonymous_id", func(row *T) *string { return &of(row).identity.AnonymousID }),
		text("profile_id", func(row *T) *string { return &of(row).identity.ProfileID }),
		{column{"visitor", dialect.Text}, func(*T, *store.Column, int) {}},
	}, device(of), []field[T]{text("path", func(row *T) *string { return of(row).path })})
}

func device[T any](of func(*T) common) []field[T] {
	return []field[T]{
		text("browser_name", func(row *T) *string { return &of(row).agent.BrowserName }),
		text("browser_version", func(row *T) *string { return &of(row).agent.BrowserVersion }),
		text("os_name", func(row *T) *string { return &of(row).agent.OSName }),
		text("os_version", func(row *T) *string { return &of(row).agent.OSVersion }),
		text("device_type", func(row *T) *string { return &of(row).agent.DeviceType }),
		text("country", func(row *T) *string { return &of(row).agent.Country }),
		text("region", func(row *T) *string { return &of(row).agent.Region }),
		text("city", func(row *T) *string { return &of(row).agent.City }),
	}
}
