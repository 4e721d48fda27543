package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/matrix/samples"
	"github.com/sightline-analytics/sightline/track"
)

// A fault is a problem of a request other than its credentials.
type fault int

const (
	faultless fault = iota
	overLimit       // the caller's limit of one request a minute is used up
	tooLarge        // the body exceeds the limit, without Content-Length
	halfSent        // only half of the body arrives
)

// ofBody reports whether f needs a request with a body.
func (f fault) ofBody() bool { return f == tooLarge || f == halfSent }

// usedUp is the end of the id of a request that uses up a limit.
const usedUp = "-used-up"

// plant adds the fault of st to req, a request of the sample s.
func (w *world) plant(t *testing.T, r route, s samples.Sample, st state, kind string, req *http.Request) {
	t.Helper()
	switch st.fault {
	case overLimit:
		w.limiter.renew(t, one())
		first := request(s, r, kind, st.id)
		first.Header.Set("X-Request-Id", req.Header.Get("X-Request-Id")+usedUp)
		st.show(w, first.Header)
		if rec := w.send(r.host, first); rec.Code != http.StatusOK {
			t.Fatalf("the first request: %d %s", rec.Code, rec.Body)
		}
	case tooLarge:
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(make([]byte, httpapi.DefaultMaxBody+1))), -1
	case halfSent:
		all, err := io.ReadAll(req.Body)
		if err != nil {
			t.Fatal(err)
		}
		req.Body = &stalledBody{half: bytes.NewReader(all[:len(all)/2])}
	case faultless:
	}
}

// one is a limit of one request a minute in every class.
func one() ratelimit.Config {
	limits := ratelimit.Defaults()
	for class := range limits {
		limits[class] = 1
	}
	return ratelimit.Config{Limits: limits}
}

// A stalledBody is half a body. Further reads wait for the deadline of the connection, or for ever without a deadline.
type stalledBody struct {
	half     io.Reader
	deadline time.Time
}

// Read implements io.Reader. If there is a deadline, Read behaves as if it had passed.
func (b *stalledBody) Read(p []byte) (int, error) {
	if n, _ := b.half.Read(p); n > 0 {
		return n, nil
	}
	if b.deadline.IsZero() {
		return 0, errors.New("a body is read without a deadline")
	}
	return 0, os.ErrDeadlineExceeded
}

// Close implements io.Closer.
func (*stalledBody) Close() error { return nil }

// A connection is the connection of a body.
type connection struct {
	*httptest.ResponseRecorder
	body *stalledBody
}

// SetReadDeadline is for http.ResponseController.
func (c connection) SetReadDeadline(deadline time.Time) error {
	c.body.deadline = deadline
	return nil
}

// with returns the expected answer to a request with the fault f. x is the expected answer without the fault.
func (x want) with(f fault, r route) want {
	if f == faultless || x.status != http.StatusOK {
		return x
	}
	kind := refusals[f][r.host]
	x.status, x.code, x.message, x.details, x.body = kind.status, kind.code, kind.message, kind.details, ""
	if x.spent = f == overLimit; x.spent && x.entry != nil {
		x.entry.Resource = auth.Resource{} // the server did not read it
		if r.host == hostAPI && r.access != byClientKey {
			x.entry.Scope = ""
		}
	}
	if x.entry != nil && (r.host == hostTrack || r.access == byClientKey) {
		x.entry.Resource = auth.Resource{} // the resource is in the body
	}
	if r.host != hostTrack {
		return x
	}
	for _, own := range trackCodes {
		if own.fault == f && own.path == r.path {
			x.code, x.message = own.code, own.message
		}
	}
	return x
}

// refusals has the answers to faults, by handler.
var refusals = map[fault]map[string]want{
	overLimit: {
		hostAPI:   {status: http.StatusTooManyRequests, code: "RATE_LIMITED", message: "Rate limit exceeded"},
		hostTrack: {status: http.StatusTooManyRequests, code: "TRACK_RATE_LIMITED", message: "Rate limit exceeded"},
	},
	tooLarge: {
		hostAPI: {status: http.StatusRequestEntityTooLarge, code: "PAYLOAD_TOO_LARGE",
			message: "The body may have at most 1048576 bytes"},
		hostTrack: {status: http.StatusRequestEntityTooLarge, code: "INGEST_PAYLOAD_TOO_LARGE",
			message: "Payload too large"},
	},
	halfSent: {
		hostAPI: {status: http.StatusRequestTimeout, code: "REQUEST_TIMEOUT",
			message: "The body did not arrive in time"},
		hostTrack: {status: http.StatusRequestTimeout, code: "REQUEST_TIMEOUT",
			message: "The body did not arrive in time"},
	},
}

// trackCodes has the special error codes of routes.
var trackCodes = []struct {
	fault               fault
	path, code, message string
}{
	{tooLarge, "/track", "TRACK_PAYLOAD_TOO_LARGE", "Payload too large"},
	{tooLarge, "/errors", "INGEST_ERRORS_BODY_TOO_LARGE", "Error batch too large"},
}

// ending returns the end of a refusal's body after the request id: the fields about the limit.
func (x want) ending(r route) string {
	switch reset := noon.Add(time.Minute).UnixMilli(); {
	case !x.spent:
		return x.details
	case r.host == hostTrack:
		return fmt.Sprintf(`,"retryAfter":60,"limit":1,"remaining":0,"reset":%d`, reset)
	default:
		return fmt.Sprintf(`,"limit":1,"remaining":0,"reset":%d,"retryAfter":60`, reset)
	}
}

// TestEveryRouteWithABodyHasTheFaults checks that the sample of every route that reads a body has a body.
func TestEveryRouteWithABodyHasTheFaults(t *testing.T) {
	bodies := 0
	for _, r := range track.Routes() {
		if r.Items > 0 {
			bodies++
		}
	}
	for _, r := range httpapi.Routes() {
		if r.Body {
			bodies++
		}
	}
	for _, r := range routes() {
		if strings.TrimSpace(sampleOf(t, r).Body) != "" {
			bodies--
		}
	}
	if bodies != 0 {
		t.Errorf("%d routes read a body but have samples without one", bodies)
	}
}
