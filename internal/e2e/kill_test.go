//go:build cgo

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// A stream is one kind of event that a round sends. It generates events, and has the query that counts the events of a
// round by their unique name.
type stream struct {
	route string
	body  func(name string) any
	// These describe a query with a row per name.
	subject   func(ready) string
	parameter string
	with      func(prefix string) object
	name      string // column of the name
	count     string // column of the count
}

func websiteOf(r ready) string { return "website_id=" + r.WebsiteID }

var streams = []stream{
	{
		"/", func(name string) any {
			return object{"name": "screen_view", "eventId": "p-" + name, "path": "https://demo.example/" + name}
		},
		websiteOf, "pages", func(prefix string) object { return filter("path", "starts_with", "/"+prefix) }, "path",
		"pageviews",
	},
	{
		"/batch", func(name string) any {
			return list{
				object{"type": "track", "name": "b-" + name, "eventId": name, "path": "https://demo.example/batch"},
				object{"type": "outgoing_link", "eventId": name, "href": "https://out.example/" + name},
			}
		},
		websiteOf, "custom_events",
		func(prefix string) object { return filter("event_name", "starts_with", "b-"+prefix) }, "name", "total_events",
	},
	{
		"/track", func(name string) any { return object{"name": "t-" + name, "eventId": name} },
		websiteOf, "custom_events",
		func(prefix string) object { return filter("event_name", "starts_with", "t-"+prefix) }, "name", "total_events",
	},
	{
		"/errors", func(name string) any { return list{object{"eventId": name, "message": name, "path": "/"}} },
		websiteOf, "errors", func(prefix string) object { return filter("message", "starts_with", prefix) }, "message",
		"count",
	},
	{
		"/vitals", func(name string) any {
			return list{object{"eventId": name, "metricName": "FCP", "metricValue": 900, "path": "/v-" + name}}
		},
		websiteOf, "performance", func(prefix string) object { return filter("path", "starts_with", "/v-"+prefix) },
		"path", "samples",
	},
}

// sent records the results of one stream of a round.
type sent struct {
	tried    []string
	accepted map[string]bool
}

// TestKill repeatedly kills the program under a stream of events. After the restart, every event that was answered with
// success must be stored. Then the clients send everything again, like clients that lost an answer, and every event
// must be stored once. SIGHTLINE_LONG is the number of kills.
func TestKill(t *testing.T) {
	t.Parallel()
	least := 100 * time.Millisecond
	if testenv.IsNight() {
		least *= 3
	}
	killRounds(t, storetest.Number(t, "SIGHTLINE_LONG", 3), least)
}

// TestKillOnClickHouse is TestKill with a ClickHouse server, which is not killed.
func TestKillOnClickHouse(t *testing.T) {
	t.Parallel()
	dsn, _ := emptyClickHouse(t)
	killRounds(t, storetest.Number(t, "SIGHTLINE_LONG", 2), 300*time.Millisecond, "--clickhouse", dsn)
}

func killRounds(t *testing.T, rounds int, least time.Duration, args ...string) {
	t.Helper()
	dir := t.TempDir()
	args = append(args, "--limits", "off") // a fast machine would exceed the limits
	p := empty(t, dir, args...)
	total := 0
	for round := range rounds {
		prefix := fmt.Sprintf("r%d-", round)
		all := streamUntil(t, p, prefix, least, p.kill)
		p = p.restart(t, dir, args...)
		for i, s := range streams {
			total += len(all[i].accepted)
			checkOnce(t, p.ready, s, prefix, all[i], false)
			for _, name := range all[i].tried {
				mustTrack(t, p.ready, s.route, s.body(name))
			}
			checkOnce(t, p.ready, s, prefix, all[i], true)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d events were accepted before a kill, and all are stored once", total)
	p.stop(t)
}

// TestEnd stops the program under the same stream, with the race detector. Requests in progress must finish, and every
// event that was answered with success must be stored.
func TestEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startRaced(t, dir, "--limits", "off", "--demo=false")
	p.equip(t, dir)
	all := streamUntil(t, p, "end-", 300*time.Millisecond, p.stop)
	p = p.restart(t, dir, "--limits", "off")
	for i, s := range streams {
		checkOnce(t, p.ready, s, "end-", all[i], false)
	}
	p.stop(t)
}

// streamUntil sends all streams at the same time. It ends p after each stream had an accepted event, and a random time
// between least and three times least.
func streamUntil(t *testing.T, p *process, prefix string, least time.Duration, end func(*testing.T)) []sent {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	all := make([]sent, len(streams))
	var senders, begun sync.WaitGroup
	begun.Add(len(streams))
	for i, s := range streams {
		all[i].accepted = map[string]bool{}
		senders.Go(func() {
			began := sync.OnceFunc(begun.Done)
			defer began()
			for n := 0; ctx.Err() == nil; n++ {
				name := prefix + strconv.Itoa(n) + "-"
				all[i].tried = append(all[i].tried, name)
				status, answer, err := do(ctx, p.track(s.route, s.body(name)))
				if err != nil {
					return // the process has ended
				}
				if status != http.StatusOK || answer["status"] != "success" {
					t.Errorf("%s: status %d, %v", s.route, status, answer)
					return
				}
				all[i].accepted[name] = true
				began()
			}
		})
	}
	begun.Wait()
	time.Sleep(least + rand.N(2*least))
	end(t)
	cancel()
	senders.Wait()
	for i, s := range streams {
		if len(all[i].accepted) == 0 {
			t.Fatalf("%s: nothing was accepted before the end, which proves nothing; stderr:\n%s", s.route, p.stderr)
		}
	}
	return all
}

// checkOnce checks that every accepted event is stored once, and no event twice. After everything was sent again, every
// event must be stored.
func checkOnce(t *testing.T, r ready, s stream, prefix string, events sent, again bool) {
	t.Helper()
	with := s.with(prefix)
	with["limit"] = 10_000
	counts := map[string]float64{}
	for _, row := range ask(t, r, s.subject(r), s.parameter, with) {
		counts[row[s.name].(string)], _ = row[s.count].(float64)
	}
	known := map[string]bool{}
	for _, name := range events.tried {
		for shown, n := range counts {
			if !strings.HasSuffix(shown, name) {
				continue
			}
			known[name] = true
			if n != 1 {
				t.Errorf("%s: %s is there %v times", s.route, name, n)
			}
		}
		if !known[name] && (events.accepted[name] || again) {
			t.Errorf("%s: %s was answered with success and is not there (sent again: %v)", s.route, name, again)
		}
	}
	if len(known) != len(counts) {
		t.Errorf("%s: %d names are there, %d were sent", s.route, len(counts), len(known))
	}
}
