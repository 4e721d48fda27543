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

	"github.com/sightline-analytics/sightline/internal/failure"
)

const (
	// DefaultBodyTimeout is the default time limit for the arrival of a body.
	DefaultBodyTimeout = 10 * time.Second
	// firstRoom is the initial buffer size of a body in bytes; the buffer doubles as the body arrives.
	firstRoom = 16 << 10
	// maxDiscarded is the number of bytes of a too large body that are read and dropped before the refusal.
	maxDiscarded = 8 << 20
)

// ErrLateBody means that a body took too long. It may arrive in time later.
var ErrLateBody = failure.New(failure.Late, "the body did not arrive in time")

// A BodyError says why a body could not be read: the caller stopped sending, sent invalid HTTP, or took too
// long.
type BodyError struct {
	Err    error
	Within time.Duration // the time limit
}

// Error implements error.
func (e *BodyError) Error() string {
	if e.Is(ErrLateBody) {
		return fmt.Sprintf("The body did not arrive within %s", e.Within)
	}
	return "The body could not be read to its end"
}

// Is reports whether target is ErrLateBody and a deadline passed.
func (e *BodyError) Is(target error) bool {
	return target == ErrLateBody && errors.Is(e.Err, os.ErrDeadlineExceeded)
}

// Failure says that the body came too late, or that its end is missing.
func (e *BodyError) Failure() (kind failure.Kind, text string) {
	if e.Is(ErrLateBody) {
		return failure.Late, ""
	}
	return failure.Invalid, e.Error()
}

// Unwrap returns the cause.
func (e *BodyError) Unwrap() error { return e.Err }

// ReadBody reads the whole body. If it has more than limit bytes, the error is an *[http.MaxBytesError]; if it does not
// arrive, it is a *[BodyError]. The bytes of bodies in memory are limited per caller and in total until the response to
// r is known. Above these limits the error is a *[LimitedError] or an *[UnavailableError]. Only arrived bytes count,
// not the announced length.
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
		_ = http.NewResponseController(r.w).SetReadDeadline(time.Time{}) // later reads detect that the caller hung up
	}
	return bytes.TrimPrefix(body, byteOrderMark), err
}

// byteOrderMark begins the texts of some programs, mostly on Windows.
var byteOrderMark = []byte("\ufeff")

// isLarge reports whether err means that a body is too large.
func isLarge(err error) bool {
	_, large := errors.AsType[*http.MaxBytesError](err)
	return large
}

// discard reads and drops the rest of a refused body. Many clients send the whole body before they read the response,
// and would otherwise see a reset connection instead of the refusal. Clients that wait for "100 Continue" need not send
// it.
func (r *Request) discard() {
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, maxDiscarded)
	}
}

// Inflate decompresses body, which is compressed with gzip. Its limits and errors are the same as for
// [Request.ReadBody].
func (r *Request) Inflate(body []byte, limit int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, &BodyError{err, r.front.cfg.BodyTimeout}
	}
	plain, err := r.gather(io.LimitReader(z, limit+1), limit)
	if int64(len(plain)) > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return bytes.TrimPrefix(plain, byteOrderMark), err
}

// gather reads from until its end into a growing buffer, which counts against the budget.
func (r *Request) gather(from io.Reader, limit int64) ([]byte, error) {
	var body []byte
	first := int64(firstRoom)
	if r.ContentLength > 0 {
		first = min(first, r.ContentLength+1)
	}
	for {
		if len(body) == cap(body) {
			// one byte more than the limit shows whether the body ends
			room := min(max(first, int64(cap(body))), limit+1-int64(len(body)))
			if r.body == nil {
				r.body = r.front.cfg.Memory.Body(r.sender())
			}
			if err := r.overdrawn("bodies", r.body.Grow(room)); err != nil {
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

// boundBody sets the deadline for the arrival of r's body, if it is not set yet. It also applies to bodies that are not
// read, because net/http waits for the rest of a small body before it sends a response.
func (r *Request) boundBody() {
	if r.bounded || r.Body == nil || r.ContentLength == 0 {
		return
	}
	r.bounded = true
	// some connections support no deadlines
	_ = http.NewResponseController(r.w).SetReadDeadline(time.Now().Add(r.front.cfg.BodyTimeout))
}

// IsJSON reports whether a Content-Type is application/json in UTF-8. It accepts the common misspelling utf8, and
// ignores other parameters, even malformed ones.
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
