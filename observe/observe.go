// Package observe defines the report of handlers about answered requests:
//
//	watch := func(_ context.Context, r observe.Request) {
//		if r.Duration > time.Second {
//			log.Print("slow: ", r.Route, r.StatusClass(), r.Store)
//		}
//	}
//	service, err := sightline.New(sightline.Config{API: httpapi.Options{Observe: watch}}) // and the required fields
//
// The handlers of httpapi and track call Options.Observe. Package observe/prom converts reports to Prometheus metrics.
package observe

import (
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A Request is a report about an answered request. It contains no text of callers: each field has few values or is a
// number.
type Request struct {
	// Route is the method and the pattern, such as "POST /v1/query" or "GET /v1/websites/{website_id}/analytics". HEAD
	// counts as GET. It is empty for OPTIONS, and if no route was found.
	Route string
	Class auth.Class // the class of the applied rate limits
	// Status is the HTTP status, such as 304 if the caller has the current data.
	Status int
	// Code is the code of the error, such as "RATE_LIMITED"; empty without an error. Failures of single queries in a
	// batch and of parameters do not count.
	Code     string
	Duration time.Duration // until the response was written
	Rows     int           // rows in the tables of the response, or rows that the request stored
	// Store is the time spent in the store of events. The times of concurrent queries are added, so it may exceed
	// Duration.
	Store time.Duration
}

// StatusClass returns the class of the status, such as "2xx".
func (r Request) StatusClass() string { return strconv.Itoa(r.Status/100) + "xx" }
