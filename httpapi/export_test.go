package httpapi

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// An eventStore has events of some days, one for each millisecond of a day up to perDay. Its reads fail from the one
// with number fails on, if fails is not 0.
type eventStore struct {
	days, perDay int
	fails        int64
	reads        atomic.Int64
	wait         func() // called by each read; may be nil
}

var errGone = errors.New("disk at /srv/events is gone")

func (*eventStore) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (*eventStore) Ping(context.Context) error { return nil }

func (s *eventStore) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := &store.Rows{Columns: make([]store.Column, len(stmt.Kinds))}
	switch {
	case stmt.Label == "count events":
		for day := range s.days {
			rows.Columns[0].Ints = append(rows.Columns[0].Ints, int64(20_000+day))
			rows.Columns[1].Ints = append(rows.Columns[1].Ints, int64(s.perDay))
		}
		rows.Len = s.days
	case stmt.Label == "read events":
		read := s.reads.Add(1)
		if read == s.fails {
			return nil, errGone
		}
		if s.wait != nil {
			s.wait()
		}
		for i := range s.perDay {
			for n, kind := range stmt.Kinds {
				c := &rows.Columns[n]
				switch {
				case n == 0:
					c.Texts = append(c.Texts, "e"+strconv.FormatInt(read*int64(s.perDay)+int64(i), 10))
				case kind == dialect.Text:
					c.Texts = append(c.Texts, "text")
				default:
					c.Ints = append(c.Ints, int64(i))
				}
			}
		}
		rows.Len = s.perDay
	}
	return rows, ctx.Err()
}

// exporting returns a world with keys that may export.
func exporting(t *testing.T, from store.Store, more ...func(*Config)) *world {
	t.Helper()
	w := newWorld(t, append(more, func(cfg *Config) { cfg.Export = from })...)
	for name, k := range map[string]auth.Key{
		"export": {All: true},
		"typed":  {All: true, Types: []string{"pages"}},
		"cut":    {All: true, Filters: []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}},
	} {
		k.ID, k.Owner, k.Scopes = "key_"+name, "org_a", []auth.Scope{auth.ExportData}
		w.keys[name] = &k
	}
	return w
}

// TestAnExportThatBreaksOff checks that a client notices an export that the server could not finish, in every format.
func TestAnExportThatBreaksOff(t *testing.T) {
	for _, format := range []string{"ndjson", "csv&table=events"} {
		for _, fails := range []int64{0, 1, 4} {
			w := exporting(t, &eventStore{days: 5, perDay: exportRows, fails: fails})
			server := httptest.NewServer(w.handler)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+
				"/v1/export?website_id=site_a&format="+format, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Api-Key", "export")
			resp, err := server.Client().Do(r)
			var body []byte
			if err == nil {
				body, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			server.Close()
			if whole := fails == 0; (err == nil) != whole ||
				strings.HasSuffix(string(body), "\"complete\":true}}\n") != (whole && format == "ndjson") {
				t.Errorf("%s that fails at read %d: %v, %d bytes", format, fails, err, len(body))
			}
			if fails > 0 && (!strings.Contains(w.log.String(), errGone.Error()) ||
				strings.Contains(string(body), "/srv")) {
				t.Errorf("%s: the log has no cause, or the body has it: %s", format, w.log)
			}
			if e := w.trail.take(); len(e) != 1 || e[0].Scope != auth.ExportData || e[0].Resource.ID != "site_a" ||
				e[0].Route != "/v1/export" {
				t.Errorf("audit: %+v", e)
			}
		}
	}
}

// A stuck client reads its response when the channel is closed.
type stuck struct {
	*httptest.ResponseRecorder
	read chan struct{}
}

func (s stuck) Write(p []byte) (int, error) {
	<-s.read
	return s.ResponseRecorder.Write(p)
}

// export sends a request for an export with a key, and returns the response when it is complete.
func (w *world) export(method, key string, to http.ResponseWriter) {
	r := httptest.NewRequest(method, "/v1/export?website_id=site_a", nil)
	if key == "other" {
		r = httptest.NewRequest(method, "/v1/export?website_id=site_x", nil)
	}
	r.Header.Set("X-Api-Key", key)
	w.handler.ServeHTTP(to, r)
}

// TestExportsAtTheSameTime checks that one owner has two exports at a time, that a further one is refused before its
// first byte, and that clients who do not read hold up nobody else. An export may take longer than Timeout.
func TestExportsAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		s := &eventStore{days: 3, perDay: exportRows}
		s.wait = func() {
			now := running.Add(1)
			for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
			}
			time.Sleep(2 * DefaultTimeout)
			running.Add(-1)
		}
		w := exporting(t, s)
		for i, owner := range map[string]string{"second": "org_a", "other": "org_b"} {
			w.keys[i] = &auth.Key{ID: "key_" + i, Owner: owner, All: true, Scopes: []auth.Scope{auth.ExportData}}
		}
		const whole = `{"export":{"rows":6000,"complete":true}}` + "\n"
		read := make(chan struct{})
		slow := []stuck{{httptest.NewRecorder(), read}, {httptest.NewRecorder(), read}}
		done := make(chan struct{}, len(slow))
		for i, key := range []string{"export", "second"} {
			go func() {
				w.export(http.MethodGet, key, slow[i])
				done <- struct{}{}
			}()
		}
		synctest.Wait()
		third := httptest.NewRecorder()
		w.export(http.MethodGet, "export", third)
		if third.Code != http.StatusTooManyRequests || third.Header().Get("Retry-After") != "1" {
			t.Errorf("a third export of the owner: %d %s", third.Code, third.Body)
		}
		others := []*httptest.ResponseRecorder{httptest.NewRecorder(), httptest.NewRecorder()}
		var all sync.WaitGroup
		for _, rec := range others {
			all.Go(func() { w.export(http.MethodGet, "other", rec) })
		}
		all.Wait() // while the slow clients do not read
		for _, rec := range others {
			if !strings.HasSuffix(rec.Body.String(), whole) {
				t.Errorf("an export of another owner: %d %.80s", rec.Code, rec.Body)
			}
		}
		close(read)
		for range slow {
			<-done
		}
		for _, rec := range slow {
			if !strings.HasSuffix(rec.Body.String(), whole) {
				t.Errorf("a slow export: %d %.80s", rec.Code, rec.Body)
			}
		}
		if most := most.Load(); most != exportReads {
			t.Errorf("%d exports read at the same time, want %d", most, exportReads)
		}
		for range 2 * ownerExports { // neither those that ended nor those without a body hold a place
			rec := httptest.NewRecorder()
			if w.export(http.MethodHead, "export", rec); rec.Code != http.StatusOK {
				t.Errorf("an export after the others: %d", rec.Code)
			}
		}
	})
}

// TestExportsClaimTheirMemory checks that an export whose rows do not fit into memory is refused before its first byte.
func TestExportsClaimTheirMemory(t *testing.T) {
	budget, err := memory.New(memory.Config{Answers: 2 * exportBytes})
	if err != nil {
		t.Fatal(err)
	}
	w := exporting(t, &eventStore{days: 1, perDay: 1}, func(cfg *Config) { cfg.Memory = budget })
	held := budget.Answer(memory.Caller{Owner: "org_a", Key: "another"})
	if err := held.Grow(exportBytes); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{http.StatusTooManyRequests, http.StatusOK} {
		rec := httptest.NewRecorder()
		if w.export(http.MethodGet, "export", rec); rec.Code != want {
			t.Errorf("status %d, want %d", rec.Code, want)
		}
		held.End()
	}
}

func TestMistakesOfExports(t *testing.T) {
	w := exporting(t, &eventStore{})
	for _, tc := range []struct {
		key, query string
		status     int
		says       string
	}{
		{"export", "website_id=site_a&format=xlsx", 400, "must be ndjson or csv"},
		{"export", "website_id=site_a&format=csv", 400, "is required with the format csv"},
		{"export", "website_id=site_a&table=visits", 400, "must be events, errors, vitals, spans or blocked"},
		{"export", "link_id=link_a&format=csv&startDate=2026-1-1", 400, "must be a date such as 2026-03-01"},
		{"export", "link_id=link_a&startDate=2026-03-02&endDate=2026-03-01", 400, "must not be before startDate"},
		{"export", "website_id=site_a&after=visits:1:a", 400, "is the cursor of another export"},
		{"export", "website_id=site_a&table=errors&after=events:1:a", 400, "is the cursor of another export"},
		{"export", "website_id=site_a&after=events", 400, "must be the cursor of a mark"},
		{"export", "website_id=site_a&after=events:1:" + url.QueryEscape("a\x00"), 400, "must be the cursor of a mark"},
		{"export", "website_id=site_a&escapeFormulas=1", 400, "must be true or false"},
		{"export", "website_id=site_a&bom=yes", 400, "bom\",\"message\":\"must be 1 or 0"},
		{"export", "website_id=site_a&profiles=1", 400, "must be true or false"},
		{"export", "website_id=site_a&profiles=true", 400, "this server has no profiles"},
		{"export", "website_id=site_a&profiles=true&table=events", 400, "must be false"},
		{"export", "website_id=site_a&after=profiles:0:u1", 400, "is the cursor of another export"},
		{"export", "website_id=site_a&limit=1", 400, "is not a parameter of this endpoint"},
		{"export", "format=xlsx", 400, "must be ndjson or csv"},
		{"export", "website_id=site_x", 403, "is not the id of a website that the key reaches\""},
		{"all", "website_id=site_a", 403, "needs a key with the scope export:data"},
		{"typed", "website_id=site_a", 403, "without filters and without a list of query types"},
		{"cut", "website_id=site_a", 403, "without filters and without a list of query types"},
		{"export", "website_id=site_a&format=csv&table=blocked", 200,
			"website,event_id,time,reason,bot_name,requests\n"},
		{"export", "link_id=link_a&format=csv&startDate=2026-03-01&endDate=2026-03-01&after=visits:1:a", 200,
			"link,event_id,time,"},
		{"export", "schedule_id=mon_a", 200, `{"export":{"rows":0,"complete":true}}`},
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/export?"+tc.query, nil)
		r.Header.Set("X-Api-Key", tc.key)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code != tc.status || !strings.Contains(rec.Body.String(), tc.says) {
			t.Errorf("%s with %s: %d %s, want %d %s", tc.query, tc.key, rec.Code, rec.Body, tc.status, tc.says)
		}
	}
}

// someProfiles has three profiles of each website.
type someProfiles struct{}

func (someProfiles) ProfilesAfter(_ context.Context, website, after string, _ int) (all []store.Profile, _ error) {
	for _, p := range []store.Profile{
		{ID: "u1", Name: "Ada", Traits: map[string]any{"username": "Ada", "plan": "secret"}},
		{ID: "u2", Traits: map[string]any{"plan": "secret"}}, {ID: "u3", Name: "Bo"},
	} {
		if p.Website = website; p.ID > after {
			all = append(all, p)
		}
	}
	return all, nil
}

// TestExportsOfProfiles checks that an export has the names of profiles if it is asked for them, and no other trait.
func TestExportsOfProfiles(t *testing.T) {
	w := exporting(t, &eventStore{}, func(cfg *Config) { cfg.ExportProfiles = someProfiles{} })
	profile := func(id, name, traits string) string {
		return `{"table":"profiles","website":"site_a","profile_id":"` + id + `","name":"` + name + `","traits":{` +
			traits + `},"keyed":false,"changed_at":"0001-01-01T00:00:00.000Z"}` + "\n"
	}
	second := profile("u2", "", "") + profile("u3", "Bo", `"name":"Bo"`) +
		`{"export":{"rows":2,"after":"profiles:0:u3"}}` + "\n" + `{"export":{"rows":2,"complete":true}}` + "\n"
	third := strings.ReplaceAll(second, `"rows":2`, `"rows":3`)
	for query, want := range map[string]string{
		"":                                   `{"export":{"rows":0,"complete":true}}` + "\n",
		"&profiles=false":                    `{"export":{"rows":0,"complete":true}}` + "\n",
		"&profiles=true":                     profile("u1", "Ada", `"name":"Ada"`) + third,
		"&profiles=true&after=profiles:0:u1": second,
	} {
		rec := w.send(http.MethodGet, "/v1/export?website_id=site_a"+query, "export", "")
		if rec.Code != 200 || rec.Body.String() != want {
			t.Errorf("%q: %d\n got %s\nwant %s", query, rec.Code, rec.Body, want)
		}
	}
	rec := w.send(http.MethodGet, "/v1/export?link_id=link_a&profiles=true", "export", "")
	if rec.Code != 400 || !strings.Contains(rec.Body.String(), "only websites have profiles") {
		t.Errorf("of a link: %d %s", rec.Code, rec.Body)
	}
}

// TestHeadersOfExports checks the names of files, and that text is compressed for clients that accept it.
func TestHeadersOfExports(t *testing.T) {
	w := exporting(t, &eventStore{days: 2, perDay: 100})
	const days = "&startDate=2024-10-04&endDate=2024-10-05"
	for query, file := range map[string]string{
		"website_id=site_a": "site_a.ndjson",
		"website_id=site_a&format=csv&table=events" + days: "site_a-events-from-2024-10-04-to-2024-10-05.csv",
		"link_id=link_a&after=visits:1:a":                  "link_a-continued.ndjson",
	} {
		plain := w.send(http.MethodGet, "/v1/export?"+query, "export", "")
		packed := w.send(http.MethodGet, "/v1/export?"+query, "export", "", "Accept-Encoding", "br, gzip")
		want := "attachment; filename=" + file
		for _, rec := range []*httptest.ResponseRecorder{plain, packed} {
			h := rec.Header()
			if rec.Code != 200 || h.Get("Content-Disposition") != want ||
				!slices.Contains(h.Values("Vary"), "Accept-Encoding") {
				t.Errorf("%s: %d %v, want %s", query, rec.Code, h, want)
			}
		}
		if got := plain.Header().Get("Content-Encoding"); got != "" {
			t.Errorf("%s: a client that accepts no coding gets %s", query, got)
		}
		if got := packed.Header().Get("Content-Encoding"); got != "gzip" {
			t.Fatalf("%s: coding %q", query, got)
		}
		unzip, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(unzip) // its ids are others
		got, rows := strings.Count(string(body), "\n"), strings.Count(plain.Body.String(), "\n")
		if err != nil || got != rows || strings.Contains(query, "website") && rows < 100 {
			t.Errorf("%s: %d compressed lines, %d plain ones: %v", query, got, rows, err)
		}
	}
}
