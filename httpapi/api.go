package httpapi

import (
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// api answers requests that came through the front.
type api struct {
	cfg       Config // complete
	types     typeAnswers
	addresses addresses
}

// A question is what a request asks, as its steps find out.
type question struct {
	queries []query.Decoded
	batch   bool
	token   tokenRequest
}

// cost is 1 per started ten parameters of every query; one that is compared counts as two.
func (q *question) cost() (all int) {
	for _, d := range q.queries {
		all += max(1, (d.Request.Statements()+9)/10)
	}
	return all
}

// subject is the resource of r as the store and the engine know it.
func subject(r *front.Request) store.Subject {
	return store.Subject{Kind: store.SubjectKind(r.Resource.Kind), ID: r.Resource.ID}
}
