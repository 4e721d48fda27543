package sightline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// TestRunExpiresDays tests that Run removes the rows of old days of a website, and of no other, while events arrive and
// questions are asked. The totals stay the same. Events for the removed days are rejected.
func TestRunExpiresDays(t *testing.T) {
	now := time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	records, secret := records(t)
	_, err := records.CreateWebsite(t.Context(), store.Website{ID: "other", Owner: "acme", Domain: "other.example"})
	if _, changeErr := records.ChangeWebsite(t.Context(), "shop",
		func(w *store.Website) { w.Rules.RetentionDays, w.Rules.KeepTotals = 30, true }); errors.Join(err,
		changeErr) != nil {
		t.Fatal(err, changeErr)
	}
	events, err := sqlite.OpenConfig(t.Context(), sqlite.Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = events.Close(context.Background()) }) // the test is over
	var b store.Batch
	for _, website := range []string{"shop", "other"} {
		for age := range 40 {
			for i := range 1 + age%3 {
				b.Events = append(b.Events,
					store.Event{Website: website, ID: fmt.Sprint(age, " ", i), Name: "screen_view", Path: "/",
						Time:     now.AddDate(0, 0, -age),
						Identity: store.Identity{AnonymousID: fmt.Sprint(i), SessionID: fmt.Sprint(age, " ", i)},
						Agent:    store.Agent{Country: "DE"}})
			}
		}
	}
	if _, err := events.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	svc := open(t, sightline.Config{Events: events, Records: records, Audit: auth.Discard, Limiter: auth.Unlimited,
		Now: func() time.Time { return now }})
	ask := func(website, filters string) string {
		status, body := send(t, svc.API(), "POST", "/v1/query?website_id="+website, secret.Reveal(),
			`{"parameters":["top_pages"],"startDate":"2026-05-01","endDate":"2026-06-14","filters":[`+filters+`]}`)
		if status != 200 {
			t.Errorf("a query answers %d: %s", status, body)
		}
		_, data, _ := strings.Cut(body, `"data":`)
		return data
	}
	const inGermany = `{"field":"country","op":"eq","value":"DE"}`
	before, other, german := ask("shop", ""), ask("other", inGermany), ask("shop", inGermany)
	if strings.Contains(before, "expiredBefore") || strings.Contains(german, "expiredBefore") {
		t.Errorf("rows are missing before days expired: %s", before)
	}

	stop, ended := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := svc.Run(stop); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	defer running.Wait()
	defer ended()
	sent := 0
	expired := false
	for deadline := time.Now().Add(2 * time.Minute); ; sent++ {
		status, body := send(t, svc.Tracking(), "POST", "/track?website_id=shop", secret.Reveal(),
			fmt.Sprintf(`{"name":"sent","eventId":"sent %d"}`, sent))
		if status != 200 {
			t.Fatalf("an event during the pass answers %d: %s", status, body)
		}
		got := ask("shop", "")
		rows, meta, _ := strings.Cut(got, `"meta":`)
		if wanted, _, _ := strings.Cut(before, `"meta":`); rows != wanted ||
			strings.Contains(meta, "rows that are left") {
			t.Fatalf("during the pass the answer is %s, want %s", got, before)
		}
		expired = strings.Contains(meta, "expiredBefore")
		days, err := events.Days(t.Context(), store.Subject{Kind: store.KindWebsite, ID: "shop"},
			now.AddDate(0, 0, -40), now.AddDate(0, 0, -30).Truncate(24*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if left := countDays(days, func(d store.Day) bool { return d.Expired < d.Version }); left == 0 &&
			len(days) == 9 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("days are left: %+v", days)
		}
	}
	if !expired {
		t.Error("the answer from totals does not say that rows have expired")
	}
	if after := ask("shop", inGermany); after == german ||
		!strings.Contains(after, `"expiredBefore":"2026-05-16T00:00:00.000Z"`) {
		t.Errorf("with a filter the answer is %s, want less than %s and the time before which rows are missing", after,
			german)
	}
	if after := ask("other", inGermany); after != other {
		t.Errorf("another website has the answer %s, want %s", after, other)
	}
	status, body := send(t, svc.Tracking(), "POST", "/track?website_id=shop", secret.Reveal(),
		`{"name":"late","eventId":"late","timestamp":"2026-05-15T23:59:59Z"}`)
	if status != 400 || !strings.Contains(body, "EVENT_TOO_OLD") || !strings.Contains(body, "2026-05-16") {
		t.Errorf("an event of a removed day answers %d: %s", status, body)
	}
}

func countDays(days []store.Day, condition func(store.Day) bool) (n int) {
	for _, d := range days {
		if condition(d) {
			n++
		}
	}
	return n
}
