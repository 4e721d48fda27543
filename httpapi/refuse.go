package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/requestid"
)

// retryUnavailable is how many seconds 503 tells callers to wait.
const retryUnavailable = "5"

// errorBody is the body of every error.
type errorBody struct {
	Success          bool     `json:"success"`
	Error            string   `json:"error"`
	Code             string   `json:"code"`
	RequestID        string   `json:"requestId"`
	Details          []detail `json:"details,omitempty"`
	*auth.RateStatus          // of 429
}

// WriteError answers r with err in the format of this package, so that a host's own
// middleware and routes refuse as these do. It knows a host's own [CodedError], the errors of
// auth, query and store, http.MaxBytesError and the context's; any other is 500
// INTERNAL_SERVER_ERROR, whose text is not shown. It logs nothing. The request id is the one already set on w,
// else the inbound one when clean, else a new one.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	id := w.Header().Get(requestid.Header)
	if id == "" {
		id = requestid.Of(r, func() string { return "req_" + rand.Text() })
		w.Header().Set(requestid.Header, id)
	}
	problemOf(err).reply(r, id, err).write(w, r)
}

// refusal makes err an answer, and logs it when it is not the caller's doing.
func (a *api) refusal(c *call, err error) *reply {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError {
		path := c.r.URL.Path
		if c.route != nil {
			path = c.route.path
		}
		a.cfg.Logger.LogAttrs(c.r.Context(), levelOf(err), "request failed", slog.String("requestId", c.id),
			slog.String("method", c.r.Method), slog.String("route", path), slog.Int("status", p.Status), slog.Any("error", err))
	}
	return p.reply(c.r, c.id, err)
}

// levelOf is how a failure is logged: one that a caller brought about by leaving is none of ours.
func levelOf(err error) slog.Level {
	if errors.Is(err, context.Canceled) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// reply is p in JSON, with the headers that its status asks for.
func (p problem) reply(r *http.Request, id string, err error) *reply {
	h := http.Header{}
	body := errorBody{Error: p.Message, Code: p.Code, RequestID: id, Details: p.details}
	switch p.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", challenge(r, err))
	case http.StatusForbidden:
		value := `Bearer error="insufficient_scope"`
		if p.scope != "" {
			value += `, scope="` + string(p.scope) + `"`
		}
		h.Set("WWW-Authenticate", value)
	case http.StatusUnsupportedMediaType:
		h.Set("Accept-Encoding", "identity")
	case http.StatusTooManyRequests:
		if p.limited != nil { // a host's own says no more
			h.Set("Retry-After", strconv.FormatInt(p.limited.RetryAfter, 10))
			body.RateStatus = &p.limited.RateStatus
		}
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", retryUnavailable)
	}
	rep, failed := encode(body)
	if failed != nil { // texts and numbers always encode
		rep = &reply{body: []byte(`{"success":false}` + "\n")}
	}
	rep.status, rep.header = p.Status, h
	return rep
}

// challenge tells callers how to authenticate, and whether what they sent was looked at.
func challenge(r *http.Request, err error) string {
	sent := r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != ""
	if sent || errors.Is(err, auth.ErrInvalid) {
		return `Bearer error="invalid_token"`
	}
	return "Bearer"
}
