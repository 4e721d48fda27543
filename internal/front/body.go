package front

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

const (
	// bodyTimeout is how long a body may take to arrive.
	bodyTimeout = 10 * time.Second
	// maxBodies and maxBodiesOfOne bound the bytes of the bodies that a Front works on: all, and those of one network.
	maxBodies      = 64 << 20
	maxBodiesOfOne = 16 << 20
)

// A BodyError says why a body could not be read to its end: the caller stopped sending, sent
// what HTTP cannot read, or took too long.
type BodyError struct{ Err error }

// Error implements error.
func (e *BodyError) Error() string {
	if errors.Is(e.Err, os.ErrDeadlineExceeded) {
		return fmt.Sprintf("the body did not arrive within %s", bodyTimeout)
	}
	return "the body could not be read to its end"
}

// Unwrap returns the cause.
func (e *BodyError) Unwrap() error { return e.Err }

// Body reads the whole body. One of more than limit bytes is an *[http.MaxBytesError], and one
// that does not arrive a *[BodyError]. What the bodies in work may take in all and for one
// network is bounded, and counts until r is answered; beyond it the error is a
// *[LimitedError] or an *[UnavailableError].
func (r *Request) Body(limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	if r.Request.Body == nil || r.ContentLength == 0 {
		return nil, nil
	}
	size := r.ContentLength
	if size < 0 {
		size = limit
	}
	release, err := r.front.bodies.reserve(r, size)
	if err != nil {
		return nil, err
	}
	r.undo = append(r.undo, release)
	control := http.NewResponseController(r.w)
	timed := control.SetReadDeadline(time.Now().Add(bodyTimeout)) == nil // of the network, which knows no other clock
	body, err := readAll(http.MaxBytesReader(r.w, r.Request.Body, limit), r.ContentLength)
	if timed {
		_ = control.SetReadDeadline(time.Time{}) // of a connection that may be gone
	}
	if large := (*http.MaxBytesError)(nil); err != nil && !errors.As(err, &large) {
		err = &BodyError{err}
	}
	return body, err
}

// readAll is io.ReadAll with room for size bytes when that is known.
func readAll(from io.Reader, size int64) ([]byte, error) {
	if size < 0 {
		return io.ReadAll(from)
	}
	body := make([]byte, size)
	n, err := io.ReadFull(from, body)
	return body[:n], err
}

// bodies counts the bytes of the bodies in work.
type bodies struct {
	mu  sync.Mutex
	all int64
	of  map[string]int64 // by network; no zeros
}

func newBodies() *bodies { return &bodies{of: map[string]int64{}} }

// reserve takes room for a body of size bytes.
func (b *bodies) reserve(r *Request, size int64) (release func(), err error) {
	network := r.Network()
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.all+size > maxBodies:
		return nil, &UnavailableError{"bodies", fmt.Errorf("those in work have %d bytes, and may have %d", b.all, maxBodies)}
	case b.of[network]+size > maxBodiesOfOne && b.of[network] > 0:
		d := auth.Decision{Retry: time.Second, Reset: r.Now.Add(time.Second), Concurrent: true}
		return nil, &LimitedError{d, d.RateStatus(r.Now)}
	}
	b.all += size
	b.of[network] += size
	return func() { b.release(network, size) }, nil
}

func (b *bodies) release(network string, size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all -= size
	if b.of[network] -= size; b.of[network] == 0 {
		delete(b.of, network)
	}
}
