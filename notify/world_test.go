package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// A world has stores with a clock that tests set.
type world struct {
	t       testing.TB
	records *meta.Store
	events  *sqlite.Store
	engine  *query.Engine
	pager   *pager

	mu  sync.Mutex
	at  time.Time
	ids int
	rnd *rand.Rand
}

// A pager is the sender of the host. It keeps what it gets.
type pager struct {
	mu  sync.Mutex
	got []notify.Message
	to  []string
}

func (p *pager) Send(_ context.Context, to string, m notify.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got, p.to = append(p.got, m), append(p.to, to)
	return nil
}

// texts returns what a target was told. A message that arrived again, which happens where a server is replaced while it
// delivers, counts once.
func (p *pager) texts(to string) (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := map[string]bool{}
	for i, m := range p.got {
		if p.to[i] == to && !seen[m.ID] {
			seen[m.ID] = true
			all = append(all, string(m.Type)+": "+m.Text)
		}
	}
	return all
}

func newWorld(t testing.TB, at time.Time) *world {
	t.Helper()
	w := &world{t: t, at: at, pager: &pager{}, rnd: rand.New(rand.NewPCG(11, 12))}
	pepper, err := auth.NewPepper([]byte("a pepper of sufficient length"))
	if err != nil {
		t.Fatal(err)
	}
	w.records = w.openRecords(meta.Config{Path: filepath.Join(t.TempDir(), "records.sqlite"), Pepper: pepper})
	w.events, err = sqlite.OpenConfig(t.Context(), sqlite.Config{Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.events.Close(context.Background()) }) // the test is over
	if w.engine, err = query.New(query.Config{Store: w.events, Now: w.now}); err != nil {
		t.Fatal(err)
	}
	_, err = w.records.CreateOwner(t.Context(), meta.Owner{ID: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) openRecords(cfg meta.Config) *meta.Store {
	w.t.Helper()
	cfg.Now = w.now
	s, err := meta.Open(w.t.Context(), cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.Close(context.Background()) }) // the test is over
	return s
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *world) set(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = at
}

func (w *world) site(id string, created time.Time) {
	w.t.Helper()
	if _, err := w.records.CreateWebsite(w.t.Context(), store.Website{ID: id, Owner: "acme", Domain: id + ".example",
		Name: strings.ToUpper(id[:1]) + id[1:], CreatedAt: created}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) save(site string, kind store.DefinitionKind, name, body string) {
	w.t.Helper()
	if _, err := w.records.PutDefinition(w.t.Context(), site, store.Definition{Kind: kind, Name: name,
		Body: json.RawMessage(body)}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) service(options notify.Options) *notify.Service {
	w.t.Helper()
	return w.serviceOver(w.records, options)
}

func (w *world) serviceOver(records *meta.Store, options notify.Options) *notify.Service {
	w.t.Helper()
	options.Sender = w.pager
	s, err := notify.New(notify.Config{Store: records, Engine: w.engine, Directory: records, Subjects: records,
		EndKey: []byte("a key of links"), Now: w.now, Options: options})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// run runs s until stop is called.
func (w *world) run(s *notify.Service) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	w.t.Cleanup(stop)
	return stop
}

// settle waits until no message is pending.
func (w *world) settle(site string) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		all, err := w.records.Deliveries(w.t.Context(), site, 1000)
		if err != nil {
			w.t.Fatal(err)
		}
		left := 0
		for _, d := range all {
			if d.Status == store.DeliveryPending {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%d messages are still pending: %+v", left, all)
		}
	}
}

func (w *world) write(b *store.Batch) {
	w.t.Helper()
	if _, err := w.events.Write(w.t.Context(), b); err != nil {
		w.t.Fatal(err)
	}
}

// visits adds pageviews of different visitors between two times.
func (w *world) visits(b *store.Batch, site string, from, to time.Time, n int) {
	for range n {
		w.ids++
		id := fmt.Sprint("v", w.ids)
		b.Events = append(b.Events, store.Event{Website: site, ID: id, Kind: store.Pageview, Name: "screen_view",
			Path: "/", Time: from.Add(time.Duration(w.rnd.Int64N(int64(to.Sub(from))))).Truncate(time.Millisecond),
			Identity: store.Identity{AnonymousID: id, SessionID: id}})
	}
}

// poisson returns a number of visits.
func (w *world) poisson(mean float64) int {
	n, p := 0, w.rnd.Float64()
	for limit := math.Exp(-mean); p > limit; p *= w.rnd.Float64() {
		n++
	}
	return n
}

// TestPlanted plants a spike, a drop, silence, an outage and a decided experiment into ordinary traffic. Each gives one
// message when it begins and one when it ends, with the numbers, and nothing else is sent. The service is replaced in
// the middle of each.
func TestPlanted(t *testing.T) {
	start := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC) // a Monday
	w := newWorld(t, start)
	w.site("shop", start.AddDate(0, 0, -70))
	if _, err := w.records.CreateMonitor(t.Context(), meta.Monitor{ID: "api", Owner: "acme", Name: "API",
		URL: "https://shop.example/", WebsiteID: "shop"}); err != nil {
		t.Fatal(err)
	}
	ordinary := func(at time.Time) float64 { return 25 + 15*math.Sin(float64(at.Hour()-8)/24*2*math.Pi) }
	var past store.Batch
	for at := start.AddDate(0, 0, -63); at.Before(start); at = at.Add(time.Hour) {
		w.visits(&past, "shop", at, at.Add(time.Hour), w.poisson(ordinary(at)))
	}
	for len(past.Events) > 0 {
		n := min(len(past.Events), 5000)
		w.write(&store.Batch{Events: past.Events[:n]})
		past.Events = past.Events[n:]
	}
	for name, body := range map[string]string{
		"unusual":    `"metric":"visitors","unusual":true`,
		"silent":     `"event":"silent","minutes":60`,
		"monitor":    `"event":"monitor","quiet":"1m"`,
		"experiment": `"event":"experiment"`,
		"above":      `"metric":"visitors","above":120,"range":"last_60m"`,
	} {
		w.save("shop", store.NoticeDefinition, name, "{"+body+`,"to":[{"host":"`+name+`"}]}`)
	}
	other := store.Website{ID: "other", Owner: "acme", Domain: "other.example"}
	if _, err := w.records.CreateWebsite(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	hour := func(h float64) time.Time { return start.Add(time.Duration(h * float64(time.Hour))) }
	s := w.service(notify.Options{})
	const step = 5 * time.Minute
	for at := start; at.Before(start.Add(26 * time.Hour)); at = at.Add(step) {
		var b store.Batch
		mean := ordinary(at) / 12
		switch {
		case !at.Before(hour(10)) && at.Before(hour(11)):
			mean = 16
		case !at.Before(hour(14)) && at.Before(hour(15)):
			mean = 0
			if at.Equal(hour(14.5)) {
				w.visits(&b, "shop", at, at.Add(step), 1)
			}
		case !at.Before(hour(20)) && at.Before(hour(22.5)):
			mean = 0
		}
		w.visits(&b, "shop", at, at.Add(step), w.poisson(mean))
		status := store.Up
		if !at.Before(hour(5)) && at.Before(hour(5.5)) {
			status = store.Down
		}
		b.Checks = append(b.Checks, store.Check{Schedule: "api", ID: at.String(), Time: at, Status: status,
			URL: "https://shop.example/"})
		if at.Equal(hour(2)) {
			experiment(&b, at)
		}
		w.write(&b)
		w.set(at.Add(step))
		if at.Minute()%30 == 25 { // another process continues
			s = w.service(notify.Options{})
		}
		if err := s.Evaluate(t.Context()); err != nil {
			t.Fatalf("%v: %v", at, err)
		}
	}
	w.run(s)
	w.settle("shop")
	for to, want := range map[string][]string{
		"monitor": {"notice.began: The monitor API is down.",
			"notice.ended: The monitor API is up again. It was down from 2 Nov 05:05 on, for 30 minutes."},
		"silent": {"notice.began: Shop has had no pageviews for 60 minutes. Usually there are some at this time.",
			"notice.ended: Shop has pageviews again. It was silent for 2 h 35 min."},
		"experiment": {"notice.began: Shop: the experiment with the flag cart is decided. The variant b converts 30 % of 200 visitors; the next best, a, 5 % of 200."},
	} {
		if got := w.pager.texts(to); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s was told\n%s\nwant\n%s", to, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	unusual := w.pager.texts("unusual")
	for i, want := range []string{"on Mon 2 Nov from 10:00 to 11:00 (UTC), above the usual", "from 11:00 to 12:00 (UTC), as usual",
		"on Mon 2 Nov from 14:00 to 15:00 (UTC), below the usual", "as usual at this time again",
		"on Mon 2 Nov from 20:00 to 21:00 (UTC), below the usual", "as usual at this time again"} {
		if i >= len(unusual) || !strings.Contains(unusual[i], want) {
			t.Errorf("%d of the unusual hours: %q, want %s", i, unusual, want)
		}
	}
	if len(unusual) != 6 || len(w.pager.texts("above")) != 2 {
		t.Errorf("%q, %q", unusual, w.pager.texts("above"))
	}
}

// experiment adds visitors of two variants, one of which is better.
func experiment(b *store.Batch, at time.Time) {
	for i := range 400 {
		variant, wins := "a", i%40 < 2
		if i%2 == 0 {
			variant, wins = "b", i%20 < 6
		}
		who := store.Identity{AnonymousID: fmt.Sprint("tester ", i), SessionID: fmt.Sprint("t", i)}
		add := func(name, properties string, later time.Duration) {
			b.Events = append(b.Events, store.Event{Website: "shop", ID: fmt.Sprint(name, i), Kind: store.Custom,
				Name: name, Time: at.Add(later), Identity: who, Properties: properties})
		}
		add("$flag_evaluated", `{"flag":"cart","variant":"`+variant+`"}`, time.Second)
		if wins {
			add("order", `{"flag_key":"cart","variant":"`+variant+`"}`, time.Minute)
		}
	}
}
