package front

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	// DefaultBodyTimeout is how long a body may take to arrive when Config does not say.
	DefaultBodyTimeout = 10 * time.Second
	// firstRoom is what is set aside for a body at first; it doubles as the body arrives.
	firstRoom = 16 << 10
	// maxDiscarded is how much of a body that is too large is read and dropped before it is refused.
	maxDiscarded = 8 << 20
)

// ErrLateBody is what a BodyError is when the body took too long: the same may arrive in time later.
var ErrLateBody = errors.New("the body did not arrive in time")

// A BodyError says why a body could not be read to its end: the caller stopped sending, sent
// what HTTP cannot read, or took too long.
type BodyError struct {
	Err    error
	Within time.Duration // that it had
}

// Error implements error.
func (e *BodyError) Error() string {
	if e.Is(ErrLateBody) {
		return fmt.Sprintf("The body did not arrive within %s", e.Within)
	}
	return "The body could not be read to its end"
}

// Is reports whether e is target: ErrLateBody, when a deadline passed.
func (e *BodyError) Is(target error) bool {
	return target == ErrLateBody && errors.Is(e.Err, os.ErrDeadlineExceeded)
}

// Unwrap returns the cause.
func (e *BodyError) Unwrap() error { return e.Err }

// ReadBody reads the whole body. One of more than limit bytes is an *[http.MaxBytesError], and
// one that does not arrive a *[BodyError]. The bodies in memory are bounded for each caller and in all, and
// count until the answer to r is known. Beyond these bounds the error is a *[LimitedError] or an
// *[UnavailableError]. Only bytes that have arrived count, not the announced length.
func (r *Request) ReadBody(limit int64) ([]byte, error) {
	if r.Body == nil || r.ContentLength == 0 {
		return nil, nil
	}
	r.boundBody()
	if r.ContentLength > limit {
		r.discard()
		return nil, &http.MaxBytesError{Limit: limit}
	}
	body, err := r.gather(http.MaxBytesReader(r.w, r.Body, limit), limit)
	if isLarge(err) {
		r.discard()
	} else if err == nil {
		_ = http.NewResponseController(r.w).SetReadDeadline(time.Time{}) // what is read now tells that the caller left
	}
	return body, err
}

// isLarge reports whether err says that a body has more bytes than it may have.
func isLarge(err error) bool {
	_, large := errors.AsType[*http.MaxBytesError](err)
	return large
}

// discard drops what is left of a body that is refused. Many clients send all of it before they read
// an answer, and would find the connection reset instead of the refusal. Who waits to be told to go on
// need not send any.
func (r *Request) discard() {
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, maxDiscarded)
	}
}

// Inflate returns what body holds, which is compressed by gzip. Its bounds and errors are those
// of [Request.ReadBody].
func (r *Request) Inflate(body []byte, limit int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, &BodyError{err, r.front.cfg.BodyTimeout}
	}
	plain, err := r.gather(io.LimitReader(z, limit+1), limit)
	if int64(len(plain)) > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return plain, err
}

// gather reads from to its end, into room that it takes as it goes.
func (r *Request) gather(from io.Reader, limit int64) ([]byte, error) {
	var body []byte
	first := int64(firstRoom)
	if r.ContentLength > 0 {
		first = min(first, r.ContentLength+1)
	}
	for {
		if len(body) == cap(body) {
			room := min(max(first, int64(cap(body))), limit+1-int64(len(body))) // one byte more shows that it ends, or does not
			if err := r.body.grow(r.front.bodies, r, room); err != nil {
				return nil, err
			}
			body = append(make([]byte, 0, int64(cap(body))+room), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return body, nil
		case isLarge(err):
			return nil, err
		default:
			return nil, &BodyError{err, r.front.cfg.BodyTimeout}
		}
	}
}

// boundBody sets the deadline by which r's body must have arrived, if it was not set before. It holds
// for what nobody reads, too: before it sends an answer, net/http waits for the rest of a small body.
func (r *Request) boundBody() {
	if r.bounded || r.Body == nil || r.ContentLength == 0 {
		return
	}
	r.bounded = true
	_ = http.NewResponseController(r.w).SetReadDeadline(time.Now().Add(r.front.cfg.BodyTimeout)) // not all connections have one
}

// IsJSON reports whether a Content-Type is application/json in UTF-8. It accepts the usual
// misspellings of the charset (utf8) and ignores other parameters, even malformed ones.
func IsJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	kind, params, _ := strings.Cut(contentType, ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return false
	}
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "charset") {
			continue
		}
		switch strings.ToLower(strings.Trim(strings.TrimSpace(value), `"'`)) {
		case "", "utf-8", "utf8", "utf_8":
		default:
			return false
		}
	}
	return true
}
