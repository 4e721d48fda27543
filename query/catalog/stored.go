package catalog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
)

// What the stored texts of a field look like. A filter is written in the same form, and a value that no stored text can
// have is named to callers.

// Texts says what the stored texts of a field look like, besides that they have no control characters and no blanks at
// their ends.
type Texts struct {
	Among []string         // all that there are, without the empty one; nil: others, too
	Also  mistake.Synonyms // what people write in place of those
	Path  bool             // they begin with / and end at the first ? or #
	Free  bool             // they are sentences or addresses, so they may look like a pattern
}

// Spelled returns a value of a filter with op as stored texts of f are spelled: without control characters, and without
// blanks at the ends. Properties and patterns stay as they are.
func (f *Field) Spelled(op ask.Op, value string) string {
	if f.IsProperty() || f.Own() || op == ask.Matches || op == ask.NotMatches {
		return value
	}
	clean := address.Clean(value)
	if clean == "" && !whole(op) {
		return value // a blank inside of texts
	}
	return clean
}

// CannotHave reports whether no stored text of f can be, begin with, end with, contain or match a value in its normal
// form, as the positive operator of op says. nearest is the nearest value that one can; it may be empty.
func (f *Field) CannotHave(op ask.Op, value string) (nearest string, cannot bool) {
	if positive, ok := Opposite(op); ok {
		op = positive
	}
	if value == "" || f.IsProperty() || f.Own() {
		return "", false
	}
	switch t := f.Texts; {
	case t.Among != nil:
		return t.among(op, value)
	case op == ask.Matches:
		return "", false
	case t.Path && strings.ContainsAny(value, "?#"):
		nearest, _, _ = strings.Cut(strings.ReplaceAll(value, "#", "?"), "?")
		return cmp.Or(nearest, "/"), true
	case whole(op) && !t.Free && strings.Contains(value, "*"):
		nearest, _, _ = strings.Cut(strings.TrimPrefix(value, "^"), "*")
		nearest = strings.TrimSuffix(nearest, ".")
		if t.Path {
			nearest = address.Path("/" + strings.TrimLeft(nearest, "/"))
		}
		return nearest, true
	case t.Path && (whole(op) || op == ask.StartsWith) && !strings.HasPrefix(value, "/"):
		return "/" + strings.TrimPrefix(value, "^/"), true
	}
	return "", false
}

// among is CannotHave for a closed list.
func (t *Texts) among(op ask.Op, value string) (nearest string, cannot bool) {
	pattern, err := regexp.Compile(value)
	can := slices.ContainsFunc(t.Among, func(one string) bool {
		switch op {
		case ask.Contains:
			return strings.Contains(one, value)
		case ask.StartsWith:
			return strings.HasPrefix(one, value)
		case ask.EndsWith:
			return strings.HasSuffix(one, value)
		case ask.Matches:
			return err != nil || pattern.MatchString(one)
		}
		return one == value
	})
	if can || op == ask.Matches && pattern.MatchString("") {
		return "", false
	}
	return mistake.Nearest(value, t.Among, t.Also), true
}

// whole reports whether op compares values and not parts of them.
func whole(op ask.Op) bool { return slices.Contains([]ask.Op{ask.Eq, ask.Ne, ask.In, ask.NotIn}, op) }

var (
	devices = Texts{Among: []string{"mobile", "tablet", "desktop", "smarttv", "console", "wearable", "embedded", "xr"},
		Also: mistake.Synonyms{
			"phone": {"mobile"}, "smartphone": {"mobile"}, "cellphone": {"mobile"}, "pc": {"desktop"},
			"computer": {"desktop"},
			"laptop":   {"desktop"}, "tv": {"smarttv"}, "watch": {"wearable"}, "pad": {"tablet"}, "vr": {"xr"}}}
	metricNames = Texts{Among: []string{"FCP", "LCP", "CLS", "INP", "TTFB", "FPS"}}
	reasons     = Texts{Among: []string{"bot", "origin", "address", "window", "key", "quota", "paused", "properties"},
		Also: mistake.Synonyms{
			"robot": {"bot"}, "crawler": {"bot"}, "ip": {"address"}, "old": {"window"}, "late": {"window"}}}
	paths     = Texts{Path: true}
	sentences = Texts{Free: true}
)
