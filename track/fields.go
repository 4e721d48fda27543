package track

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/store"
)

// fields reads one item. It collects all mistakes that make the item fail, and the names of optional fields that were
// cut or left out. If a field has several names, the first name that is present is used; null counts as
// absent.
type fields struct {
	o       object
	outer   object // the object around the payload o, for fields that o lacks
	wrong   []fieldError
	dropped []string // fields that were cut or left out, by their names in the item
	// one of the mistakes is that the item is older than the tracking window, or than its website keeps events
	old bool

	arrived time.Time // when the request with the item arrived
	place   int       // of the item in the body, from 0

	// mayName returns those of some names of properties that events of the website may have; nil: all
	mayName func(names []string) []string
	names   []string // of the properties of the item
	crowded bool     // properties were left out because of their names

	keptFrom time.Time // the first day of which the website of the item keeps events; zero: it keeps all
	keptDays int       // for how many days it keeps events
}

func newFields(o object) *fields { return &fields{o: o} }

// unwrap enters the payload of an item in an older form, once.
func (f *fields) unwrap() {
	if p, ok := f.o["payload"].(object); ok && f.outer == nil {
		f.o, f.outer = p, f.o
	}
}

func (f *fields) fail(field, kind, message string) {
	f.wrong = append(f.wrong, mistakeOf(kind, field, message))
}

// maxDropped is the maximum number of names in "dropped".
const maxDropped = 100

// drop records that an optional field was cut or left out.
func (f *fields) drop(name string) {
	if len(f.dropped) < maxDropped && !slices.Contains(f.dropped, name) {
		f.dropped = append(f.dropped, intake.Cut(name, intake.MaxPropertyKey))
	}
}

// problem returns all mistakes as one error, or nil.
func (f *fields) problem() *problem {
	if len(f.wrong) == 0 {
		return nil
	}
	p := codeBadEvent.problem()
	if f.old && len(f.wrong) == 1 {
		p = codeTooOld.problem()
	}
	p.fields = f.wrong
	return p
}

// get returns the value and the name of a field.
func (f *fields) get(names ...string) (any, string) {
	for _, o := range []object{f.o, f.outer} {
		for _, n := range names {
			if v := o[n]; v != nil {
				return v, n
			}
		}
	}
	return nil, names[0]
}

// peek returns a text without recording mistakes; empty if there is none.
func (f *fields) peek(names ...string) string {
	v, _ := f.get(names...)
	s, _ := v.(string)
	return address.Clean(s)
}

// raw returns a text as sent, or the text of a number. ok is false if the field has another
// type.
func (f *fields) raw(names ...string) (s, name string, ok bool) {
	v, name := f.get(names...)
	switch v := v.(type) {
	case nil:
		return "", name, true
	case string:
		return v, name, true
	case json.Number:
		return v.String(), name, true
	}
	return "", name, false
}

// kind returns the type of a field's value, for messages.
func (f *fields) kind(name string) string {
	v, _ := f.get(name)
	return mistake.KindOf(v)
}

// text returns an optional text, cleaned and cut to limit UTF-16 units.
func (f *fields) text(limit int, names ...string) string {
	s, name, ok := f.raw(names...)
	if !ok {
		f.drop(name)
	}
	return f.bounded(address.Clean(s), limit, name)
}

// bounded cuts s to limit UTF-16 units, between characters.
func (f *fields) bounded(s string, limit int, name string) string {
	text, whole := intake.Bound(s, limit)
	if !whole {
		f.drop(name)
	}
	return text
}

// need returns a required text, cleaned and cut to limit UTF-16 units.
func (f *fields) need(limit int, names ...string) string {
	s, name, ok := f.raw(names...)
	switch s = address.Clean(s); {
	case !ok:
		f.fail(name, "invalid_type", mistake.Want("a string", f.kind(name)))
	case s == "":
		f.fail(names[0], "required", mistake.Required)
	}
	return f.bounded(s, limit, name)
}

// needPath returns the required path of a page, normalised.
func (f *fields) needPath() string {
	s, name, ok := f.raw("path")
	switch s = address.Clean(s); {
	case !ok:
		f.fail(name, "invalid_type", mistake.Want("a string", f.kind(name)))
	case s == "":
		f.fail(name, "required", mistake.Required)
	}
	return f.pathOf(s, name)
}

// path returns the optional path of a page, normalised; empty if absent.
func (f *fields) path() string {
	s, name, ok := f.raw("path")
	if !ok {
		f.drop(name)
	}
	return f.pathOf(address.Clean(s), name)
}

// pathOf returns the path in s. The limit applies to the path, since the query is removed anyway.
func (f *fields) pathOf(s, name string) string {
	if s == "" {
		return ""
	}
	return f.bounded(address.Path(s), intake.MaxText, name)
}

// referrer returns the page that a visitor came from, and its domain, for a website with this domain. The page has no
// user, query or fragment, since these may contain secrets.
func (f *fields) referrer(domain string) (page, from string) {
	s, name, ok := f.raw("referrer")
	if !ok {
		f.drop(name)
	}
	page, from, whole := intake.Referrer(s, domain)
	if !whole {
		f.drop(name)
	}
	return page, from
}

// number returns an optional number. ok is false if the field is absent or not a finite number.
func (f *fields) number(names ...string) (v float64, name string, ok bool) {
	raw, name := f.get(names...)
	var s string
	switch raw := raw.(type) {
	case nil:
		return 0, name, false
	case json.Number:
		s = raw.String()
	case string:
		if s = strings.TrimSpace(raw); s == "" {
			return 0, name, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		f.drop(name)
		return 0, name, false
	}
	return v, name, true
}

// measure returns an optional number between 0 and limit, times ten to the power of digits, rounded. Numbers out of
// range count as absent.
func (f *fields) measure(limit float64, digits int, names ...string) store.Measure {
	v, name, ok := f.number(names...)
	switch {
	case !ok:
		return store.Measure{}
	case v < 0 || v > limit:
		f.drop(name)
		return store.Measure{}
	}
	return store.Known(scaled(v, digits))
}

// percent returns an optional whole percentage. Numbers above 100 become 100.
func (f *fields) percent(names ...string) store.Measure {
	v, name, ok := f.number(names...)
	switch {
	case !ok:
		return store.Measure{}
	case v < 0:
		f.drop(name)
		return store.Measure{}
	case v > 100:
		f.drop(name)
		v = 100
	}
	return store.Known(scaled(v, 0))
}

// scaled returns v times ten to the power of digits, rounded half away from zero. It moves the point of the decimal
// text, since a product of floats can miss an exact half.
func scaled(v float64, digits int) int64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', -1, 64)+"e"+strconv.Itoa(digits), 64)
	if err != nil { // impossible for values within the limits
		return 0
	}
	return int64(math.Round(x))
}
