package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// now is the time in every test: a Sunday on which Berlin changes to summer time.
var now = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)

// A world is a handler with fakes for everything except the engine.
type world struct {
	cfg     Config
	store   *cannedStore
	keys    fakeKeys
	dir     *fakeDirectory
	trail   *trail
	limiter *fakeLimiter
	log     *bytes.Buffer
	handler http.Handler
}

// newWorld has two owners: org_a with the websites site_a and site_b, the link link_a and the monitor mon_a, and org_b
// with site_x. change may change the configuration.
func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	w := &world{store: &cannedStore{}, trail: &trail{}, limiter: &fakeLimiter{}, log: &bytes.Buffer{},
		dir: newDirectory(), keys: newKeys()}
	engine, err := query.New(query.Config{Store: w.store, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	w.cfg = Config{
		Engine: engine, Directory: w.dir, Subjects: w.dir, Auth: w.keys, Limiter: w.limiter, Audit: w.trail,
		Health: health.New(health.Config{Version: "1.2.3", Now: func() time.Time { return now }}),
		Logger: slog.New(slog.NewTextHandler(&locked{w: w.log}, nil)),
		Now:    func() time.Time { return now },
	}
	w.cfg.Notices, err = notify.New(notify.Config{Store: &noNotices{}, Engine: engine, Directory: w.dir,
		EndKey: []byte("a key of links"), Now: w.cfg.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&w.cfg)
	}
	if w.handler, err = New(w.cfg); err != nil {
		t.Fatal(err)
	}
	return w
}

// locked is a buffer that several goroutines may log to.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// fakeKeys maps values of x-api-key to keys.
type fakeKeys map[string]*auth.Key

func newKeys() fakeKeys {
	keys := fakeKeys{
		"all":     {Scopes: []auth.Scope{auth.ReadData}, All: true},
		"site_a":  {Scopes: []auth.Scope{auth.ReadData}, Resources: []auth.Resource{{Kind: "website", ID: "site_a"}}},
		"flags":   {Scopes: []auth.Scope{auth.ManageFlags}, All: true},
		"links":   {Scopes: []auth.Scope{auth.ReadLinks}, All: true},
		"nothing": {Scopes: []auth.Scope{auth.ReadData}},
		"rows": {Scopes: []auth.Scope{auth.ReadData}, All: true,
			Filters: []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}},
		"slow":  {Scopes: []auth.Scope{auth.ReadData}, All: true, Limits: &auth.Limits{PerMinute: 5}},
		"pages": {Scopes: []auth.Scope{auth.ReadData}, All: true, Types: []string{"pages"}},
	}
	for name, k := range keys {
		k.ID, k.Owner, k.Start = "key_"+name, "org_a", "sl_"+name
	}
	return keys
}

func (f fakeKeys) Authenticate(_ context.Context, r *http.Request) (*auth.Principal, error) {
	switch name := r.Header.Get("X-Api-Key"); {
	case name == "broken":
		return nil, errors.New("key database at 10.0.0.7 is gone")
	case name == "panic":
		panic("authenticator at 10.0.0.7")
	case f[name] != nil:
		return &auth.Principal{Key: f[name]}, nil
	case name == "":
		return nil, auth.ErrMissing
	default:
		return nil, auth.ErrInvalid
	}
}

// fakeDirectory contains the records of the tests.
type fakeDirectory struct {
	sites  []store.Website
	owners map[store.Subject]string
	asked  atomic.Int64
	err    error
}

func newDirectory() *fakeDirectory {
	site := func(id, owner string) store.Website {
		return store.Website{ID: id, Owner: owner, Name: "Site <" + id + ">", Domain: id + ".example.com",
			CreatedAt: time.Date(2025, 1, 2, 3, 4, 5, 6_700_000, time.FixedZone("", 3600))}
	}
	return &fakeDirectory{
		sites: []store.Website{site("site_a", "org_a"), site("site_b", "org_a"), site("site_x", "org_b")},
		owners: map[store.Subject]string{
			{Kind: store.KindWebsite, ID: "site_a"}: "org_a", {Kind: store.KindWebsite, ID: "site_b"}: "org_a",
			{Kind: store.KindLink, ID: "link_a"}: "org_a", {Kind: store.KindSchedule, ID: "mon_a"}: "org_a",
			{Kind: store.KindWebsite, ID: "site_x"}: "org_b",
		},
	}
}

func (d *fakeDirectory) Websites(_ context.Context, owner string) ([]store.Website, error) {
	return slices.DeleteFunc(slices.Clone(d.sites), func(w store.Website) bool { return w.Owner != owner }), d.err
}

func (d *fakeDirectory) Links(_ context.Context, owner string) ([]store.Link, error) {
	links := []store.Link{{ID: "link_a", Owner: "org_a", Name: "a", Slug: "a", TargetURL: "https://a.example",
		CreatedAt: now},
		{ID: "link_b", Owner: "org_a", CreatedAt: now.Add(time.Second)}, {ID: "link_x", Owner: "org_b"}}
	return slices.DeleteFunc(links, func(l store.Link) bool { return l.Owner != owner }), d.err
}

func (d *fakeDirectory) Monitors(_ context.Context, owner string) ([]store.Monitor, error) {
	monitors := []store.Monitor{{ID: "mon_a", Owner: "org_a", Name: "a", URL: "https://a.example", WebsiteID: "site_a",
		CreatedAt: now},
		{ID: "mon_x", Owner: "org_b"}}
	return slices.DeleteFunc(monitors, func(m store.Monitor) bool { return m.Owner != owner }), d.err
}

func (d *fakeDirectory) Website(_ context.Context, id string) (store.Website, error) {
	for _, w := range d.sites {
		if w.ID == id {
			return w, d.err
		}
	}
	return store.Website{}, store.ErrNotFound
}

func (d *fakeDirectory) Owner(_ context.Context, s store.Subject) (string, error) {
	d.asked.Add(1)
	if d.err != nil {
		return "", d.err
	}
	if owner, ok := d.owners[s]; ok {
		return owner, nil
	}
	return "", fmt.Errorf("looking for %s: %w", s.ID, store.ErrNotFound)
}

// trail records audit entries.
type trail struct {
	mu      sync.Mutex
	entries []auth.Entry
	err     error
	ended   bool // an entry came with an ended context
}

func (t *trail) Record(ctx context.Context, e auth.Entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	t.ended = t.ended || ctx.Err() != nil
	return t.err
}

// take returns the entries since its last call.
func (t *trail) take() []auth.Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.entries
	t.entries = nil
	return taken
}

// fakeLimiter records its calls.
type fakeLimiter struct {
	mu    sync.Mutex
	asked []string
	allow func(class auth.Class, id string, cost int) (auth.Decision, error) // nil allows everything without a limit
}

func (l *fakeLimiter) Allow(_ context.Context, class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision,
	error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := fmt.Sprintf("%s %s %d", class, id, cost)
	if own != nil {
		asked += fmt.Sprintf(" of %d", own.PerMinute)
	}
	if !strings.Contains(string(class), "-owner") { // each request is also taken from the bucket of its owner
		l.asked = append(l.asked, asked)
	}
	if l.allow == nil {
		return auth.Decision{OK: true}, nil
	}
	return l.allow(class, id, cost)
}

// cannedStore answers without a database: one row of totals, a few rows of a breakdown, and no rows of a series, which
// the engine fills in.
type cannedStore struct {
	asked atomic.Int64
	err   atomic.Pointer[error]
	last  atomic.Pointer[store.Statement]
	only  string // the query type that fails; empty means all
	block atomic.Bool
	// onQuery is called by every query; it may be nil.
	onQuery func()
}

func (s *cannedStore) fail(err error) { s.err.Store(&err) }

func (s *cannedStore) Dialect() *dialect.Dialect { return dialect.DuckDB() }

func (s *cannedStore) Ping(context.Context) error { return nil }

func (s *cannedStore) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	s.asked.Add(1)
	s.last.Store(&stmt)
	if s.onQuery != nil {
		s.onQuery()
	}
	if s.block.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := s.err.Load(); err != nil && (s.only == "" || s.only == stmt.Label) {
		return nil, *err
	}
	n := map[string]int{"summary_metrics": 1, "pages": 12, "traffic": 2, "countries": 2, "device_types": 2}[stmt.Label]
	rows := &store.Rows{Len: n}
	for _, kind := range stmt.Kinds {
		c := store.Column{Kind: kind}
		for i := range n {
			switch kind {
			case dialect.Int:
				c.Ints = append(c.Ints, int64(40-i))
			case dialect.Float:
				c.Floats = append(c.Floats, 0.5)
			default:
				c.Texts = append(c.Texts, fmt.Sprintf("/<%d>", i))
			}
		}
		rows.Columns = append(rows.Columns, c)
	}
	return rows, nil
}

// send sends a request with a key; headers are pairs of name and value.
func (w *world) send(method, target, key, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if key != "" {
		r.Header.Set("X-Api-Key", key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

// object decodes the body of a response.
func object(t testing.TB, rec *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("status %d, body is not a JSON object: %v\n%s", rec.Code, err, rec.Body)
	}
	return v
}

// expect checks the status of rec, and the code if it is an error.
func expect(t testing.TB, rec *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if rec.Code != status {
		t.Errorf("status %d, want %d: %s", rec.Code, status, rec.Body)
		return
	}
	if code == "" {
		return
	}
	body := object(t, rec)
	if body["success"] != false || body["code"] != code || body["requestId"] != rec.Header().Get("X-Request-ID") ||
		body["error"] == "" {
		t.Errorf("body %s, want code %s", rec.Body, code)
	}
}
