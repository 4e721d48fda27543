package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/memory"
)

const (
	// maxAnswer is the size of an answer of the API, before its rows are cut.
	maxAnswer = 8 << 20
	// timeout is how long the API may take for one request.
	timeout = time.Minute
)

var errTooLarge = errors.New("the answer of the API is larger than 8 MiB; ask for fewer rows or fewer parameters")

// A caller is what the API sees of the sender of a message.
type caller struct {
	header     http.Header
	remoteAddr string
	host       string
	tls        *tls.ConnectionState
}

// callerOf returns the caller of r: its address and its headers, without those about the message itself.
func callerOf(r *http.Request) caller {
	header := r.Header.Clone()
	for name := range header {
		for _, own := range []string{"Accept", "Content-", "If-", "Mcp-", "Range"} {
			if strings.HasPrefix(name, own) {
				delete(header, name)
			}
		}
	}
	return caller{header, r.RemoteAddr, r.Host, r.TLS}
}

// A requester sends requests of one caller to the API.
type requester struct {
	api    http.Handler
	caller caller
	holder *memory.Guest // holds the bytes of the answers
}

// send sends a request, and returns the answer.
func (q requester) send(ctx context.Context, method, target string, body []byte) (*recorder, error) {
	r, err := http.NewRequestWithContext(memory.WithGuest(ctx, q.holder), method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header, r.RemoteAddr, r.Host, r.TLS, r.RequestURI = q.caller.header.Clone(), q.caller.remoteAddr, q.caller.host,
		q.caller.tls, target
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := &recorder{header: http.Header{}}
	return w, w.serve(q.api, r)
}

// admitted reports whether the API accepts a message of the caller. Otherwise it answers as the API does. Callers
// without credentials, who may list tools, count in the limit of the public routes.
func (q requester) admitted(ctx context.Context, to http.ResponseWriter) bool {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	method, target := http.MethodHead, "/v1/query/types"
	for _, name := range []string{"Authorization", "X-Api-Key", "Cookie"} {
		if q.caller.header.Get(name) != "" {
			method, target = http.MethodGet, "/v1/self"
		}
	}
	w, err := q.send(ctx, method, target, nil)
	switch {
	case err != nil:
		http.Error(to, err.Error(), http.StatusBadGateway)
	case w.status == http.StatusOK:
		return true
	default:
		maps.Copy(to.Header(), w.header)
		to.Header().Del("Content-Length")
		if w.body.Len() == 0 { // it was asked without a body
			http.Error(to, refusal(w).Error(), w.status)
			return false
		}
		to.WriteHeader(w.status)
		_, _ = to.Write(w.body.Bytes()) // if the caller hung up, the error cannot be reported
	}
	return false
}

// do sends a request and decodes the answer into v. If the API refuses the request, do returns an *apiError. Without a
// body the method is GET, otherwise POST.
func (q requester) do(ctx context.Context, target string, body []byte, v any) error {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	w, err := q.send(ctx, method, target, body)
	if err != nil {
		return err
	}
	if w.full {
		return errTooLarge
	}
	if w.status != http.StatusOK {
		return refusal(w)
	}
	if err := json.Unmarshal(w.body.Bytes(), v); err != nil {
		return errors.New("the answer of the API is not complete; try again")
	}
	return nil
}

// A recorder has an answer of the API.
type recorder struct {
	header http.Header
	status int // 0 before the first write
	body   bytes.Buffer
	full   bool // a part of the answer is missing, because it is larger than maxAnswer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
		if n, err := strconv.Atoi(w.header.Get("Content-Length")); err == nil && 0 < n && n <= maxAnswer {
			w.body.Grow(n) // saves the copies of a growing buffer
		}
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.body.Len()+len(b) > maxAnswer {
		w.full = true
		return 0, errTooLarge
	}
	return w.body.Write(b)
}

// serve lets h answer r. No server recovers panics of h here, so serve returns them as an error.
func (w *recorder) serve(h http.Handler, r *http.Request) error {
	panicked := failure.Try(func() error {
		h.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		return nil
	})
	if panicked != nil {
		return errors.New("the API failed to answer; try again later")
	}
	return nil
}

// An apiError is an error of the API.
type apiError struct {
	Status     int                  `json:"-"`
	Message    string               `json:"error"`
	Code       string               `json:"code"`
	RequestID  string               `json:"requestId"`
	RetryAfter int64                `json:"retryAfter"` // seconds; 0 if trying again does not help
	Details    []mistake.FieldError `json:"details"`
}

// refusal returns the error in w.
func refusal(w *recorder) error {
	e := &apiError{Status: w.status}
	if err := json.Unmarshal(w.body.Bytes(), e); err != nil || e.Message == "" {
		e.Message = fmt.Sprintf("the API answered with status %d and no explanation", w.status)
	}
	if e.RetryAfter == 0 {
		_, _ = fmt.Sscan(w.header.Get("Retry-After"), &e.RetryAfter)
	}
	return e
}

// Error returns the message of the API with its code, all details, and when to try again.
func (e *apiError) Error() string {
	var b strings.Builder
	b.WriteString(cmp.Or(e.Code, "ERROR") + ": " + e.Message)
	for _, d := range e.Details {
		if text := d.Error(); !strings.Contains(e.Message, text) {
			b.WriteString("\n- " + text)
		}
		if d.Suggestion != "" && !strings.Contains(b.String(), `"`+d.Suggestion+`"`) {
			fmt.Fprintf(&b, "; did you mean %q?", d.Suggestion)
		}
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "\nTry again in %d seconds.", e.RetryAfter)
	}
	if e.Status >= http.StatusInternalServerError && e.RequestID != "" {
		b.WriteString("\nRequest id: " + e.RequestID)
	}
	return b.String()
}

// arguments decodes the arguments of a tool into v, and rejects unknown ones.
func arguments(js json.RawMessage, v any) error {
	if len(bytes.TrimSpace(js)) == 0 {
		return nil
	}
	if wrong, err := mistake.Decode("", js, v, true); err != nil {
		return wrong
	}
	return nil
}

// encode returns the JSON of v, with <, > and & as they are.
func encode(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSpace(b.String()), err
}
