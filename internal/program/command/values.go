package command

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/query"
)

// These types are values of options. UnmarshalText parses them.

const oneDay = 24 * time.Hour

// A dsn is the address of a database, or a key. @ and a path reads it from a file, so that a password need not be on
// the command line. Blanks and line feeds around it are trimmed, as files and environment variables have them.
type dsn string

func (d *dsn) UnmarshalText(text []byte) error {
	file, named := strings.CutPrefix(string(text), "@")
	if !named {
		*d = dsn(bytes.TrimSpace(text))
		return nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if *d = dsn(bytes.TrimSpace(content)); *d == "" {
		return fmt.Errorf("%s is empty", file)
	}
	return nil
}

// A span is a duration: whole days such as 90d, or hours, minutes and seconds such as 1h30m. It is not
// negative.
type span time.Duration

func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		var n int64
		n, err = strconv.ParseInt(days, 10, 64)
		d = time.Duration(n) * oneDay
		if n < 0 || n > math.MaxInt64/int64(oneDay) {
			err = strconv.ErrRange
		}
	}
	if err != nil || d < 0 {
		return errors.New("not a duration like 90d or 1h30m")
	}
	*s = span(d)
	return nil
}

// days is a span of whole days.
type days time.Duration

func (d *days) UnmarshalText(text []byte) error {
	var s span
	if err := s.UnmarshalText(text); err != nil || s < span(oneDay) || text[len(text)-1] != 'd' {
		return errors.New("not a number of days like 400d")
	}
	*d = days(s)
	return nil
}

// A day is a UTC day. Its zero value means no day.
type day struct{ time.Time }

func (d *day) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		return errors.New("not a day like 2026-11-21")
	}
	d.Time = t
	return nil
}

// An instant is the beginning of a UTC day, a time of RFC 3339, or a duration relative to now. Its zero value
// means no instant.
type instant struct {
	fixed time.Time
	span  *span
}

func (i *instant) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			i.fixed = t.UTC()
			return nil
		}
	}
	i.span = new(span)
	if i.span.UnmarshalText(text) != nil {
		return errors.New("not a day like 2027-01-31, an instant like 2027-01-31T15:00:00Z or a duration like 90d")
	}
	return nil
}

// after returns the instant. It adds a duration to now.
func (i instant) after(now time.Time) time.Time {
	if i.span == nil {
		return i.fixed
	}
	return now.Add(time.Duration(*i.span)).UTC()
}

// before returns the instant. It subtracts a duration from now.
func (i instant) before(now time.Time) time.Time {
	if i.span == nil {
		return i.fixed
	}
	return now.Add(-time.Duration(*i.span)).UTC()
}

// A scope is a scope of keys.
type scope auth.Scope

func (s *scope) UnmarshalText(text []byte) error {
	*s = scope(text)
	return among(*s, mapped(auth.Scopes(), func(s auth.Scope) scope { return scope(s) }))
}

// among returns an error with the valid values unless one is among them.
func among[T ~string](one T, all []T) error {
	if !slices.Contains(all, one) {
		return fmt.Errorf("%q is not one of %s", one, joined(all))
	}
	return nil
}

// A resource is written as kind:id.
type resource auth.Resource

func (r *resource) UnmarshalText(text []byte) error {
	kind, id, found := strings.Cut(string(text), ":")
	if !found || id == "" || auth.ReadScopes(kind) == nil {
		return errors.New("not website:ID, link:ID or schedule:ID")
	}
	*r = resource{Kind: kind, ID: id}
	return nil
}

// A filter is written as field:op:value. The value may contain colons. For in and not_in it is a list of values
// joined by commas, with quotes around values that contain commas. A group is written in JSON.
type filter auth.Filter

func (f *filter) UnmarshalText(text []byte) error {
	if bytes.HasPrefix(text, []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode((*auth.Filter)(f)); err != nil {
			return fmt.Errorf("a filter in JSON has field, op and values, or one of and, or, not and did: %w", err)
		}
		return nil
	}
	parts := strings.SplitN(string(text), ":", 3)
	if len(parts) < 3 || parts[0] == "" {
		return errors.New("not field:op:value, such as country:eq:DE")
	}
	op := query.Op(parts[1])
	if err := among(op, operators()); err != nil {
		return err
	}
	*f = filter{Field: parts[0], Op: parts[1], Values: parts[2:]}
	if op == query.In || op == query.NotIn {
		if parts[2] == "" {
			return fmt.Errorf("%s needs a value, such as path:in:/a,/b", op)
		}
		values, err := csv.NewReader(strings.NewReader(parts[2])).Read()
		if err != nil {
			return fmt.Errorf("%q has quotes that do not enclose a value; write quotes inside a value twice", parts[2])
		}
		f.Values = values
	}
	return nil
}

// operators returns the operators of filters in queries.
func operators() []query.Op {
	return []query.Op{query.Eq, query.Ne, query.Contains, query.NotContains, query.StartsWith, query.NotStartsWith,
		query.EndsWith, query.NotEndsWith,
		query.Matches, query.NotMatches, query.In, query.NotIn}
}

// A network is a network or a single address.
type network netip.Prefix

func (n *network) UnmarshalText(text []byte) error {
	prefix, err := clientip.Parse(string(text))
	if err != nil {
		return errors.New("neither a network like 10.0.0.0/8 nor an address")
	}
	*n = network(prefix)
	return nil
}

// none is the word that empties a list.
const none = "none"

// networks has one network, or is empty for the word none.
type networks []netip.Prefix

func (n *networks) UnmarshalText(text []byte) error {
	if string(text) == none {
		return nil
	}
	var one network
	if err := one.UnmarshalText(text); err != nil {
		return err
	}
	*n = networks{netip.Prefix(one)}
	return nil
}

// An origin is the origin of a page.
type origin string

func (o *origin) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return errors.New("not an origin like https://panel.example")
	}
	*o = origin(text)
	return nil
}

// A window is a positive span, or negative for the word off.
type window time.Duration

func (w *window) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*w = -1
		return nil
	}
	var s span
	if err := s.UnmarshalText(text); err != nil || s == 0 {
		return errors.New("neither off nor a duration like 7d or 12h")
	}
	*w = window(s)
	return nil
}

// A size is a positive number of bytes.
type size int64

func (s *size) UnmarshalText(text []byte) error {
	for unit, bytes := range map[string]int64{"MiB": 1 << 20, "GiB": 1 << 30} {
		number, found := strings.CutSuffix(string(text), unit)
		n, err := strconv.ParseInt(number, 10, 64)
		if found && err == nil && 0 < n && n <= math.MaxInt64/bytes {
			*s = size(n * bytes)
			return nil
		}
	}
	return errors.New("not a size like 512MiB or 2GiB")
}

// A reserve is a number of bytes to leave free. 0 means the default, and -1 means off.
type reserve int64

func (r *reserve) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*r = -1
		return nil
	}
	var s size
	if err := s.UnmarshalText(text); err != nil {
		return errors.New("neither off nor a size like 512MiB or 2GiB")
	}
	*r = reserve(s)
	return nil
}

// A factor multiplies limits. 0 means off.
type factor float64

func (f *factor) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*f = 0
		return nil
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return errors.New("neither off nor a factor above 0")
	}
	*f = factor(n)
	return nil
}

// A classLimit is a number of requests per minute for a class of routes.
type classLimit struct {
	class    auth.Class
	requests int
}

func (l *classLimit) UnmarshalText(text []byte) error {
	name, number, _ := strings.Cut(string(text), "=")
	l.class = auth.Class(name)
	if err := among(l.class, routeClasses()); err != nil {
		return err
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return fmt.Errorf("not a positive whole number, such as %s=120", name)
	}
	l.requests = n
	return nil
}
