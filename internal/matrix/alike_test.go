package matrix

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/matrix/samples"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// A probe is a request that might reveal whether a resource exists.
type probe struct {
	route  route
	sample samples.Sample
	kind   string
}

func (p probe) String() string { return fmt.Sprintf("%s %s", p.route, p.kind) }

// probes returns the probes of every route that checks a key.
func probes(t *testing.T) (all []probe) {
	t.Helper()
	for _, r := range routes() {
		open := map[string][]string{hostAPI: {public, byKeyOrClient, byKey}, hostTrack: {string(track.ByWebsite)}}
		if slices.Contains(open[r.host], r.access) {
			continue
		}
		for _, kind := range sampleOf(t, r).Kinds {
			all = append(all, probe{r, sampleOf(t, r), kind})
		}
	}
	return all
}

func (p probe) send(w *world, key, id string) *httptest.ResponseRecorder {
	req := request(p.sample, p.route, p.kind, id)
	req.Header.Set("X-Request-Id", "the-same-one")
	state{sent: key}.show(w, req.Header)
	return w.send(p.route.host, req)
}

// TestNotMineAndNotThereReadAlike checks that unknown ids and ids of other owners get the same answers and headers. It
// tries every kind of credential in memory, and two in databases.
func TestNotMineAndNotThereReadAlike(t *testing.T) {
	type shown struct {
		Status int
		Header http.Header
		Body   string
	}
	isFirst := true
	onEach(t, func(t *testing.T, e engine) {
		w := newWorld(t, e)
		credentials := []string{"whole", "greedy"}
		if isFirst {
			credentials = slices.Sorted(maps.Keys(w.secrets))
			isOwn := func(name string) bool { return name == "theirs" }
			credentials = slices.DeleteFunc(credentials, isOwn)
		}
		isFirst = false
		alike := func(p probe, key string, ids ...string) {
			var first shown
			for i, id := range ids {
				w.limiter.renew(t, ratelimit.Config{})
				rec := p.send(w, key, id)
				got := shown{rec.Code, rec.Header(), rec.Body.String()}
				if i == 0 {
					first = got
				} else if diff := cmp.Diff(first, got); diff != "" {
					t.Errorf("%s by the key %s (-%s +%s): %s", p, key, ids[0], id, diff)
				}
			}
		}
		for _, key := range credentials {
			for _, p := range probes(t) {
				alike(p, key, foreign, nowhere)
			}
			for _, p := range keyProbes(t) {
				alike(p, key, "key_theirs", "key_of_nobody")
			}
		}
	})
}

// keyProbes returns the probes of every route about one key.
func keyProbes(t *testing.T) (all []probe) {
	t.Helper()
	for _, r := range routes() {
		if s := sampleOf(t, r); strings.Contains(s.Target, "/keys/key_") {
			s.Target = strings.NewReplacer("key_managed", "{id}", "key_leaving", "{id}").Replace(s.Target)
			all = append(all, probe{r, s, "key"})
		}
	}
	if len(all) < 4 {
		t.Errorf("%d routes are about one key", len(all))
	}
	return all
}

// TestNotMineAndNotThereTakeAsLong checks that answers for unknown ids take as long as answers for ids of other
// owners.
func TestNotMineAndNotThereTakeAsLong(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		w := newWorld(t, e)
		w.limiter.renew(t, ratelimit.Config{Factor: 1e6})
		for _, p := range probes(t) {
			if text := tells(func(id string) { p.send(w, "whole", id) }); text != "" {
				t.Errorf("%s: %s", p, text)
			}
		}
	})
}

// TestTheStopwatchSees checks that tells notices a directory that is slow for unknown ids.
func TestTheStopwatchSees(t *testing.T) {
	e := inMemory(t)
	right := e.dir
	e.dir = &lateDirectory{Directory: right}
	w := newWorld(t, e)
	w.limiter.renew(t, ratelimit.Config{Factor: 1e6})
	p := probes(t)[0]
	if tells(func(id string) { p.send(w, "whole", id) }) == "" {
		t.Error("the slow directory was not found")
	}
}

// lateDirectory is slow for unknown ids.
type lateDirectory struct{ store.Directory }

func (d *lateDirectory) Owner(ctx context.Context, s store.Subject) (string, error) {
	owner, err := d.Directory.Owner(ctx, s)
	if err != nil {
		time.Sleep(5 * time.Millisecond)
	}
	return owner, err
}

// tells compares how long try takes for foreign, an id of another owner, and for nowhere, an unknown id. It
// returns a description of the difference, or "" if there is none. It compares medians of interleaved pairs in
// several rounds. A real difference occurs in every round. Noise does not.
func tells(try func(id string)) (text string) {
	const rounds, pairs = 6, 40
	for range rounds {
		var took [2][]time.Duration
		for i := range 2 * pairs {
			which := (i + i/2) % 2 // the order is a b b a
			id := [2]string{foreign, nowhere}[which]
			begin := time.Now()
			try(id)
			took[which] = append(took[which], time.Since(begin))
		}
		one, two := median(took[0]), median(took[1])
		if gap, bound := (one - two).Abs(), min(one, two)/4+200*time.Microsecond; gap > bound {
			text = fmt.Sprintf("a request for an id of another owner takes %v, for an unknown id %v", one, two)
			continue
		}
		return ""
	}
	return text
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
