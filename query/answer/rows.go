package answer

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// A ColumnError says why a column of a Table cannot be read as a program wants it.
type ColumnError struct {
	Column string
	Field  string // of the struct that rows are read into; empty for Table.Time
	Row    int    // the row, from 0; -1: all rows
	Reason string
}

// Error names the column, and the row and the field where there are such.
func (e *ColumnError) Error() string {
	where := fmt.Sprintf("column %q", e.Column)
	if e.Row >= 0 {
		where += fmt.Sprintf(" in row %d", e.Row)
	}
	if e.Field != "" {
		where += " for field " + e.Field
	}
	return "query: " + where + ": " + e.Reason
}

// noColumn is the error about a column that t does not have.
func (t *Table) noColumn(name, field string) error {
	reason, _ := mistake.Choice("there is no such column", name, t.Columns(), nil)
	return &ColumnError{Column: name, Field: field, Row: -1, Reason: reason}
}

// Rows returns the rows of t as structs: T is a struct, or a pointer to one.
//
// A field gets the cell of the column that its json tag names. Without a tag, the column is called like the field in
// any case. A field with the tag "-" is left alone, and so are columns that no field names. The fields of embedded
// structs count, too.
//
//	format of the column   type of the field
//	string, date           string
//	integer                any integer or float
//	number                 float32, float64
//	boolean                bool
//	datetime               time.Time, in UTC
//	json                   anything that encoding/json reads it into, such as json.RawMessage or a slice of structs
//
// Each of them may be a pointer, which is nil for null. A field of type any gets what [Table.Value] returns. See
// [Table.Time] for dates as times.
//
// Null in a field that is not a pointer is an error, and so is a whole row that is null, as in Result.Previous, unless
// T is a pointer: a 0 in place of null would look like a measured value. Which columns can be null is in
// docs/query-types.md. Other errors are a column that is not there, with the nearest name, and a field whose type does
// not fit, also for tables without rows. All of these are a *[ColumnError]. A table without columns, as of a parameter
// that failed, has no rows, which is not an error.
func Rows[T any](t Table) ([]T, error) {
	of := reflect.TypeFor[T]()
	pointer := of.Kind() == reflect.Pointer
	if pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
		return nil, fmt.Errorf("query: rows are read into structs, not into %s", reflect.TypeFor[T]())
	}
	fill, err := t.fillers(of)
	if err != nil {
		return nil, err
	}
	rows := make([]T, t.len)
	for row := range rows {
		into := reflect.ValueOf(&rows[row]).Elem()
		switch {
		case t.Absent(row) && !pointer:
			return nil, fmt.Errorf("query: row %d is null: read the rows into *%s", row, of)
		case t.Absent(row):
			continue
		case pointer:
			into.Set(reflect.New(of))
			into = into.Elem()
		}
		for _, f := range fill {
			if err := f(into, row); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// A filler sets one field of a struct to the cell of a row.
type filler func(into reflect.Value, row int) error

// fillers returns what sets the fields of a struct, or the error of the first field that no column fits.
func (t *Table) fillers(of reflect.Type) ([]filler, error) {
	if len(t.columns) == 0 {
		return nil, nil
	}
	var all []filler
	for _, field := range reflect.VisibleFields(of) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || tag == "-" || field.Anonymous && tag == "" && field.Type.Kind() == reflect.Struct {
			continue
		}
		c := t.Column(tag)
		for i := range t.columns {
			if tag == "" && strings.EqualFold(t.columns[i].Name, field.Name) {
				c = &t.columns[i]
			}
		}
		if c == nil {
			name := tag
			if name == "" {
				name = field.Name
			}
			return nil, t.noColumn(name, field.Name)
		}
		f, err := c.filler(field)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// filler returns what sets field to cells of c.
func (c *Cells) filler(field reflect.StructField) (filler, error) {
	of, pointer := field.Type, field.Type.Kind() == reflect.Pointer
	if pointer {
		of = of.Elem()
	}
	wrong := func(row int, format string, args ...any) error {
		return &ColumnError{Column: c.Name, Field: field.Name, Row: row, Reason: fmt.Sprintf(format, args...)}
	}
	if !fits(c.Format, of) {
		return nil, wrong(-1, "a column of format %s does not fit the type %s", c.Format, field.Type)
	}
	return func(into reflect.Value, row int) error {
		target, err := into.FieldByIndexErr(field.Index)
		if err != nil {
			return wrong(-1, "%v", err)
		}
		value := c.value(row)
		switch {
		case value == nil && (pointer || of.Kind() == reflect.Interface):
			return nil
		case value == nil:
			return wrong(row, "null does not fit the type %s: use a pointer", field.Type)
		}
		if pointer {
			target.Set(reflect.New(of))
			target = target.Elem()
		}
		if err := set(target, value, c.Format); err != nil {
			return wrong(row, "%v", err)
		}
		return nil
	}, nil
}

// fits reports whether values of a format, if they are not null, can be set in a field of that type.
func fits(format catalog.Format, of reflect.Type) bool {
	if of.Kind() == reflect.Interface {
		return of.NumMethod() == 0
	}
	switch format {
	case catalog.JSON:
		return true
	case catalog.Boolean:
		return of.Kind() == reflect.Bool
	case catalog.DateTime:
		return of == reflect.TypeFor[time.Time]()
	case catalog.Number:
		return of.Kind() == reflect.Float32 || of.Kind() == reflect.Float64
	case catalog.Integer:
		return of.Kind() >= reflect.Int && of.Kind() <= reflect.Float64 && of.Kind() != reflect.Uintptr
	}
	return of.Kind() == reflect.String
}

// set sets a field to a value that fits it.
func set(field reflect.Value, value any, format catalog.Format) error {
	if field.Kind() == reflect.Interface {
		field.Set(reflect.ValueOf(value))
		return nil
	}
	switch v := value.(type) {
	case string:
		if format == catalog.JSON {
			if err := json.Unmarshal([]byte(v), field.Addr().Interface()); err != nil {
				return fmt.Errorf("its JSON does not fit the type %s: %w", field.Type(), err)
			}
			return nil
		}
		field.SetString(v)
	case bool:
		field.SetBool(v)
	case float64:
		field.SetFloat(v)
	case int64:
		return setInteger(field, v)
	default:
		field.Set(reflect.ValueOf(v)) // a time.Time
	}
	return nil
}

// setInteger sets a field of any number type. It fails if the type does not reach that far.
func setInteger(field reflect.Value, n int64) error {
	switch {
	case field.CanFloat():
		field.SetFloat(float64(n))
		return nil
	case field.CanInt() && !field.OverflowInt(n):
		field.SetInt(n)
		return nil
	case field.CanUint() && n >= 0 && !field.OverflowUint(uint64(n)):
		field.SetUint(uint64(n))
		return nil
	}
	return fmt.Errorf("%d does not fit the type %s", n, field.Type())
}
