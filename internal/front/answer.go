package front

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// An Answer is whole, and kept back until its audit entry is safe.
type Answer struct {
	Status int
	Header http.Header // added to those that every answer has; may be nil
	ETag   string
	Type   string // of the body, for Content-Type; empty: JSON
	Body   []byte
	// Compressed returns compress(Body), for a route that keeps what a coding makes of it; nil: it is not kept.
	Compressed func(coding string, compress func([]byte) []byte) []byte
	// Release, when it is not nil, is called once nobody needs the Body that the route gave.
	Release func()

	code   string // of a refusal
	coding string // of Body; empty: as it is
	varies bool   // with the codings that a request accepts
}

// JSON makes an answer of 200 of v: compact JSON, nothing escaped for HTML, and a newline.
func JSON(v any) (*Answer, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return &Answer{Status: http.StatusOK, Body: b.Bytes()}, nil
}

// Matches reports whether If-None-Match of r names tag, in any coding, or anything.
func Matches(r *http.Request, tag string) bool {
	return names(r, func(sent string) bool { return sent == "*" || ofData(sent, tag) })
}

// names reports whether a tag of If-None-Match of r, taken as strong, is one.
func names(r *http.Request, is func(tag string) bool) bool {
	for _, line := range r.Header.Values("If-None-Match") {
		for part := range strings.SplitSeq(line, ",") {
			if is(strings.TrimPrefix(strings.TrimSpace(part), "W/")) {
				return true
			}
		}
	}
	return false
}

// sent is the status that the caller will see: 304 when they have the answer already.
func (a *Answer) sent(r *http.Request) int {
	if a.Status == http.StatusOK && a.ETag != "" && Matches(r, a.ETag) {
		return http.StatusNotModified
	}
	return a.Status
}

// release drops the Body that the route gave, and all else that holds it.
func (a *Answer) release() {
	a.Body, a.Compressed = nil, nil
	if a.Release != nil {
		a.Release()
		a.Release = nil
	}
}

// headers say who may keep an answer of rt, and what it depends on.
func (rt *Route) headers(h http.Header) {
	setHeaders(h, header{"Cache-Control", rt.Cache}, header{"Vary", rt.Vary})
}

// A header of one value, by its name as net/http spells it.
type header struct{ name, value string }

// setHeaders sets those of all that have a value. Every answer has several, so their values share a slice.
func setHeaders(h http.Header, all ...header) {
	values := make([]string, len(all))
	for i, one := range all {
		if values[i] = one.value; one.value != "" {
			h[one.name] = values[i : i+1 : i+1]
		}
	}
}

// A Refusal is an error as a caller sees it.
type Refusal struct {
	Status int
	Code   string        // of Body, for Config.Observe
	Scope  auth.Scope    // of 403: the one that would help, when it is known
	Retry  time.Duration // for Retry-After; 0 means none
	Coding string        // of 415: how bodies may be encoded; empty: identity
	Body   any           // encoded as JSON
}

// Answer is rf with the headers that its status asks for. err is what it is about.
func (rf Refusal) Answer(r *http.Request, err error) *Answer {
	a, failed := JSON(rf.Body)
	if failed != nil { // texts and numbers always encode
		a = &Answer{Body: []byte(`{"success":false}` + "\n")}
	}
	h := http.Header{}
	switch rf.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", challenge(r, err))
	case http.StatusForbidden:
		value := `Bearer error="insufficient_scope"`
		if rf.Scope != "" {
			value += `, scope="` + string(rf.Scope) + `"`
		}
		h.Set("WWW-Authenticate", value)
	case http.StatusUnsupportedMediaType:
		h.Set("Accept-Encoding", cmp.Or(rf.Coding, "identity"))
	}
	if rf.Retry > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64((rf.Retry+time.Second-1)/time.Second), 10))
	}
	a.Status, a.Header, a.code = rf.Status, h, rf.Code
	return a
}

// challenge tells callers how to authenticate, and whether what they sent was looked at.
func challenge(r *http.Request, err error) string {
	if credentialed(r) || errors.Is(err, auth.ErrInvalid) {
		return `Bearer error="invalid_token"`
	}
	return "Bearer"
}

// refusal makes err an answer, and logs it when it is not the caller's doing.
func (f *Front) refusal(r *Request, err error) *Answer {
	rf := f.cfg.Refuse(r, err)
	if rf.Status >= http.StatusInternalServerError {
		path := r.URL.Path
		if r.Route != nil {
			path = r.Route.Path
		}
		f.cfg.Logger.LogAttrs(r.Context(), LevelOf(r.Context(), err), "request failed", slog.String("requestId", r.ID),
			slog.String("method", r.Method), slog.String("route", path), slog.Int("status", rf.Status), slog.Any("error", err))
	}
	a := rf.Answer(r.Request, err)
	if r.Route != nil && r.Route.Credentials != NeedsCredentials && r.Principal == nil && rf.Status == http.StatusForbidden {
		a.Header.Del("WWW-Authenticate") // no key would help
	}
	return a
}

// LevelOf is how a failure is logged: one that a caller brought about by leaving is none of
// ours. ctx is that of the request.
func LevelOf(ctx context.Context, err error) slog.Level {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return slog.LevelInfo
	}
	return slog.LevelError
}
