package httpapi

import (
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// api answers requests that passed the front.
type api struct {
	cfg       Config // with defaults
	types     typeAnswers
	addresses addresses
	responses *responses
	exports   *exports
	document  func() (*response, error)
	plain     func() (*response, error) // the document without alternatives
}

// A question is the decoded request, filled in by the steps.
type question struct {
	queries []query.Decoded
	batch   bool
	// websites has all websites that the queries are about, if the URL names several; otherwise it is nil. name is the
	// name of a single website, if a query asks for the website of rows.
	websites []query.Website
	name     string
	bom      bool // CSV begins with a byte order mark
	token    tokenRequest
	export   exportRequest
	person   erasure.Person
	page     listing.Page // of a list
}

// cost returns what the queries of q take from the limit of their key: for each of them a tenth of what the engine
// says, rounded up, for each ten websites.
func (a *api) cost(q *question) (all int) {
	for i := range q.queries {
		all += max(1, (a.cfg.Engine.Cost(&q.queries[i].Request)+9)/10)
	}
	return all * max(1, (len(q.websites)+9)/10)
}

// subject returns the resource of r in the form of the store and the engine.
func subject(r *front.Request) store.Subject {
	return store.Subject{Kind: store.SubjectKind(r.Resource.Kind), ID: r.Resource.ID}
}
