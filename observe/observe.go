// Package observe has what handlers report about answered requests: see Config.Observe of httpapi and
// track. Package observe/prom makes Prometheus metrics of it.
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
	Class auth.Class // the class of limits that applied
	// Status is that of the answer, such as 304 when the caller has it already.
	Status int
	// Code is that of the error, such as "RATE_LIMITED"; empty when there was none. The failure of a
	// single query of a batch, or of a parameter, does not count.
	Code     string
	Duration time.Duration // until the answer was written
	Rows     int           // of the tables of the answer, or of the request to be stored
	// Store is the time that the store of events took. Concurrent queries each count, so it may be
	// longer than Duration.
	Store time.Duration
}

// StatusClass returns the class of the status, such as "2xx".
func (r Request) StatusClass() string { return strconv.Itoa(r.Status/100) + "xx" }
