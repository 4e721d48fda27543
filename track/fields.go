package track

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// fields reads one item and gathers every mistake in it. Of several names the first
// that is there counts; null is not there.
type fields struct {
	ctx   context.Context //nolint:containedctx // an item lives as long as its request
	o     object
	outer object // what an older form wrapped o in; asked when o lacks a field
	wrong []fieldError
	old   bool // it is older than its sender may send; one of wrong
}

func newFields(o object) *fields { return &fields{o: o} }

func (f *fields) in(ctx context.Context) *fields {
	f.ctx = ctx
	return f
}

// unwrap enters the payload of an older form.
func (f *fields) unwrap() {
	if p, ok := f.o["payload"].(object); ok {
		f.o, f.outer = p, f.o
	}
}

func (f *fields) fail(field, code, format string, args ...any) {
	f.wrong = append(f.wrong, fieldError{Code: code, Field: field, Message: fmt.Sprintf(format, args...)})
}

// problem is all that was wrong; nil when nothing was.
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

// get returns the value, and the name under which it was found.
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

// peek returns a text if there is one, and finds no fault.
func (f *fields) peek(names ...string) string {
	v, _ := f.get(names...)
	s, _ := v.(string)
	return address.Clean(s)
}

// raw returns a text as it was sent. Numbers are taken as text.
func (f *fields) raw(names ...string) (s, name string) {
	v, name := f.get(names...)
	switch v := v.(type) {
	case nil:
	case string:
		return v, name
	case json.Number:
		return v.String(), name
	default:
		f.fail(name, "invalid_type", "expected a string")
	}
	return "", name
}

// text returns an optional text of at most limit UTF-16 units, cleaned.
func (f *fields) text(limit int, names ...string) string {
	s, name := f.raw(names...)
	if units(s) > limit {
		f.fail(name, "too_big", "at most %d characters", limit)
	}
	return address.Clean(s)
}

// need is text for what must be there.
func (f *fields) need(limit int, names ...string) string {
	before := len(f.wrong)
	s := f.text(limit, names...)
	if s == "" && len(f.wrong) == before {
		f.fail(names[0], "required", "is required")
	}
	return s
}

// path returns a normalised path, "" when there is none. The limit is on the path: a
// long query is cut off anyway.
func (f *fields) path(required bool) string {
	s, name := f.raw("path")
	s = address.Clean(s)
	if s == "" {
		if required {
			f.fail(name, "required", "is required")
		}
		return ""
	}
	p := address.Path(s)
	if units(p) > maxText {
		f.fail(name, "too_big", "at most %d characters", maxText)
	}
	return p
}

// referrer returns where a visitor came from, without user, query and fragment, which may hold
// secrets; and its domain, seen from a website of domain.
func (f *fields) referrer(domain string) (page, from string) {
	ref := f.text(maxText, "referrer")
	return address.Page(ref), referrer.Domain(ref, domain)
}

// number returns an optional number.
func (f *fields) number(names ...string) (v float64, name string, ok bool) {
	return f.numeric("a number", names...)
}

// numeric is number for what is told by the words of expected when it is none.
func (f *fields) numeric(expected string, names ...string) (v float64, name string, ok bool) {
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
	default:
		f.fail(name, "invalid_type", "expected %s", expected)
		return 0, name, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		f.fail(name, "invalid_type", "expected %s", expected)
		return 0, name, false
	}
	return v, name, true
}

// measure returns an optional number between 0 and limit, times ten to the power of
// digits, rounded. A negative one is absent, a larger one is a mistake.
func (f *fields) measure(limit float64, digits int, names ...string) store.Measure {
	v, name, ok := f.number(names...)
	switch {
	case !ok || v < 0:
		return store.Measure{}
	case v > limit:
		f.fail(name, "too_big", "at most %v", limit)
		return store.Measure{}
	}
	return store.Known(scaled(v, digits))
}

// scaled is v times ten to the power of digits, rounded half away from zero. It moves
// the point of the decimal text: a product of floats can miss the half.
func scaled(v float64, digits int) int64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', -1, 64)+"e"+strconv.Itoa(digits), 64)
	if err != nil { // v is bounded by then
		return 0
	}
	return int64(math.Round(x))
}

// units is the length of s in UTF-16, by which senders measure.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
