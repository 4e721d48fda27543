package front_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/front"
)

var noon = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)

// A world is a front with keys, limits and an audit trail. Tests set its clock.
type world struct {
	*front.Front
	pepper  auth.Pepper
	keys    *auth.Memory
	lookups int
	limiter *ratelimit.Limiter
	log     strings.Builder

	mu       sync.Mutex
	now      time.Time
	entries  []auth.Entry
	auditErr error
	steps    func(context.Context, *front.Request) (*front.Answer, error) // of /work
	any      func() (*front.Answer, error)                                // of /any
	cost     int
}

// body is the request body of /work.
type body struct{ text string }

func newWorld(t testing.TB, change ...func(*front.Config, *ratelimit.Config)) *world {
	t.Helper()
	w := &world{now: noon, cost: 1}
	var err error
	if w.pepper, err = auth.NewPepper([]byte(strings.Repeat("p", 32))); err != nil {
		t.Fatal(err)
	}
	if w.keys, err = auth.NewMemory(auth.MemoryConfig{Pepper: w.pepper}); err != nil {
		t.Fatal(err)
	}
	keys, err := auth.New(auth.Config{Store: w, Pepper: w.pepper, Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	limits := ratelimit.Config{Now: w.clock}
	cfg := front.Config{Auth: keys, Audit: w, Refuse: refuse, Now: w.clock,
		Encoders: []front.Encoder{{Name: "zstd", Encode: encodeZstd}},
		Logger:   slog.New(slog.NewTextHandler(&w.log, nil)),
		CORS: &front.CORS{Origins: map[string]bool{"https://a.example": true}, Methods: "GET, POST",
			Expose: "ETag", MaxAge: time.Hour}}
	for _, f := range change {
		f(&cfg, &limits)
	}
	if w.limiter, err = ratelimit.New(limits); err != nil {
		t.Fatal(err)
	}
	cfg.Limiter = w.limiter
	ok := front.Steps[body]{
		Answer: func(context.Context, *front.Request, *body) (*front.Answer, error) { return front.JSON("ok") },
	}
	free := &front.CORS{Any: true, Methods: "GET, POST", Expose: "ETag", MaxAge: time.Hour}
	beacons := *free
	beacons.Credentials = true
	w.Front = front.New(cfg, []*front.Route{
		{Method: "POST", Path: "/work", Class: auth.ClassQuery, Credentials: front.NeedsCredentials, Use: true,
			CORS: cfg.CORS, Steps: front.Steps[body]{
				Read: func(_ context.Context, r *front.Request, b *body) error {
					text, err := r.ReadBody(1 << 20)
					b.text = string(text)
					return err
				},
				Cost: func(*body) int { return w.cost },
				Answer: func(ctx context.Context, r *front.Request, _ *body) (*front.Answer, error) {
					if w.steps != nil {
						return w.steps(ctx, r)
					}
					return front.JSON("done")
				}}},
		{Method: "GET", Path: "/open/{id}", Class: auth.ClassPublic, CORS: cfg.CORS, Cache: "no-cache",
			Steps: front.Steps[body]{
				Answer: func(_ context.Context, r *front.Request, _ *body) (*front.Answer, error) {
					return front.JSON(r.Segment)
				}}},
		{Method: "GET", Path: "/free", Class: auth.ClassPublic, CORS: free, Steps: ok},
		{Method: "GET", Path: "/closed", Class: auth.ClassPublic, Steps: ok},
		{Method: "GET", Path: "/health", Class: auth.ClassHealth, CORS: cfg.CORS, Steps: ok},
		{Method: "POST", Path: "/any", Class: auth.ClassTrack, CORS: &beacons,
			Credentials: front.OptionalCredentials, Steps: front.Steps[body]{
				Answer: func(_ context.Context, r *front.Request, _ *body) (*front.Answer, error) {
					if w.any != nil {
						return w.any()
					}
					return front.JSON(r.Principal != nil)
				}}},
	})
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// KeyByDigest implements auth.KeyStore, and counts its calls.
func (w *world) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	w.mu.Lock()
	w.lookups++
	w.mu.Unlock()
	return w.keys.KeyByDigest(ctx, d)
}

// Record implements auth.Sink.
func (w *world) Record(_ context.Context, e auth.Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.auditErr == nil {
		w.entries = append(w.entries, e)
	}
	return w.auditErr
}

func (w *world) key(t testing.TB) string { return w.keyOf(t, "o") }

// keyOf returns the secret of a new key of an owner.
func (w *world) keyOf(t testing.TB, owner string) string {
	t.Helper()
	_, secret, err := w.keys.CreateKey(t.Context(),
		auth.Key{Owner: owner, Name: "k", Scopes: []auth.Scope{auth.ReadData}, All: true})
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

// stranger returns a well-formed key that does not exist.
func stranger(t testing.TB) string {
	t.Helper()
	s, err := auth.NewSecret(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Reveal()
}

// send sends a request with a key, unless it is empty, and with headers, from an address in 203.0.113.0/24.
func (w *world) send(method, path, key string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(""))
	r.RemoteAddr = "203.0.113.7:4711"
	if key != "" {
		r.Header.Set("X-Api-Key", key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "from" {
			r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(headers[i+1]), 4711).String()
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return rec
}

// refuse returns responses with the texts of errors.
func refuse(_ *front.Request, err error) front.Refusal {
	status := http.StatusInternalServerError
	var retry time.Duration
	if limited := (*front.LimitedError)(nil); errors.As(err, &limited) {
		status, retry = http.StatusTooManyRequests, time.Duration(limited.Status.RetryAfter)*time.Second
	}
	if costly := (*front.CostError)(nil); errors.As(err, &costly) {
		status = http.StatusBadRequest
	}
	if away := (*front.UnavailableError)(nil); errors.As(err, &away) {
		status = http.StatusServiceUnavailable
	}
	for is, code := range map[error]int{front.ErrNoRoute: 404, front.ErrMethod: 405, auth.ErrRequired: 401,
		auth.ErrForbidden: 403, context.DeadlineExceeded: 504} {
		if errors.Is(err, is) {
			status = code
		}
	}
	text, _ := json.Marshal(err.Error())
	return front.Refusal{Status: status, Code: fmt.Sprintf("E%d", status), Body: json.RawMessage(text), Retry: retry}
}

// debugLog writes all lines to w, without their times.
func debugLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w,
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
}
