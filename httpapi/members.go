package httpapi

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/fieldpath"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
)

// readFields reads the JSON object in the body of r. It returns the given fields, and their mistakes. err is an error
// of the body as a whole.
func readFields[T any](a *api, r *front.Request, fields body.Fields[T]) (p body.Patch[T], bad query.Errors, err error) {
	js, err := a.readJSON(r)
	if err != nil {
		return p, nil, err
	}
	p, wrong := fields.Read(js)
	return p, mistakesIn(wrong), nil
}

// mistakesIn returns the mistakes of a body as mistakes of the query language.
func mistakesIn(wrong []body.Mistake) (bad query.Errors) {
	for _, one := range wrong {
		bad = append(bad, &query.Error{Code: query.Invalid, Field: one.Field, Message: one.Message,
			Suggestion: one.Suggestion})
	}
	return bad
}

// addTo adds the mistakes in more, except for fields that already have one: it may be the cause of the others.
func addTo(bad query.Errors, more ...*query.Error) query.Errors {
	before := bad
	for _, e := range more {
		if !slices.ContainsFunc(before,
			func(known *query.Error) bool { return fieldpath.Overlap(known.Field, e.Field) }) {
			bad = append(bad, e)
		}
	}
	return bad
}

// byField returns the mistakes by their fields, at most maxUnknown, or nil.
func byField(bad query.Errors) error {
	slices.SortStableFunc(bad, func(a, b *query.Error) int { return strings.Compare(a.Field, b.Field) })
	return orNil(bad)
}

// orNil returns at most maxUnknown mistakes, or nil.
func orNil(bad query.Errors) error {
	if len(bad) == 0 {
		return nil
	}
	return bad[:min(len(bad), maxUnknown)]
}
