package front

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/jsontext"
)

// An Answer is a complete response. It is not sent before its audit entry is stored.
type Answer struct {
	Status int
	Header http.Header // added to the headers of every response; may be nil
	ETag   string
	Type   string // Content-Type of the body; empty means JSON
	Text   bool   // a Body or Stream of another Type is text, and may be compressed like JSON
	Body   []byte
	// Stream writes a body of unknown length, in place of Body and with a Type. It runs after the audit entry was
	// stored, without the timeout of the route. ctx ends when the client hangs up. If Stream fails, the connection is
	// broken, so that the client does not take the body for a whole one.
	Stream func(ctx context.Context, to io.Writer) error
	// Compressed returns compress(Body), or a cached result. It is for routes that cache compressed bodies. nil means
	// no cache.
	Compressed func(coding string, compress func([]byte) []byte) []byte
	// Release is called when the Body is not needed any more. It may be nil.
	Release func()

	code   string // code of a refusal
	coding string // coding of Body; empty if not compressed
	varies bool   // depends on the codings that the request accepts
}

// JSON returns a response with status 200 and v as compact JSON, without escapes for HTML and with a final newline.
func JSON(v any) (*Answer, error) {
	body, err := jsontext.AppendLine(nil, v)
	if err != nil {
		return nil, err
	}
	return &Answer{Status: http.StatusOK, Body: body}, nil
}

// Matches reports whether If-None-Match of r contains tag, in any coding, or "*".
func Matches(r *http.Request, tag string) bool {
	return names(r, func(sent string) bool { return sent == "*" || ofData(sent, tag) })
}

// names reports whether is returns true for a tag in If-None-Match of r. Weak tags are treated as strong ones.
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

// sent returns the status that is sent: 304 if the caller already has the response.
func (a *Answer) sent(r *http.Request) int {
	if a.Status == http.StatusOK && a.ETag != "" && Matches(r, a.ETag) {
		return http.StatusNotModified
	}
	return a.Status
}

// release drops the Body and everything that refers to it.
func (a *Answer) release() {
	a.Body, a.Compressed = nil, nil
	if a.Release != nil {
		a.Release()
		a.Release = nil
	}
}

// headers sets the headers for caching responses of rt.
func (rt *Route) headers(h http.Header) {
	setHeaders(h, header{"Cache-Control", rt.Cache}, header{"Vary", rt.Vary})
}

// A header has one value. Its name is in the canonical form of net/http.
type header struct{ name, value string }

// setHeaders sets all headers with a value. Their values share a slice, since every response has several.
func setHeaders(h http.Header, all ...header) {
	values := make([]string, len(all))
	for i, one := range all {
		if values[i] = one.value; one.value != "" {
			h[one.name] = values[i : i+1 : i+1]
		}
	}
}

// A Refusal is the response to an error.
type Refusal struct {
	Status int
	Code   string        // the code in Body, for Options.Observe
	Scope  auth.Scope    // for 403: the scope that the key would need, if known
	Retry  time.Duration // for Retry-After; 0 means none
	Coding string        // for 415: the accepted encodings; empty means identity
	Type   string        // Content-Type of Body; empty means JSON
	Body   any           // encoded as JSON
}

// Answer returns rf as a response with the headers for its status. err is the error.
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
	if a.Type, a.Text = rf.Type, true; rf.Type != "" {
		h.Set("Vary", "Accept")
	}
	a.Status, a.Header, a.code = rf.Status, h, rf.Code
	return a
}

// challenge returns the header that tells callers how to authenticate, and whether their credentials were checked.
func challenge(r *http.Request, err error) string {
	if own, ok := errors.AsType[*auth.ChallengeError](err); ok {
		return own.Challenge
	}
	if credentialed(r) || errors.Is(err, auth.ErrInvalid) {
		return `Bearer error="invalid_token"`
	}
	return "Bearer"
}

// refusal returns the response to err, and logs err unless the caller caused it.
func (f *Front) refusal(r *Request, err error) *Answer {
	rf := f.cfg.Refuse(r, err)
	if rf.Status >= http.StatusInternalServerError {
		path := r.URL.Path
		if r.Route != nil {
			path = r.Route.Path
		}
		f.cfg.Logger.LogAttrs(r.Context(), LevelOf(r.Context(), err), "request failed", slog.String("requestId", r.ID),
			slog.String("method", r.Method), slog.String("route", path), slog.Int("status", rf.Status),
			slog.Any("error", err))
	}
	a := rf.Answer(r.Request, err)
	if r.Route != nil && r.Route.Credentials != NeedsCredentials && r.Principal == nil &&
		rf.Status == http.StatusForbidden {
		a.Header.Del("WWW-Authenticate") // a key would not help
	}
	return a
}

// LevelOf returns the log level of a failure. Failures because the caller hung up are not failures of the server, and
// a part of the host that breaks the connection means it. ctx is the context of the request.
func LevelOf(ctx context.Context, err error) slog.Level {
	if errors.Is(err, http.ErrAbortHandler) {
		return slog.LevelDebug
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return slog.LevelInfo
	}
	return slog.LevelError
}
