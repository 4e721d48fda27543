package rowjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// ErrInvalid: a line does not have the form of this package; its cause follows.
var ErrInvalid = errors.New("rowjson: invalid line")

// Is reports whether a line looks like one that [Append] wrote: an object that begins with the member table.
func Is(line []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte(`"`+tableMember+`"`))
}

// tables has the logical tables by name.
var tables = func() map[string]*table {
	all := map[string]*table{}
	for _, t := range schema.Tables() {
		one := &table{Table: t, columns: map[string]*schema.Column{}}
		for i := range one.Columns {
			if c := &one.Columns[i]; c.Exported() {
				one.columns[c.Name] = c
			}
		}
		all[t.ID.String()] = one
	}
	return all
}()

// A table is a logical table with its stored columns by name.
type table struct {
	schema.Table

	columns map[string]*schema.Column
}

// Decode appends the item of a line to b. If its error, which wraps [ErrInvalid], is not nil, b is unchanged. Decode
// checks the form of the line, and not whether a store accepts the row. An unknown member is an error, because it may
// be a column of a newer version, which would be lost.
func Decode(line []byte, b *store.Batch) error {
	if !json.Valid(line) {
		var any json.RawMessage
		return invalid("%w", json.Unmarshal(line, &any))
	}
	name, err := tableOf(line)
	if err != nil {
		return err
	}
	t, ok := tables[name]
	if !ok {
		return invalid("unknown table %q", name)
	}
	before := *b
	r := t.Add(b, "")
	if err := t.decode(line, r); err != nil {
		*b = before
		return err
	}
	return nil
}

// tableOf returns the table of a line, which is valid JSON. It is empty if the line does not name it.
func tableOf(line []byte) (string, error) {
	members, ok := membersOf(line)
	if !ok {
		return "", invalid("not an object")
	}
	for key, raw := range members {
		if key == tableMember {
			return textOf(key, raw)
		}
	}
	return "", nil
}

func invalid(format string, args ...any) error { return &lineError{fmt.Errorf(format, args...)} }

// A lineError says what is wrong with a line. It wraps [ErrInvalid].
type lineError struct{ cause error }

// Error implements error.
func (e *lineError) Error() string { return ErrInvalid.Error() + ": " + e.cause.Error() }

// Plain returns the text for people.
func (e *lineError) Plain() string { return e.cause.Error() }

// Unwrap returns ErrInvalid and the cause.
func (e *lineError) Unwrap() []error { return []error{ErrInvalid, e.cause} }

// decode sets the columns of r to the members of a line.
func (t *table) decode(line []byte, r schema.Row) error {
	kind := string(t.ID.Of())
	var hasTime, hasSamples bool
	members, _ := membersOf(line)
	for key, raw := range members {
		var err error
		c, known := t.columns[key]
		switch {
		case key == tableMember:
		case key == kind:
			var subject string
			subject, err = textOf(key, raw)
			t.SetSubject(r, subject)
		case key == samplesMember && t.ID == schema.Vitals:
			err = t.decodeSamples(r, raw)
			hasSamples = true
		case !known || c.OfSample():
			err = invalid("unknown member %q", key)
		default:
			err = set(c, r, raw)
			hasTime = hasTime || key == timeColumn
		}
		if err != nil {
			return err
		}
	}
	switch {
	case t.Subject(r) == "":
		return invalid("%s is required", kind)
	case t.columns["event_id"].Text(r) == "":
		return invalid("event_id is required")
	case !hasTime:
		return invalid("time is required")
	case t.ID == schema.Vitals && !hasSamples:
		return invalid("samples is required")
	}
	return nil
}

func (t *table) decodeSamples(r schema.Row, raw []byte) error {
	var all []json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil || len(all) == 0 {
		return invalid("samples must be a list of samples")
	}
	r.Batch.Vitals[r.Item].Samples = make([]store.Sample, len(all))
	for r.Sample = range all {
		members, ok := membersOf(all[r.Sample])
		if !ok {
			return invalid("samples must be a list of objects")
		}
		for key, raw := range members {
			c, known := t.columns[key]
			if !known || !c.OfSample() {
				return invalid("unknown member %q of a sample", key)
			}
			if err := set(c, r, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func set(c *schema.Column, r schema.Row, raw []byte) error {
	switch {
	case c.Name == objectColumn && raw[0] == '{':
		c.SetText(r, string(raw))
		return nil
	case c.Kind.IsText():
		text, err := textOf(c.Name, raw)
		c.SetText(r, text)
		return err
	case c.Name == timeColumn:
		text, err := textOf(c.Name, raw)
		at, parseErr := time.Parse(time.RFC3339Nano, text)
		if err != nil || parseErr != nil {
			return invalid("time must be an instant such as 2026-11-21T10:00:00.000Z")
		}
		c.SetNumber(r, store.Known(at.UnixMilli()))
		return nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return invalid("%s must be a whole number", c.Name)
	}
	if c.Kind == schema.Small && (n < 0 || n > math.MaxUint8) {
		return invalid("%s must be between 0 and %d", c.Name, math.MaxUint8)
	}
	c.SetNumber(r, store.Known(n))
	return nil
}
