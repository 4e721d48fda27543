// Package notice knows what people want to hear without looking: notices, which are told when something begins or ends,
// and reports, which are sent regularly. Both are definitions of a website:
//
//	{"metric": "visitors", "unusual": true, "to": [{"email": "ada@shop.example"}]}
//	{"event": "monitor", "quiet": "10m", "to": [{"webhook": "https://shop.example/hook"}]}
//
// The package reads definitions, decides from numbers whether a notice holds, and makes sentences of numbers. It asks
// nobody for the numbers and sends nothing: package notify does.
package notice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

// An Every is the interval at which a notice or a report is evaluated.
type Every string

// The values of Every. A notice with a period looks at the one that is over, at an hour of the day after it.
const (
	Minute  Every = "minute"
	Daily   Every = "daily"
	Weekly  Every = "weekly"
	Monthly Every = "monthly"
)

// An Event is something of the system that a notice is about, in place of a number.
type Event string

// The values of Event.
const (
	Silent     Event = "silent"     // no pageviews for some minutes, though usually there are some
	Monitor    Event = "monitor"    // an uptime monitor is down
	Experiment Event = "experiment" // one variant of a flag is surely better than all others
	Backup     Event = "backup"     // the regular backup failed, or is too old
	Quota      Event = "quota"      // most of the events that the website may have in this month were used
)

// Events lists all events.
func Events() []Event { return []Event{Silent, Monitor, Experiment, Backup, Quota} }

// Bounds and defaults of notices and reports.
const (
	MaxTargets    = 5    // of a notice or report
	MaxAddress    = 2048 // bytes of an address of a webhook
	MaxHostText   = 200  // characters of a target of the host
	MinSilence    = 5    // minutes
	MaxSilence    = 720
	DefaultQuiet  = time.Hour
	MinQuiet      = time.Minute
	MaxQuiet      = 7 * 24 * time.Hour
	MaxParameters = 10 // of a report

	defaultSilence = 60
	defaultPercent = 80
	defaultHour    = 8
)

// ranges are the possible ranges of a number that is evaluated every minute. The first one is the default.
var ranges = []string{"last_60m", "last_30m", "last_24h", "today", "this_week", "this_month"}

// A Notice says what is told, when and where. Exactly one of Above, Below, Changes, Unusual and Event counts.
type Notice struct {
	Parameter json.RawMessage // as in a question, without a range; nil: Metric of pageviews
	Metric    string          // a column of its answer, whose first row counts
	Above     *float64
	Below     *float64
	Changes   *float64 // percent, up or down, against the same time some weeks before
	Unusual   bool     // outside the usual range of the same hours of the last [UsualWeeks] weeks

	Event   Event
	Minutes *int   // of Silent
	Monitor string // the id of one; empty: all monitors of the website
	Flag    string // the key of one; empty: all flags of the website
	Percent *int   // of Quota

	Every      Every
	Range      string // of a number that is evaluated every minute
	Zone       string // IANA name; empty: UTC
	Hour       *int   // of the day, for all Every but Minute
	Quiet      string // the least time between two beginnings that are told, such as 30m or 1d
	Recoveries *bool  // whether the end is told, too
	// AllWebsites makes the notice one of each website of the owner.
	AllWebsites bool
	To          []Target

	ask ask.Parameter // Parameter as it is asked
	loc *time.Location
}

// noticeFields are the rows of the body of a notice.
var noticeFields = body.Of(
	body.Member("parameter", func(n *Notice) *json.RawMessage { return &n.Parameter }).NotNull().
		Shaped(openapi.Ref("Parameter").About("As in a query, without a range of its own; by default the `metric` of pageviews")),
	body.Text("metric", func(n *Notice) *string { return &n.Metric }).
		Shaped(openapi.Text("A column of the answer. Its first row counts")),
	number("above", func(n *Notice) **float64 { return &n.Above }, "Told when the number is greater"),
	number("below", func(n *Notice) **float64 { return &n.Below }, "Told when the number is less"),
	number("changes", func(n *Notice) **float64 { return &n.Changes },
		"Told when the number differs by more percent, up or down, from the same weekdays before"),
	body.Member("unusual", func(n *Notice) *bool { return &n.Unusual }).
		Shaped(openapi.Truth("Told when the number is outside the usual range of the same hours of the last eight weeks")),
	body.Member("event", func(n *Notice) *Event { return &n.Event }).
		Shaped(openapi.OneOf("What is told in place of a number", Events()...)),
	whole("minutes", func(n *Notice) **int { return &n.Minutes }, MinSilence, MaxSilence, "Of `silent`; default 60"),
	body.Text("monitor", func(n *Notice) *string { return &n.Monitor }).
		Shaped(openapi.Text("The id of one monitor; by default all monitors of the website")),
	body.Text("flag", func(n *Notice) *string { return &n.Flag }).
		Shaped(openapi.Text("The key of one flag; by default all flags of the website")),
	whole("percent", func(n *Notice) **int { return &n.Percent }, 1, 100, "Of `quota`; default 80"),
	body.Member("every", func(n *Notice) *Every { return &n.Every }).
		Shaped(openapi.OneOf("Default `minute`", Minute, Daily, Weekly, Monthly)),
	body.Text("range", func(n *Notice) *string { return &n.Range }).
		Shaped(openapi.OneOf("What a number is about that is evaluated every minute; default `last_60m`", ranges...)),
	body.Text("zone", func(n *Notice) *string { return &n.Zone }).Called("timezone").
		Shaped(openapi.Text("IANA name; default UTC")),
	whole("hour", func(n *Notice) **int { return &n.Hour }, 0, 23, "Of the day, unless `every` is `minute`; default 8"),
	body.Text("quiet", func(n *Notice) *string { return &n.Quiet }).
		Shaped(openapi.Text("The least time between two beginnings that are told, such as `30m`, `6h` or `1d`; default `1h`")),
	body.Member("recoveries", func(n *Notice) **bool { return &n.Recoveries }).
		Shaped(openapi.Truth("Whether the end is told, too; default `true`")),
	body.Member("allWebsites", func(n *Notice) *bool { return &n.AllWebsites }).
		Shaped(openapi.Truth("The notice is one of each website of the owner; for keys that reach all of them")),
	targets("to", func(n *Notice) *[]Target { return &n.To }),
)

// Schema returns the schema of the body of a notice.
func Schema() *openapi.Schema {
	return noticeFields.Schema("What is told, when and where: exactly one of `above`, `below`, `changes`, `unusual` " +
		"and `event`.").Needs("to")
}

func number[T any](name string, of func(*T) **float64, about string) body.Field[T] {
	return body.Member(name, of).Shaped(openapi.Decimal(about))
}

func whole[T any](name string, of func(*T) **int, least, most int, about string) body.Field[T] {
	return body.Custom(name, of, func(m body.Mistakes, at body.Path, v body.Value, into **int) {
		body.ReadWhole(m, at, v, into)
		if n := *into; n != nil && (*n < least || *n > most) {
			m.Wrong(at, mistake.Between(float64(least), float64(most), float64(*n)), "")
		}
	}).Shaped(openapi.Whole(about, least, most))
}

// Parse returns the notice in the body of d, with its defaults, or all mistakes that need no catalog.
func Parse(d *store.Definition) (*Notice, ask.Errors) {
	patch, wrong := noticeFields.Read(bytes.TrimSpace(d.Body))
	n := patch.New()
	bad := placed(wrong)
	add := func(field, message string) { addMistake(&bad, field, message) }
	var set []string
	for _, one := range []struct {
		name string
		is   bool
	}{{"above", n.Above != nil}, {"below", n.Below != nil}, {"changes", n.Changes != nil}, {"unusual", n.Unusual},
		{"event", n.Event != ""}} {
		if one.is {
			set = append(set, one.name)
		}
	}
	if len(set) != 1 && len(wrong) == 0 {
		add("", "must have exactly one of above, below, changes, unusual and event")
	}
	if n.Changes != nil && *n.Changes <= 0 {
		add("changes", "must be greater than 0")
	}
	n.checkTime(add)
	if n.Event != "" {
		n.checkEvent(&patch, add)
	} else {
		n.checkNumber(&patch, &bad)
	}
	checkTargets(n.To, add)
	if len(bad) > 0 {
		return nil, bad
	}
	return &n, nil
}

// checkTime sets the defaults of the times of n, and reports wrong ones.
func (n *Notice) checkTime(add func(field, message string)) {
	n.loc = zoneOf(n.Zone, add)
	if n.Every == "" {
		n.Every = Minute
	}
	if all := []Every{Minute, Daily, Weekly, Monthly}; !slices.Contains(all, n.Every) {
		add("every", mistake.OneOf(n.Every, all...))
	}
	if n.Hour != nil && n.Every == Minute {
		add("hour", "is for daily, weekly and monthly notices")
	}
	if n.Quiet == "" {
		return
	}
	if quiet, ok := duration(n.Quiet); !ok || quiet < MinQuiet || quiet > MaxQuiet {
		add("quiet", "must be a time from 1m to 7d, such as 30m, 6h or 1d")
	}
}

// zoneOf returns the zone with a name.
func zoneOf(name string, add func(field, message string)) *time.Location {
	if name == "" {
		return time.UTC
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		add("zone", "must be the name of a time zone, such as Europe/Berlin")
		return time.UTC
	}
	return loc
}

// duration reads a whole number with m, h or d behind it.
func duration(text string) (time.Duration, bool) {
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	if len(text) < 2 || len(text) > 6 {
		return 0, false
	}
	unit, known := units[text[len(text)-1]]
	n := 0
	for _, c := range []byte(text[:len(text)-1]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return time.Duration(n) * unit, known
}

// checkEvent reports fields that do not belong to the event of n.
func (n *Notice) checkEvent(patch *body.Patch[Notice], add func(field, message string)) {
	if !slices.Contains(Events(), n.Event) {
		add("event", mistake.OneOf(n.Event, Events()...))
		return
	}
	parts := map[string]Event{"minutes": Silent, "monitor": Monitor, "flag": Experiment, "percent": Quota}
	for name, of := range parts {
		if patch.Gives(name) && n.Event != of {
			add(name, fmt.Sprintf("is for the event %s", of))
		}
	}
	for _, name := range []string{"parameter", "metric", "range"} {
		if patch.Gives(name) {
			add(name, "is for a number, not for an event")
		}
	}
	if n.Every != Minute {
		add("every", "of an event must be minute, or left out")
	}
	if n.Monitor != "" && n.AllWebsites {
		add("monitor", "cannot be given with allWebsites")
	}
}

// checkNumber reads the question of n.
func (n *Notice) checkNumber(patch *body.Patch[Notice], bad *ask.Errors) {
	add := func(field, message string) { addMistake(bad, field, message) }
	for _, name := range []string{"minutes", "monitor", "flag", "percent"} {
		if patch.Gives(name) {
			add(name, "is for an event")
		}
	}
	if n.Metric == "" {
		add("metric", mistake.Required)
		return
	}
	switch {
	case n.Range == "":
		n.Range = ranges[0]
	case n.Every != Minute || n.Unusual:
		add("range", "is for above, below and changes that are evaluated every minute")
	case !slices.Contains(ranges, n.Range):
		add("range", mistake.OneOf(n.Range, ranges...))
	}
	if n.Unusual && n.Every == Monthly {
		add("unusual", "cannot be monthly: months have different days")
	}
	if n.Parameter == nil {
		n.ask = ask.Parameter{Metrics: []ask.ChosenMetric{{Name: n.Metric}}}
		return
	}
	var wrong ask.Errors
	n.ask, wrong = readParameter(n.Parameter, "parameter")
	*bad = append(*bad, wrong...)
}

// readParameter reads a parameter without its own range, which is at a field of the body.
func readParameter(js json.RawMessage, field string) (p ask.Parameter, bad ask.Errors) {
	var req ask.Request
	if err := json.Unmarshal(fmt.Appendf(nil, `{"preset":"today","parameters":[%s]}`, js), &req); err != nil {
		wrong, ok := err.(ask.Errors) //nolint:errorlint // the decoder returns it as it is
		if !ok {
			addMistake(&bad, field, "is not a parameter: "+err.Error())
		}
		return p, Placed(wrong, "parameters[0]", "body."+field)
	}
	p = req.Parameters[0]
	switch {
	case req.UsesSaved():
		addMistake(&bad, field, "cannot use other definitions")
	case p.Preset != "" || p.StartDate != "" || p.EndDate != "" || p.Compare != "" || p.Complete != nil:
		addMistake(&bad, field, "must not have a range or a comparison of its own")
	case p.Page > 1 || p.ID != "":
		addMistake(&bad, field, "must not have a page or an id")
	}
	return p, bad
}

// Placed returns mistakes of a request whose place begins with from, with to in place of it.
func Placed(wrong ask.Errors, from, to string) (bad ask.Errors) {
	for _, e := range wrong {
		one := *e
		rest, ok := strings.CutPrefix(e.Field, from)
		if one.Field = to; ok {
			one.Field += rest
		}
		one.Message = strings.TrimPrefix(one.Message, e.Field+": ")
		bad = append(bad, &one)
	}
	return bad
}

// placed returns mistakes of a body as mistakes of a definition.
func placed(wrong mistake.List) (bad ask.Errors) {
	for _, one := range wrong {
		field := "body"
		if one.Field != "" {
			field += "." + one.Field
		}
		bad = append(bad, &ask.Error{Code: ask.Invalid, Field: field, Message: one.Message, Suggestion: one.Suggestion})
	}
	return bad
}

func addMistake(bad *ask.Errors, field, message string) {
	at := "body"
	if field != "" {
		at += "." + field
	}
	*bad = append(*bad, &ask.Error{Code: ask.Invalid, Field: at, Message: message})
}

// Asks returns what n asks, without a range; it is for notices about a number.
func (n *Notice) Asks() ask.Parameter { return n.ask }

// Location returns the zone of n.
func (n *Notice) Location() *time.Location { return n.loc }

// QuietFor returns the least time between two messages about beginnings of n.
func (n *Notice) QuietFor() time.Duration {
	if quiet, ok := duration(n.Quiet); ok {
		return quiet
	}
	return DefaultQuiet
}

// TellsEnds reports whether n also sends a message at its end.
func (n *Notice) TellsEnds() bool { return n.Recoveries == nil || *n.Recoveries }

// Silence returns the number of minutes without pageviews of [Silent].
func (n *Notice) Silence() int { return given(n.Minutes, defaultSilence) }

// Share returns the percent of [Quota].
func (n *Notice) Share() int { return given(n.Percent, defaultPercent) }

func given(n *int, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return *n
}
