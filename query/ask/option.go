package ask

import (
	"slices"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// An option is the row of one field of Options.
type option struct {
	body.Field[Options]
	given func(o *Options) bool
	key   func(b []byte, o *Options) []byte // appends the value
	// check adds the mistakes in the value, if it is given; nil: there are none. Values that were read from JSON are
	// checked like those of a program.
	check func(o *Options, at FieldPath, list *Issues)
	fails bool // a mistake in the option of a parameter fails the request, not only the parameter
}

// shaped sets the schema of the option.
func (row option) shaped(s *openapi.Schema) option {
	row.Field = row.Shaped(s)
	return row
}

// A textual option is a text.
type textual[S ~string] struct {
	option
	of func(*Options) *S
}

// textOption returns the row of an option that is a text; empty: not given.
func textOption[S ~string](name string, of func(*Options) *S) textual[S] {
	return textual[S]{of: of, option: option{
		Field: body.Custom(name, of,
			func(m body.Mistakes, at FieldPath, v body.Value, into *S) { *into = S(body.ReadText(m, at, v)) }),
		given: func(o *Options) bool { return *of(o) != "" },
		key:   func(b []byte, o *Options) []byte { return keytext.Texts(b, string(*of(o))) },
	}}
}

// checked returns the row of an option with a check of its values.
func (row textual[S]) checked(check func(at FieldPath, value S, list *Issues)) option {
	row.check = func(o *Options, at FieldPath, list *Issues) { check(at, *row.of(o), list) }
	return row.option
}

// among returns the row of an option that has one of these values. what says what they are in mistakes, about in
// documents.
func (row textual[S]) among(what, about string, values ...string) option {
	return row.checked(func(at FieldPath, value S, list *Issues) {
		if !slices.Contains(values, string(value)) {
			list.Add(at, Unknown(Invalid, what, string(value), values))
		}
	}).shaped(openapi.OneOf(about, values...))
}

// truthOption returns the row of an option that is true or false; nil: not given.
func truthOption(name string, of func(*Options) **bool, about string) option {
	return option{
		Field: body.Custom(name, of, body.ReadTruth).Shaped(openapi.Truth(about)),
		given: func(o *Options) bool { return *of(o) != nil },
		key:   func(b []byte, o *Options) []byte { return append(b, truthKey(*of(o))...) },
	}
}

// truthKey returns a part of a key for a value that may be absent.
func truthKey(truth *bool) string {
	switch {
	case truth == nil:
		return "?"
	case *truth:
		return "+"
	}
	return "-"
}

func limitOption() option {
	return option{
		Field: body.Custom("limit", func(o *Options) **int { return &o.Limit }, body.ReadWhole).
			Shaped(openapi.Whole("Rows; default 100", 1, MaxLimit)),
		given: func(o *Options) bool { return o.Limit != nil },
		key:   func(b []byte, o *Options) []byte { return keytext.Numbers(b, int64(*o.Limit)) },
		check: func(o *Options, at FieldPath, list *Issues) {
			if limit := *o.Limit; limit < 1 || limit > MaxLimit {
				list.addf(at, "must be between 1 and %d, not %d", MaxLimit, limit)
			}
		},
		fails: true,
	}
}

func pageOption() option {
	return option{
		Field: body.Custom("page", func(o *Options) *int { return &o.Page }, readPage).
			Shaped(openapi.Whole("From 1; default 1", 1, 0)),
		given: func(o *Options) bool { return o.Page != 0 },
		key:   func(b []byte, o *Options) []byte { return keytext.Numbers(b, int64(o.Page)) },
		check: func(o *Options, at FieldPath, list *Issues) {
			if o.Page < 0 {
				list.addText(at, mistake.AtLeast(1, o.Page))
			}
		},
		fails: true,
	}
}

func filtersOption() option {
	return option{
		Field: body.Custom("filters", func(o *Options) *[]Filter { return &o.Filters }, readFilters),
		given: func(o *Options) bool { return o.Filters != nil },
		key: func(b []byte, o *Options) []byte {
			return appendFilters(keytext.Numbers(b, int64(len(o.Filters))), o.Filters)
		},
		check: func(o *Options, at FieldPath, list *Issues) { CheckFilters(at, o.Filters, list) },
	}
}

func groupByOption() option {
	return option{
		Field: body.Custom("groupBy", func(o *Options) *[]string { return &o.GroupBy }, readGroupBy),
		given: func(o *Options) bool { return o.GroupBy != nil },
		key: func(b []byte, o *Options) []byte {
			return keytext.Texts(keytext.Numbers(b, int64(len(o.GroupBy))), o.GroupBy...)
		},
		check: func(o *Options, at FieldPath, list *Issues) {
			body.AtMost(list, at, "fields", maxGroups, len(o.GroupBy))
			for i, name := range o.GroupBy[:min(len(o.GroupBy), maxGroups)] {
				if name == "" {
					list.addf(at.Item(i), "must name a field")
				}
				checkField(at.Item(i), name, list)
			}
		},
	}
}
