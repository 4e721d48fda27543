package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/client"
)

type answers = []func([]byte) (*http.Response, error)

// stored answers that every event is stored.
func stored(body []byte) (*http.Response, error) {
	return results(200, func(int) string { return "success" })(body)
}

// results answers with a status per event. Events with the status error have the code INVALID_EVENT_SCHEMA.
func results(status int, of func(i int) string) func([]byte) (*http.Response, error) {
	return func(body []byte) (*http.Response, error) {
		var items []json.RawMessage
		if err := json.Unmarshal(body, &items); err != nil {
			return nil, err
		}
		var all []string
		for i := range items {
			all = append(all, fmt.Sprintf(`{"status":%q,"code":"INVALID_EVENT_SCHEMA"}`, of(i)))
		}
		return reply(status, `{"code":"INVALID_EVENT_SCHEMA","results":[`+strings.Join(all, ",")+`]}`)(body)
	}
}

// tracker returns a tracker whose requests get answers.
func tracker(t *testing.T, a answers, change func(*client.TrackerConfig)) (*client.Tracker, *script) {
	t.Helper()
	s := &script{answers: a}
	cfg := client.TrackerConfig{Website: "web_1"}
	if change != nil {
		change(&cfg)
	}
	tr, err := client.NewTracker(scripted(t, s, nil), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tr, s
}

// take tracks n events.
func take(t *testing.T, tr *client.Tracker, n int) {
	t.Helper()
	for i := range n {
		if err := tr.Track(client.Event{Name: "event", Properties: map[string]any{"i": i}}); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
	}
}

func TestTrackerSendsBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, s := tracker(t, answers{stored}, nil)
		take(t, tr, 250)
		synctest.Wait()
		if s.sent() != 2 {
			t.Errorf("%d requests for 250 events at once, want one for each 100", s.sent())
		}
		time.Sleep(1100 * time.Millisecond)
		if s.sent() != 3 {
			t.Errorf("%d requests: the rest waits longer than the interval", s.sent())
		}
		take(t, tr, 2)
		if err := tr.Flush(t.Context()); err != nil || s.sent() != 4 {
			t.Errorf("Flush: %v after %d requests", err, s.sent())
		}
		take(t, tr, 1)
		if err := tr.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got, want := tr.Stats(), (client.Stats{Taken: 253, Stored: 253}); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		seen := map[string]bool{}
		for _, body := range s.bodies {
			for _, id := range eventIDs(t, body) {
				seen[id] = true
			}
		}
		if len(seen) != 253 {
			t.Errorf("%d ids for 253 events", len(seen))
		}
		if err := tr.Track(client.Event{Name: "late"}); !errors.Is(err, client.ErrTrackerClosed) {
			t.Errorf("Track after Close: %v", err)
		}
		if err := tr.Flush(t.Context()); err != nil {
			t.Errorf("Flush after Close: %v", err)
		}
	})
}

// TestTrackerWaitsForTheService keeps events through twenty failures, with the same bytes in each request, and reports
// a full queue.
func TestTrackerWaitsForTheService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := slices.Repeat(answers{reply(503, down), broken, reply(429, limited, "Retry-After", "90")}, 7)
		tr, s := tracker(t, append(a, stored), func(cfg *client.TrackerConfig) { cfg.Queue = 5 })
		take(t, tr, 5)
		if err := tr.Track(client.Event{Name: "event"}); !errors.Is(err, client.ErrQueueFull) {
			t.Errorf("Track with a full queue: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := tr.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), "5 events") {
			t.Errorf("Flush while the service is down: %v", err)
		}
		if err := tr.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got, want := tr.Stats(), (client.Stats{Taken: 5, Stored: 5, Refused: 1}); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		for _, body := range s.bodies {
			if string(body) != string(s.bodies[0]) {
				t.Fatalf("a repeat differs: %s, %s", body, s.bodies[0])
			}
		}
		if len(s.bodies) != 22 {
			t.Errorf("%d requests, want 22", len(s.bodies))
		}
	})
}

// TestTrackerAccountsForLostEvents loses events in every way, and finds each of them in OnLost, in the counts and in
// the error.
func TestTrackerAccountsForLostEvents(t *testing.T) {
	third := func(i int) string { return []string{"error", "ignored", "success"}[i%3] }
	for _, row := range []struct {
		name    string
		answers answers
		want    client.Stats
	}{
		{"some are not valid", answers{results(200, third)}, client.Stats{Taken: 9, Stored: 3, Ignored: 3, Lost: 3}},
		{"none is valid", answers{results(400, func(int) string { return "error" })}, client.Stats{Taken: 9, Lost: 9}},
		{"the key is not valid", answers{reply(401, `{"code":"AUTH_REQUIRED","message":"Authentication required"}`)},
			client.Stats{Taken: 9, Lost: 9}},
		{"an answer without results", answers{reply(200, `{"status":"success"}`)}, client.Stats{Taken: 9, Lost: 9}},
		{"the service stays down", answers{reply(503, down)}, client.Stats{Taken: 9, Lost: 9}},
		{"the service hangs", answers{broken}, client.Stats{Taken: 9, Lost: 9}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var lost []client.Lost
				tr, _ := tracker(t, row.answers,
					func(cfg *client.TrackerConfig) {
						cfg.OnLost = func(l []client.Lost) {
							lost = append(lost,
								l...)
						}
					})
				take(t, tr, 9)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				err := tr.Close(ctx)
				if want := fmt.Sprintf("%d of 9 events are lost", row.want.Lost); err == nil ||
					!strings.Contains(err.Error(), want) {
					t.Errorf("Close: %v, want %s", err, want)
				}
				if got := tr.Stats(); got != row.want || len(lost) != row.want.Lost {
					t.Errorf("stats %+v, want %+v; OnLost has %d", got, row.want, len(lost))
				}
				for _, l := range lost {
					if l.Err == nil || l.Event.ID == "" || l.Event.Time.IsZero() {
						t.Errorf("lost %+v", l)
					}
				}
			})
		})
	}
}

// TestTrackSplitsLargeBatches sends events to a service that takes at most 30 in one request.
func TestTrackSplitsLargeBatches(t *testing.T) {
	s := &script{answers: answers{func(body []byte) (*http.Response, error) {
		if len(eventIDs(t, body)) > 30 {
			return reply(413, `{"code":"TRACK_PAYLOAD_TOO_LARGE"}`)(body)
		}
		return stored(body)
	}}}
	done, err := client.Track(t.Context(), scripted(t, s, nil), "web_1", make([]client.Event, 130)...)
	if err != nil || done.Err() != nil || done.Stored != 130 {
		t.Errorf("Track: %d stored, %v, %v", done.Stored, done.Err(), err)
	}
}

func TestTrackReportsEventsWithoutJSON(t *testing.T) {
	bad := client.Event{Name: "bad", Properties: map[string]any{"f": func() {}}}
	s := &script{answers: answers{stored}}
	c := scripted(t, s, nil)
	done, err := client.Track(t.Context(), c, "web_1", client.Event{Name: "good"}, bad)
	if err != nil || done.Stored != 1 || len(done.Lost) != 1 || done.Lost[0].Event.Name != "bad" || done.Err() == nil {
		t.Errorf("Track: %+v, %v", done, err)
	}
	tr, err := client.NewTracker(c, client.TrackerConfig{Website: "web_1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Track(bad); err == nil || tr.Stats().Refused != 1 {
		t.Errorf("Tracker.Track: %v, %+v", err, tr.Stats())
	}
	if err := tr.Close(t.Context()); err != nil {
		t.Error(err)
	}
	untracked, err := client.New(client.Config{URL: "https://stats.example"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Track(t.Context(), untracked, "web_1"); !errors.Is(err, client.ErrConfig) {
		t.Errorf("without an address for events: %v", err)
	}
}
