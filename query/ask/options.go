package ask

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// Options say how to answer. The options of a request apply to all of its parameters, the options of a parameter to
// that parameter alone, in place of those of the request. A zero field is an option that is not given.
type Options struct {
	// A range by name, such as last_7d: see calendar.Presets. It wins over dates.
	Preset string `json:"preset,omitempty"`
	// From 1 to MaxLimit; nil: 100 rows, series whole.
	Limit *int `json:"limit,omitempty"`
	// From 1; 0 means 1.
	Page int `json:"page,omitempty"`
	// All must hold; at most 50 leaves. Of a parameter empty but not nil: none.
	Filters []Filter `json:"filters,omitzero"`
	// minute, hourly, daily, weekly, monthly, or hour, day, week, month; empty means daily, and for presets of times
	// minute or hourly.
	Granularity string `json:"granularity,omitempty"`
	// sunday or monday: of weekly buckets, this_week and last_week; empty means sunday.
	WeekStart string `json:"weekStart,omitempty"`
	// The other period that answers are compared with: see Compare; empty: none. NoComparison in a parameter: it is not
	// compared, whatever the request says.
	Compare Compare `json:"compare,omitempty"`
	// Fields, at most 50: their values lead the rows. Of a parameter empty but not nil: none.
	GroupBy []string `json:"groupBy,omitzero"`
	// Whether a preset such as last_7d ends yesterday, so that all its days are over; nil means no. It is for the
	// presets that calendar.Completing lists.
	Complete *bool `json:"complete,omitempty"`
	// An output column; with Compare also "difference": the rows of both periods, by how much they grew.
	SortBy string `json:"sortBy,omitempty"`
	// asc or desc, of SortBy or else of the first column that the type is ordered by; empty: of SortBy desc for metrics
	// and instants, asc for names and dates.
	SortOrder string `json:"sortOrder,omitempty"`
	// Whether answers have the metrics over all rows, too; nil means no.
	Totals *bool `json:"totals,omitempty"`
}

// The values of Options.WeekStart.
const (
	Sunday = "sunday"
	Monday = "monday"
)

// options are the rows of all options, in the order in which mistakes are reported. A request and a parameter are read,
// checked, compared and documented by them.
var options = []option{
	textOption("preset", func(o *Options) *string { return &o.Preset }).
		among("preset", "A range by name, in place of dates", calendar.Presets()...),
	limitOption(),
	pageOption(),
	filtersOption(),
	textOption("granularity", func(o *Options) *string { return &o.Granularity }).
		among("granularity", "", calendar.GrainNames()...).
		shaped(openapi.OneOf("`daily` (default), `weekly`, `monthly`, `hourly` for at most 30 days, or `minute` for "+
			"at most 6 hours; by default `minute` for `last_30m` and `last_60m`, and `hourly` for `last_24h`",
			// from short to long
			"minute", "hourly", "daily", "weekly", "monthly", "hour", "day", "week", "month")),
	textOption("weekStart", func(o *Options) *string { return &o.WeekStart }).
		among("first day of weeks", "The first day of weeks, also of `this_week` and `last_week`; default `sunday`",
			Sunday, Monday),
	compareOption(),
	groupByOption(),
	textOption("sortBy", func(o *Options) *string { return &o.SortBy }).checked(checkText),
	textOption("sortOrder", func(o *Options) *string { return &o.SortOrder }).
		among("order", "The order of `sortBy`", "asc", "desc"),
	truthOption("complete", func(o *Options) **bool { return &o.Complete },
		"`last_7d` to `last_365d` end yesterday, with as many whole days; default `false`"),
	truthOption("totals", func(o *Options) **bool { return &o.Totals },
		"Also return the metrics over all rows; default `false`"),
}

// OptionSchemas returns the members of a query and of a parameter that are options. The schema is nil where it depends
// on the query type.
func OptionSchemas() []openapi.Property {
	all := make([]openapi.Property, len(options))
	for i := range options {
		all[i] = openapi.Member(options[i].Name(), options[i].Schema())
	}
	return all
}

// GivenOptions are options, and where each of them was given.
type GivenOptions struct {
	Options
	parameter int      // whose they are, from 1; 0: the request's
	own       []string // the options that are the parameter's; the others are the request's
}

// OptionsOf returns the options of a request.
func OptionsOf(q *Request) GivenOptions { return GivenOptions{Options: q.Options} }

// ParameterOptions returns the options of p alone, which is the i-th parameter.
func ParameterOptions(p *Parameter, i int) GivenOptions {
	return GivenOptions{Options: p.Options, parameter: i + 1, own: parameterFields}
}

// At returns the place where the option called field was given.
func (o *GivenOptions) At(field string) FieldPath {
	if o.Own(field) {
		return InParameter(o.parameter-1, field)
	}
	return InField(field)
}

// Own reports whether the option called field was given for the parameter alone.
func (o *GivenOptions) Own(field string) bool { return slices.Contains(o.own, field) }

// Over returns the options of o. It takes options that o does not give from base.
func (o GivenOptions) Over(base GivenOptions) GivenOptions {
	all := base
	all.parameter = o.parameter
	for i := range options {
		if row := &options[i]; row.given(&o.Options) {
			row.Copy(&o.Options, &all.Options)
			all.own = append(all.own, row.Name())
		}
	}
	return all
}

// check adds the mistakes of o to list, as far as it takes neither the catalog nor the clock to find them.
func (o *GivenOptions) check(list *Issues) {
	o.checkRows(list, func(*option) bool { return true })
}

// checkRows is check for the options that count.
func (o *GivenOptions) checkRows(list *Issues, counts func(*option) bool) {
	for i := range options {
		if row := &options[i]; counts(row) && row.check != nil && row.given(&o.Options) {
			row.check(&o.Options, o.At(row.Name()), list)
		}
	}
}

// GrainOf returns the length of buckets that o asks for, about a range of that preset; empty: of dates.
func (o *GivenOptions) GrainOf(preset string) calendar.Grain {
	grain, ok := calendar.ParseGrain(o.Granularity)
	if !ok {
		grain = calendar.PresetGrain(preset)
	}
	return grain.From(FirstDay(o.WeekStart))
}

// Completes reports whether o asks for a preset that ends yesterday.
func (o *Options) Completes() bool { return o.Complete != nil && *o.Complete }

// FirstDay returns the first day of the weeks of a value of WeekStart.
func FirstDay(weekStart string) time.Weekday {
	if weekStart == Monday {
		return time.Monday
	}
	return time.Sunday
}

// appendKey appends the options that are given.
func (o *Options) appendKey(b []byte) []byte {
	given := int64(0)
	for i := range options {
		if options[i].given(o) {
			given |= 1 << i
		}
	}
	b = keytext.Numbers(b, given)
	for i := range options {
		if given&(1<<i) != 0 {
			b = options[i].key(b, o)
		}
	}
	return b
}
