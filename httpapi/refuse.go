package httpapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/requestid"
)

// retryUnavailable is the Retry-After of 503.
const retryUnavailable = 5 * time.Second

// errorBody is the body of every error.
type errorBody struct {
	Success          bool     `json:"success"`
	Error            string   `json:"error"`
	Code             string   `json:"code"`
	RequestID        string   `json:"requestId"`
	Details          []detail `json:"details,omitempty"`
	*auth.RateStatus          // for 429
}

// WriteError answers r with err in the format of this package, so that a host's middleware and routes send errors in
// the same format. It knows a host's CodedError, the errors of auth, query and store, http.MaxBytesError and the
// errors of contexts. Any other error is 500 INTERNAL_SERVER_ERROR, without its text. WriteError logs nothing. The
// request id is the one that is already set on w, else the valid one in r, else a new one.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	id := w.Header().Get(requestid.Header)
	if id == "" {
		id = requestid.Of(r, front.NewRequestID)
		w.Header().Set(requestid.Header, id)
	}
	p := problemOf(err)
	p.hint(r, err)
	p.refusal(id).Answer(r, err).Write(w, r)
}

// refuse implements front.Config.Refuse.
func refuse(r *front.Request, err error) front.Refusal {
	p := problemOf(err)
	p.hint(r.Request, err)
	rf := p.refusal(r.ID)
	if r.Route != nil && strings.HasPrefix(r.Route.Path, ofrepPrefix) {
		rf.Body = asOFREP(r, err, p.body(r.ID))
	}
	return rf
}

func (p problem) body(id string) errorBody {
	return errorBody{Error: p.Message, Code: p.Code, RequestID: id, Details: p.details, RateStatus: p.rate}
}

// refusal returns p as the response to the request with this id.
func (p problem) refusal(id string) front.Refusal {
	rf := front.Refusal{Status: p.Status, Code: p.Code, Scope: p.scope, Body: p.body(id)}
	switch {
	case p.rate != nil:
		rf.Retry = time.Duration(p.rate.RetryAfter) * time.Second
	case p.Status == http.StatusServiceUnavailable:
		rf.Retry = retryUnavailable
	}
	return rf
}
