package front_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/front"
)

// An unread writer is a client that does not read response bodies until the channel read is closed.
type unread struct {
	*httptest.ResponseRecorder
	stuck func() // called when the server waits for the client
	read  chan struct{}
}

func (u unread) Write(p []byte) (int, error) {
	u.stuck()
	<-u.read
	return len(p), nil
}

// A crowd is a group of clients that do not read their responses.
type crowd struct {
	world *world
	read  chan struct{}
	all   sync.WaitGroup
}

func newCrowd(w *world) *crowd { return &crowd{world: w, read: make(chan struct{})} }

// ask sends a request, and returns when the server either waits for the client or has answered.
func (c *crowd) ask(path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", path, http.NoBody)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	r.RemoteAddr = "203.0.113.7:1"
	if from := r.Header.Get("From"); from != "" {
		r.RemoteAddr = from + ":1"
	}
	rec, settled := httptest.NewRecorder(), make(chan struct{})
	once := sync.OnceFunc(func() { close(settled) })
	c.all.Go(func() {
		defer once()
		c.world.ServeHTTP(unread{rec, once, c.read}, r)
	})
	<-settled
	return rec
}

// leave makes all clients read their responses.
func (c *crowd) leave() {
	close(c.read)
	c.all.Wait()
	c.read = make(chan struct{})
}

// large returns a step with an answer of 20 MiB. All answers share their bytes, so that tests need little memory.
func large() func() (*front.Answer, error) {
	body := make([]byte, 20<<20)
	return func() (*front.Answer, error) { return &front.Answer{Status: http.StatusOK, Body: body}, nil }
}

// TestAnswersThatWaitForReadersAreBounded uses clients that do not read. The server may hold 32 MiB for one caller, 48
// MiB for the tokens of a key, no more than the rest for an owner, and 128 MiB in total. Small responses and refusals
// still pass.
func TestAnswersThatWaitForReadersAreBounded(t *testing.T) {
	w := newWorld(t, func(_ *front.Config, l *ratelimit.Config) { l.Factor, l.InFlight = 1000, 100 })
	w.any = large()
	secret := w.key(t)
	tokens, err := auth.NewTokens(auth.TokensConfig{Pepper: w.pepper, Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	mint := func() string {
		token, err := tokens.Mint(w.pepperDigest(t, secret), auth.Claims{}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return "Bearer " + token.Reveal()
	}
	token := mint()
	owners := 0
	for _, row := range []struct {
		name   string
		who    func() []string
		full   int // status above the limit
		passed int // of 40 responses
		other  []string
	}{
		{"one key", func() []string { return []string{"X-Api-Key", secret} }, 429, 1, []string{"X-Api-Key", w.key(t)}},
		{"one token", func() []string { return []string{"Authorization", token} }, 429, 1,
			[]string{"Authorization", mint()}},
		{"many tokens of one key", func() []string { return []string{"Authorization", mint()} }, 429, 2,
			[]string{"X-Api-Key", secret}},
		{"one network without a key", func() []string { return nil }, 429, 1, []string{"From", "203.0.113.8"}},
		{"many keys of one owner", func() []string { return []string{"X-Api-Key", w.key(t)} }, 429, 3,
			[]string{"X-Api-Key", w.keyOf(t, "another")}},
		{"many owners", func() []string {
			owners++
			return []string{"X-Api-Key", w.keyOf(t, strconv.Itoa(owners))}
		}, 503, 6, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, got := newCrowd(w), map[int]int{}
			for range 40 {
				rec := c.ask("/any", row.who()...)
				if got[rec.Code]++; rec.Code == 429 && rec.Header().Get("Retry-After") != "1" {
					t.Errorf("429 without Retry-After: %v", rec.Header())
				}
			}
			if got[200] != row.passed || got[row.full] != 40-row.passed {
				t.Errorf("40 unread responses of 20 MiB: %v, want %d with 200 and the rest with %d", got, row.passed,
					row.full)
			}
			if rec := c.ask("/work", "X-Api-Key", secret); rec.Code != 200 {
				t.Errorf("a small response: %d", rec.Code)
			}
			if rec := c.ask("/work", "X-Api-Key", stranger(t)); rec.Code != 401 {
				t.Errorf("a refusal: %d", rec.Code)
			}
			if row.other != nil {
				if rec := c.ask("/any", row.other...); rec.Code != 200 {
					t.Errorf("another caller: %d", rec.Code)
				}
			}
			c.leave()
			if rec := c.ask("/any", row.who()...); rec.Code != 200 {
				t.Errorf("after all responses were read: %d", rec.Code)
			}
			c.leave()
		})
	}
}

// TestTheUncompressedAnswerIsReleased checks that only the compressed body is in memory while a client reads it.
func TestTheUncompressedAnswerIsReleased(t *testing.T) {
	for name, how := range map[string]func(*front.Answer, *bool){
		"alone": func(*front.Answer, *bool) {},
		"shared": func(a *front.Answer, released *bool) {
			body := a.Body
			a.Compressed = func(_ string, compress func([]byte) []byte) []byte { return compress(body) }
			a.Release = func() { *released = len(body) > 0 }
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			key, freed, released := w.key(t), make(chan struct{}, 8), name == "alone"
			w.steps = func(context.Context, *front.Request) (*front.Answer, error) {
				a := &front.Answer{Status: http.StatusOK, Body: make([]byte, 20<<20)}
				runtime.AddCleanup(&a.Body[0], func(int) { freed <- struct{}{} }, 0)
				how(a, &released)
				return a, nil
			}
			c := newCrowd(w)
			defer c.leave()
			for i := range 3 {
				if rec := c.ask("/work", "X-Api-Key", key, "Accept-Encoding", "zstd"); rec.Code != 200 || !released {
					t.Fatalf("response %d, small after compression: %d, released: %t", i, rec.Code, released)
				}
				runtime.GC()
				select {
				case <-freed:
				case <-time.After(5 * time.Second):
					t.Fatal("the uncompressed body stays in memory while the client does not read")
				}
			}
		})
	}
}

// TestConcurrentRequestsOfANetworkAreBounded checks the limit for concurrent requests without a key. The limit must not
// affect other callers.
func TestConcurrentRequestsOfANetworkAreBounded(t *testing.T) {
	w := newWorld(t, func(_ *front.Config, l *ratelimit.Config) { l.InFlight = 1 })
	c, got := newCrowd(w), map[int]int{}
	for range 60 {
		got[c.ask("/any").Code]++
	}
	if got[200] != 50 || got[429] != 10 {
		t.Errorf("60 concurrent requests: %v", got)
	}
	rec := c.ask("/any")
	if rec.Header().Get("Retry-After") != "1" ||
		!strings.Contains(rec.Body.String()+rec.Header().Get("RateLimit-Policy"), `"concurrency";q=50`) {
		t.Errorf("the refusal: %v", rec.Header())
	}
	if rec := c.ask("/any", "From", "203.0.113.8"); rec.Code != 200 {
		t.Errorf("another network: %d", rec.Code)
	}
	if rec := c.ask("/any", "X-Api-Key", w.key(t)); rec.Code != 200 {
		t.Errorf("a key of the same network: %d", rec.Code)
	}
	health := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/health", nil)
	r.RemoteAddr = "203.0.113.7:1"
	if w.ServeHTTP(health, r); health.Code != 200 {
		t.Errorf("health: %d", health.Code)
	}
	c.leave()
	if rec := c.ask("/any"); rec.Code != 200 {
		t.Errorf("after all responses were read: %d", rec.Code)
	}
	c.leave()
}

// TestBytesAreClaimedWhenRowsAreRead checks that a request whose rows do not fit is refused before it makes a response
// of them, that its claim becomes that of the response, and that nothing is left afterwards.
func TestBytesAreClaimedWhenRowsAreRead(t *testing.T) {
	w := newWorld(t)
	secret := w.key(t)
	for _, row := range []struct {
		name   string
		rows   int64
		body   int // bytes of the response
		beside int64
		status int
		left   bool // whether another request of the key may have 30 MiB while the client reads
	}{
		{"large rows, a small response", 30 << 20, 10, 0, 200, true},
		{"large rows, a large response", 30 << 20, 20 << 20, 0, 200, false},
		{"small rows, a large response", 0, 20 << 20, 0, 200, false},
		{"rows beside others", 20 << 20, 10, 20 << 20, 429, true},
		{"a response beside other rows", 0, 20 << 20, 20 << 20, 429, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			hold := func(size int64) func(context.Context, *front.Request) (*front.Answer, error) {
				return func(_ context.Context, r *front.Request) (*front.Answer, error) {
					if err := r.Claim(size); err != nil {
						return nil, err
					}
					return front.JSON("held")
				}
			}
			w.steps = func(ctx context.Context, r *front.Request) (*front.Answer, error) {
				w.steps = hold(30 << 20)
				if err := r.Claim(row.rows); err != nil {
					return nil, err
				}
				return &front.Answer{Status: http.StatusOK, Body: make([]byte, row.body), Type: "x"}, nil
			}
			c := newCrowd(w)
			if row.beside > 0 {
				inner := w.steps
				w.steps = func(ctx context.Context, r *front.Request) (*front.Answer, error) {
					w.steps = inner
					if err := r.Claim(row.beside); err != nil {
						return nil, err
					}
					if got := c.ask("/work", "X-Api-Key", secret); got.Code != row.status {
						t.Errorf("beside other rows: %d, want %d", got.Code, row.status)
					}
					return front.JSON("held")
				}
				c.ask("/work", "X-Api-Key", secret)
			} else if got := c.ask("/work", "X-Api-Key", secret); got.Code != row.status {
				t.Errorf("status %d, want %d", got.Code, row.status)
			}
			w.steps = hold(30 << 20)
			if got := c.ask("/work", "X-Api-Key", secret); (got.Code == 200) != row.left {
				t.Errorf("another request while the client reads: %d", got.Code)
			}
			c.leave()
			w.steps = hold(30 << 20)
			if got := c.ask("/work", "X-Api-Key", secret); got.Code != 200 {
				t.Errorf("after all were read: %d %s", got.Code, got.Body)
			}
			c.leave()
		})
	}
}

// TestWorkThatOutlivesARequestHoldsNothing checks that rows which are read after the end of a request do not count for
// ever.
func TestWorkThatOutlivesARequestHoldsNothing(t *testing.T) {
	for _, before := range []int64{-1, 1 << 20} {
		w := newWorld(t)
		secret := w.key(t)
		var ended *front.Request
		w.steps = func(_ context.Context, r *front.Request) (*front.Answer, error) {
			ended = r
			if before >= 0 {
				if err := r.Claim(before); err != nil {
					return nil, err
				}
			}
			return front.JSON("done")
		}
		for range 10 {
			r := httptest.NewRequest("POST", "/work", http.NoBody)
			r.Header.Set("X-Api-Key", secret)
			rec := httptest.NewRecorder()
			w.ServeHTTP(rec, r)
			if rec.Code != http.StatusOK {
				t.Fatalf("status %d", rec.Code)
			}
			if err := ended.Claim(20 << 20); err != nil {
				t.Fatalf("a claim after the end: %v", err)
			}
		}
	}
}
