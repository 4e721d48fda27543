// Package observe is what handlers tell their host of requests that were answered: see Config.Observe of
// httpapi and track. Package observe/prom makes Prometheus metrics of it.
package observe

import (
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A Request is one that was answered. Nothing in it is a caller's own text, so that each field
// has few values or is a number.
type Request struct {
	// Route is method and pattern, as "POST /v1/query" or "GET /v1/websites/{website_id}/analytics".
	// HEAD is its route's GET. It is empty for OPTIONS, and where no route was found.
	Route string
	Class auth.Class // that the request was limited in
	// Status is that of the answer, and 304 where the caller has it already.
	Status int
	// Code is that of the error, as "RATE_LIMITED"; empty when there was none. A query of a batch, or
	// a parameter, that failed by itself is none.
	Code     string
	Duration time.Duration // until the answer was written
	Rows     int           // of the tables of the answer, or those that were to be stored
	// Store is the time that the store of events took. Queries that run at the same time each count,
	// so it may be longer than Duration.
	Store time.Duration
}

// StatusClass is the hundreds of the status: "2xx".
func (r Request) StatusClass() string { return strconv.Itoa(r.Status/100) + "xx" }
