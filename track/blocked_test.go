package track

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sightline-analytics/sightline/store"
)

func TestBlocked(t *testing.T) {
	view := `{"type":"track","name":"screen_view","path":"https://shop.com/"}`
	old := `{"type":"track","name":"screen_view","path":"https://shop.com/","timestamp":1700000000000}`
	w := &world{rules: store.Rules{KeyedEvents: true}}
	h, ok := w.handler(t).(*Handler)
	if !ok {
		t.Fatal("no Handler")
	}
	for range 3 {
		w.post(t, "/?client_id=w1", view, "User-Agent", googlebot)
	}
	w.post(t, "/?client_id=w1", view, "User-Agent", "")
	w.post(t, "/?client_id=w2", view, "User-Agent", googlebot)
	w.post(t, "/?client_id=w1", view, "Origin", "https://elsewhere.com")
	w.post(t, "/batch?client_id=w1", "["+old+","+view+","+old+"]")
	w.post(t, "/events?client_id=w1", `{"name":"bought"}`)
	w.post(t, "/?client_id=w0", view, "User-Agent", googlebot) // this website does not exist
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []store.Blocked{
		{Website: "w1", Time: noon, Reason: "bot", Requests: 1},
		{Website: "w1", Time: noon, Reason: "bot", Bot: "Googlebot", Requests: 3},
		{Website: "w1", Time: noon, Reason: "key", Requests: 1},
		{Website: "w1", Time: noon, Reason: "origin", Requests: 1},
		{Website: "w1", Time: noon, Reason: "window", Requests: 2},
		{Website: "w2", Time: noon, Reason: "bot", Bot: "Googlebot", Requests: 1},
	}
	order := cmpopts.SortSlices(func(a, b store.Blocked) bool {
		return a.Website+a.Reason+a.Bot < b.Website+b.Reason+
			b.Bot
	})
	if d := cmp.Diff(want, w.rows().Blocked, order, cmpopts.IgnoreFields(store.Blocked{}, "ID")); d != "" {
		t.Error(d)
	}
	for _, b := range w.rows().Blocked {
		if b.ID == "" {
			t.Errorf("%+v has no id", b)
		}
	}
}

// TestBlockedIsStoredOnce checks that a write with an unknown result is repeated unchanged, so that nothing is counted
// twice.
func TestBlockedIsStoredOnce(t *testing.T) {
	w := &world{writeErr: errDown}
	b := &blockedCounter{writer: w, now: noonClock}
	b.add(blockedKind{"w1", "origin", ""})
	if err := b.flush(t.Context()); !errors.Is(err, errDown) {
		t.Fatal(err)
	}
	lost := b.unsaved.Blocked[0]
	b.add(blockedKind{"w1", "origin", ""})
	w.writeErr = nil
	if err := b.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.add(blockedKind{"w1", "origin", ""}) // ignored after close
	got := w.rows().Blocked
	if len(got) != 2 || got[0] != lost || got[1].ID == lost.ID || got[0].Requests+got[1].Requests != 2 ||
		b.counts != nil {
		t.Errorf("stored %+v, counted %v", got, b.counts)
	}
}

func TestBlockedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{writeErr: errDown}
		b := &blockedCounter{writer: w, now: noonClock, logger: slog.New(slog.DiscardHandler)}
		b.add(blockedKind{"w1", "origin", ""})
		time.Sleep(3*blockedEvery + time.Second) // three writes fail
		b.add(blockedKind{"w1", "origin", ""})
		w.mu.Lock()
		w.writeErr = nil
		w.mu.Unlock()
		time.Sleep(blockedEvery)
		synctest.Wait()
		w.mu.Lock()
		defer w.mu.Unlock()
		if got := w.rows().Blocked; len(got) != 2 || b.unsaved != nil || b.timer != nil {
			t.Errorf("stored %+v, left %+v", got, b)
		}
	})
}

func TestBlockedIsBounded(t *testing.T) {
	w := &world{}
	b := &blockedCounter{writer: w, now: noonClock}
	for i := range blockedKinds + 5 {
		b.add(blockedKind{"w1", "bot", http.StatusText(i) + string(rune(i))})
	}
	if err := b.close(t.Context()); err != nil || len(w.rows().Blocked) != blockedKinds {
		t.Errorf("%d kinds: %v", len(w.rows().Blocked), err)
	}
}

// monthly is a Usage with a number of events by website; err makes it fail.
type monthly struct {
	stored int64
	err    error
	asked  int
}

func (u *monthly) Events(_ context.Context, _ string, from, to time.Time) (int64, error) {
	u.asked++
	if from.Day() != 1 || !from.AddDate(0, 1, 0).Equal(to) || noon.Before(from) || !noon.Before(to) {
		return 0, errDown
	}
	return u.stored, u.err
}

func TestQuota(t *testing.T) {
	view := `{"type":"track","name":"screen_view","path":"https://shop.com/"}`
	u := &monthly{stored: 7}
	w := &world{rules: store.Rules{MonthlyEvents: 10}, usage: u}
	for i, want := range []int{200, 200, 200, 402, 402} {
		got := w.post(t, "/?client_id=w1", view)
		if got.code != want || want == 402 && got.body["code"] != "BILLING_LIMIT_EXCEEDED" {
			t.Errorf("request %d: %d %s", i, got.code, got.raw)
		}
	}
	if got := w.post(t, "/track", `{"name":"bought","websiteId":"w1"}`, "X-Api-Key",
		"all"); got.body["code"] != "BILLING_LIMIT_EXCEEDED" {
		t.Errorf("with a key: %s", got.raw)
	}
	if got := w.post(t, "/?client_id=w2", view); got.code != 200 {
		t.Errorf("a website without a quota: %s", got.raw)
	}
	if u.asked != 1 {
		t.Errorf("Usage was queried %d times", u.asked)
	}
	if got := w.post(t, "/identify?website_id=w1", `{"profileId":"u1"}`); got.code != 200 {
		t.Errorf("an identification, which is not an event: %d %s", got.code, got.raw)
	}
	const over = "BILLING_LIMIT_EXCEEDED"
	w = &world{rules: store.Rules{MonthlyEvents: 10}, usage: &monthly{stored: 8}}
	got := w.post(t, "/batch?client_id=w1", "["+view+",{},"+view+","+view+","+view+"]")
	if want := []string{"", "INVALID_EVENT_SCHEMA", "", over, over}; got.code != 200 ||
		!slices.Equal(got.codes(), want) || len(w.rows().Events) != 2 {
		t.Errorf("a batch with two events over the quota: %d %s", got.code, got.raw)
	}
	if got := w.post(t, "/?client_id=w1", view); got.code != 402 {
		t.Errorf("after that batch: %d %s", got.code, got.raw)
	}
	w = &world{rules: store.Rules{MonthlyEvents: 1}}
	for range 3 {
		if got := w.post(t, "/?client_id=w1", view); got.code != 200 {
			t.Errorf("with NoQuotas: %d %s", got.code, got.raw)
		}
	}
	w = &world{rules: store.Rules{MonthlyEvents: 10}, usage: &monthly{err: errDown}}
	if got := w.post(t, "/?client_id=w1", view); got.code != 503 || got.body["code"] != "BILLING_CHECK_UNAVAILABLE" ||
		got.header.Get("Retry-After") == "" {
		t.Errorf("if Usage fails: %d %s", got.code, got.raw)
	}
}
