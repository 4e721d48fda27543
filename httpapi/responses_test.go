package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// TestRememberedResponses checks which requests run a statement again, and that equal queries get equal bytes.
func TestRememberedResponses(t *testing.T) {
	const days = `"startDate":"2026-03-01","endDate":"2026-03-02"`
	pages, failing, now := `{"parameters":["pages"],`+days+`}`, `{"parameters":["pages","traffic"],`+days+`}`,
		`{"parameters":["active_stats"],"preset":"today"}`
	address := "/v1/query?website_id=site_a&parameters=pages&startDate=2026-03-01&endDate=2026-03-02"
	for _, kept := range []bool{true, false} {
		t.Run(fmt.Sprintf("remembers %t", kept), func(t *testing.T) {
			v := &versions{}
			w := newVersioned(t, v, query.Config{EngineOptions: query.EngineOptions{ResultCache: -1}},
				func(cfg *Config) { cfg.ResponseCache = map[bool]int64{true: 1 << 20}[kept] })
			w.store.only = "traffic"
			w.store.fail(errSecret)
			post := func(body string) string {
				return w.send("POST", "/v1/query?website_id=site_a", "all", body).Body.String()
			}
			get := func(key string) string { return w.send("GET", address, key, "").Body.String() }
			first := post(pages)
			for _, step := range []struct {
				name string
				ask  func() string
				same bool // as first
				// the statements if responses are remembered, and if not
				runs, otherwise int64
			}{
				{"again", func() string { return post(pages) }, true, 0, 1},
				{"as an address", func() string { return get("all") }, true, 0, 1},
				{"with the filters of a key", func() string { return get("rows") }, true, 1, 1},
				{"with an id", func() string { return post(`{"id":"x",` + pages[1:]) }, false, 1, 1},
				{"after a write", func() string {
					v.n.Add(1)
					return post(pages)
				}, true, 1, 1},
				{"up to now", func() string { return post(now) }, false, 1, 1},
				{"up to now again", func() string { return post(now) }, false, 1, 1},
				{"with a failure", func() string { return post(failing) }, false, 2, 2},
				{"with the failure again", func() string { return post(failing) }, false, 2, 2},
				{"with unknown versions", func() string {
					v.err = errSecret
					return post(pages)
				}, true, 1, 1},
			} {
				before := w.store.asked.Load()
				got := step.ask()
				want := map[bool]int64{true: step.runs, false: step.otherwise}[kept]
				if n := w.store.asked.Load() - before; n != want {
					t.Errorf("%s: %d statements, want %d", step.name, n, want)
				}
				if (got == first) != step.same {
					t.Errorf("%s: the response is %s, and the first was %s", step.name, got, first)
				}
			}
		})
	}
}

// TestCompressedOnce checks that each compressed form of a remembered response is computed once.
func TestCompressedOnce(t *testing.T) {
	e, times := &response{body: []byte("xy"), form: jsonForm}, 0
	for range 2 {
		for i, coding := range []string{"zstd", "gzip"} {
			got := e.answer("").Compressed(coding, func(b []byte) []byte {
				times++
				return []byte{b[i]}
			})
			if want := e.body[i : i+1]; string(got) != string(want) {
				t.Errorf("%s: %q, want %q", coding, got, want)
			}
		}
	}
	if times != 2 {
		t.Errorf("compressed %d times, want once for each of two codings", times)
	}
}

// daily is a store with days. It counts how often it is asked for them.
type daily struct {
	*cannedStore
	days atomic.Int64
}

func (s *daily) Days(_ context.Context, _ store.Subject, from, to time.Time) (all []store.Day, _ error) {
	s.days.Add(1)
	for at := from; at.Before(to); at = at.AddDate(0, 0, 1) {
		all = append(all, store.Day{Start: at, Version: 1, Sealed: 1})
	}
	return all, nil
}

func (*daily) Websites(context.Context) (map[store.Subject]uint64, error) { return nil, nil }

func (*daily) Seal(context.Context, store.Derivation) error { return nil }

// TestDaysAreReadOnce checks that a request reads days once: for its ETag, remembered responses, remembered answers,
// and the answers that are computed.
func TestDaysAreReadOnce(t *testing.T) {
	const days = "startDate=2026-03-01&endDate=2026-03-02"
	get := "/v1/query?website_id=site_a&parameters=summary_metrics,pages,sessions&" + days
	for _, tc := range []struct {
		name, target, body string
	}{
		{"a query", get, ""},
		{"compared with the year before", get + "&compare=previous_year", ""},
		{"an overview", "/v1/websites/site_a/analytics?compare=previous_period&" + days, ""},
		{"a body", "/v1/query?website_id=site_a",
			`{"parameters":["pages","traffic"],"startDate":"2026-03-01","endDate":"2026-03-02"}`},
		{"a link, whose days have no seals", "/v1/query?link_id=link_a&parameters=link_total_clicks&" + days, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &daily{cannedStore: &cannedStore{}}
			// no work in the background reads days
			w := newWorld(t, over(t, s, query.Config{EngineOptions: query.EngineOptions{MaxPartials: -1}}))
			method := map[bool]string{true: "GET", false: "POST"}[tc.body == ""]
			tag := ""
			for _, step := range []string{"computed", "remembered", "confirmed"} {
				s.days.Store(0)
				asked := s.asked.Load()
				var headers []string
				if step == "confirmed" {
					headers = []string{"If-None-Match", tag}
				}
				rec := w.send(method, tc.target, "all", tc.body, headers...)
				if want := map[bool]int{true: 304, false: 200}[step == "confirmed" &&
					tc.body == ""]; rec.Code != want || strings.Contains(rec.Body.String(), `"success":false`) {
					t.Fatalf("%s: status %d, want %d: %s", step, rec.Code, want, rec.Body)
				}
				if n := s.asked.Load() - asked; step == "computed" && n == 0 {
					t.Errorf("%s: no statement", step)
				}
				if n := s.days.Load(); n != 1 {
					t.Errorf("%s: the days were read %d times", step, n)
				}
				tag = rec.Header().Get("ETag")
			}
		})
	}
}

// A failing store of versions costs the ETag and a line in the log, and the answer is computed.
func TestVersionsThatFail(t *testing.T) {
	w := newVersioned(t, &versions{err: errors.New("no versions")}, query.Config{})
	rec := w.send("GET", "/v1/query?website_id=site_a&parameters=pages&preset=yesterday", "all", "")
	if rec.Code != 200 || rec.Header().Get("ETag") != "" || !strings.Contains(w.log.String(), "no versions") {
		t.Errorf("status %d, ETag %q, log %s", rec.Code, rec.Header().Get("ETag"), w.log)
	}
}
