package httpapi

import (
	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// readFields reads the JSON object in the body of r. It returns the given fields, and their mistakes. err is an error
// of the body as a whole.
func readFields[T any](a *api, r *front.Request, fields body.Fields[T]) (p body.Patch[T], bad mistake.List, err error) {
	js, err := a.readJSON(r)
	if err != nil {
		return p, nil, err
	}
	p, bad = fields.Read(js)
	return p, bad, nil
}
