package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/client"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// A script answers requests one after the other. The last answer is repeated.
type script struct {
	mu      sync.Mutex
	answers []func(body []byte) (*http.Response, error)
	times   []time.Time
	bodies  [][]byte
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.answers[min(len(s.times), len(s.answers)-1)]
	s.times, s.bodies = append(s.times, time.Now()), append(s.bodies, body)
	return answer(body)
}

// sent returns the number of requests.
func (s *script) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.times)
}

// waits returns the times between the requests.
func (s *script) waits() []time.Duration {
	var all []time.Duration
	for i, at := range s.times[1:] {
		all = append(all, at.Sub(s.times[i]))
	}
	return all
}

// reply returns an answer with a status, a body, and headers as names and values.
func reply(status int, body string, header ...string) func([]byte) (*http.Response, error) {
	return func([]byte) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func broken([]byte) (*http.Response, error) { return nil, errors.New("connection reset") }

const (
	limited = `{"success":false,"error":"Rate limit exceeded","code":"RATE_LIMITED","requestId":"req_1"}`
	down    = `{"success":false,"error":"Try later","code":"SERVICE_UNAVAILABLE","requestId":"req_2"}`
	listed  = `{"success":true,"websites":[{"id":"web_1"}],"total":1}`
)

// scripted returns a client whose requests get the answers of s.
func scripted(t *testing.T, s *script, change func(*client.Config)) *client.Client {
	t.Helper()
	cfg := client.Config{URL: "https://stats.example", TrackURL: "https://stats.example/collect",
		HTTP: &http.Client{Transport: s}}
	if change != nil {
		change(&cfg)
	}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRetries(t *testing.T) {
	const hour = "Sat, 14 Mar 2026 12:00:00 GMT"
	list := func(ctx context.Context, c *client.Client) error {
		_, err := c.Websites(ctx)
		return err
	}
	create := func(ctx context.Context, c *client.Client) error {
		_, _, err := c.CreateKey(ctx, client.NewKey{})
		return err
	}
	type answers = []func([]byte) (*http.Response, error)
	for _, row := range []struct {
		name    string
		answers answers
		do      func(context.Context, *client.Client) error
		waits   []time.Duration // the shortest ones; the longest are a quarter or the backoff longer
		fails   bool
	}{
		{"429 with seconds", answers{reply(429, limited, "Retry-After", "2"), reply(200, listed)}, list,
			[]time.Duration{2 * time.Second}, false},
		{"503 with a date", answers{reply(503, down, "Retry-After", "Sat, 14 Mar 2026 12:00:10 GMT", "Date", hour),
			reply(200, listed)}, list, []time.Duration{10 * time.Second}, false},
		{"503 without a time", answers{reply(503, down), reply(503, down), reply(200, listed)}, list,
			[]time.Duration{0, 0}, false},
		{"a proxy's 502", answers{reply(502, "<html>"), reply(200, listed)}, list, []time.Duration{0}, false},
		{"a lost connection", answers{broken, reply(200, listed)}, list, []time.Duration{0}, false},
		{"a change after 429", answers{reply(429, limited, "Retry-After", "1"), reply(200, `{}`)}, create,
			[]time.Duration{time.Second}, false},
		{"a change after 503 may have happened", answers{reply(503, down), reply(200, `{}`)}, create, nil, true},
		{"a change on a lost connection may have happened", answers{broken, reply(200, `{}`)}, create, nil, true},
		{"a longer wait than MaxWait", answers{reply(429, limited, "Retry-After", "61"), reply(200, listed)}, list, nil,
			true},
		{"a mistake", answers{reply(400, `{"code":"VALIDATION_ERROR"}`), reply(200, listed)}, list, nil, true},
		{"a body that is not JSON", answers{reply(200, "<html>"), reply(200, listed)}, list, nil, true},
		{"five failures", answers{reply(503, down)}, list, make([]time.Duration, 4), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: row.answers}
				err := row.do(t.Context(), scripted(t, s, nil))
				if (err != nil) != row.fails {
					t.Fatalf("error %v", err)
				}
				waits := s.waits()
				if len(waits) != len(row.waits) {
					t.Fatalf("waits %v, want %d", waits, len(row.waits))
				}
				for i, w := range waits {
					longest := row.waits[i] + max(250*time.Millisecond<<i, row.waits[i]/4)
					if w <= row.waits[i] || w > longest {
						t.Errorf("wait %d is %v, want more than %v and at most %v", i, w, row.waits[i], longest)
					}
				}
			})
		})
	}
}

// TestRetriesEndWithTheContext finds no wait that outlasts the context, and the error of the service beside that of the
// context.
func TestRetriesEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []func([]byte) (*http.Response, error){reply(429, limited, "Retry-After", "30")}}
		c := scripted(t, s, nil)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := c.Websites(ctx)
		if !errors.Is(err, client.CodeRateLimited) || time.Since(began) != 0 {
			t.Errorf("with a deadline: %v after %v", err, time.Since(began))
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err = c.Websites(ctx); !errors.Is(err, client.CodeRateLimited) || !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
		never := scripted(t, s, func(cfg *client.Config) { cfg.Retries = -1 })
		if _, err = never.Websites(t.Context()); err == nil || len(s.times) != 3 {
			t.Errorf("without retries: %v after %d requests in all", err, len(s.times))
		}
	})
}

// TestNoSecretsInText prints a client and the errors of a connection.
func TestNoSecretsInText(t *testing.T) {
	c := scripted(t, &script{answers: []func([]byte) (*http.Response, error){broken}},
		func(cfg *client.Config) { cfg.Key, cfg.Retries = "sl_secret", -1 })
	_, err := c.Websites(t.Context())
	if text := fmt.Sprintf("%v %+v %#v %v", c, c, c, err); err == nil || strings.Contains(text, "sl_secret") {
		t.Errorf("%s shows the key", text)
	}
}

// eventIDs returns the ids in the body of a request to /track.
func eventIDs(t *testing.T, body []byte) []string {
	t.Helper()
	var items []client.Event
	if err := json.Unmarshal(body, &items); err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(items))
	for i, e := range items {
		ids[i] = e.ID
	}
	return ids
}

// endless is a body without an end.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return len(p), nil
}

// An answer without an end is given up at a bound, and is not asked for again.
func TestEndlessAnswer(t *testing.T) {
	testenv.WithoutRace(t)
	body := &endless{}
	s := &script{answers: []func([]byte) (*http.Response, error){func([]byte) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body)}, nil
	}}}
	_, err := scripted(t, s, nil).Websites(t.Context())
	if err == nil || !strings.Contains(err.Error(), "more than") || s.sent() != 1 || body.read > 1<<28 {
		t.Errorf("%d requests, %d bytes read: %v; want one request and a bound", s.sent(), body.read, err)
	}
}
