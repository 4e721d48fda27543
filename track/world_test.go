package track

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

const (
	chrome    = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
	googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
)

// noon is the current time in all tests.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 123_000_000, time.UTC)

func noonClock() time.Time { return noon }

// world contains everything around the handler, in memory. Its zero value has no faults.
type world struct {
	mu         sync.Mutex
	written    []store.Batch
	entries    []auth.Entry
	limits     []string // classes and ids that were charged
	paid       int      // total cost
	identified []store.Identification
	told       []observe.Request

	writeErr, siteErr, auditErr, saltErr, authErr, limitErr error
	decision                                                auth.Decision
	panics                                                  bool
	geo                                                     map[string]Location
	header                                                  string
	rules                                                   store.Rules // rules of w1
	window                                                  time.Duration
	usage                                                   Usage
	log                                                     strings.Builder
	maxBody                                                 int64
	peer                                                    string       // the sender; empty means 203.0.113.7:4711
	built                                                   http.Handler // set on first use of handler
}

var sites = []store.Website{
	{ID: "w1", Owner: "org", Domain: "shop.com"},
	{ID: "w2", Owner: "org", Domain: "blog.org"},
	{ID: "w9", Owner: "others", Domain: "theirs.net"},
	{ID: "w5", Owner: "solo", Domain: "solo.dev"},
}

func (w *world) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	if err := ctx.Err(); err != nil {
		return store.Written{}, err
	}
	if w.panics {
		panic("the writer broke")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writeErr != nil {
		return store.Written{}, w.writeErr
	}
	w.written = append(w.written, *b)
	return store.Written{Stored: b.Len()}, nil
}

func (w *world) Websites(_ context.Context, owner string) ([]store.Website, error) {
	return slices.DeleteFunc(slices.Clone(sites), func(s store.Website) bool { return s.Owner != owner }), w.siteErr
}

func (w *world) Website(_ context.Context, id string) (store.Website, error) {
	if w.siteErr != nil {
		return store.Website{}, w.siteErr
	}
	for _, s := range sites {
		if s.ID == id {
			if id == "w1" {
				s.Rules = w.rules
			}
			return s, nil
		}
	}
	return store.Website{}, store.ErrNotFound
}

func (w *world) Owner(_ context.Context, s store.Subject) (string, error) {
	if w.siteErr != nil {
		return "", w.siteErr
	}
	owner, ok := map[store.Subject]string{
		{Kind: store.KindLink, ID: "l1"}: "org", {Kind: store.KindLink, ID: "l2"}: "org",
		{Kind: store.KindLink, ID: "l9"}:     "others",
		{Kind: store.KindSchedule, ID: "s1"}: "org", {Kind: store.KindSchedule, ID: "s9"}: "others",
	}[s]
	if !ok {
		return "", store.ErrNotFound
	}
	return owner, nil
}

// keys by secret.
var keys = map[string]*auth.Key{
	"all": {ID: "k-all", Start: "sl_all", Owner: "org", Scopes: []auth.Scope{auth.TrackEvents}, All: true},
	"one": {ID: "k-one", Owner: "org", Scopes: []auth.Scope{auth.TrackEvents},
		Resources: []auth.Resource{{Kind: "website", ID: "w1"}, {Kind: "link", ID: "l1"}},
		Limits:    &auth.Limits{PerMinute: 7}},
	"solo":   {ID: "k-solo", Owner: "solo", Scopes: []auth.Scope{auth.TrackEvents}, All: true},
	"reader": {ID: "k-read", Owner: "org", Scopes: []auth.Scope{auth.ReadData}, All: true},
	"greedy": {ID: "k-greedy", Owner: "org", Scopes: []auth.Scope{auth.TrackEvents},
		Resources: []auth.Resource{{Kind: "website", ID: "w9"}}},
}

func (w *world) Authenticate(_ context.Context, r *http.Request) (*auth.Principal, error) {
	if w.authErr != nil {
		return nil, w.authErr
	}
	secret := cmp.Or(r.Header.Get("X-Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if secret == "" {
		return nil, auth.ErrMissing
	}
	k, ok := keys[secret]
	if !ok {
		return nil, auth.ErrInvalid
	}
	return &auth.Principal{Key: k}, nil
}

func (w *world) Allow(_ context.Context, class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision,
	error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if own != nil {
		id += " own"
	}
	if strings.HasSuffix(string(class), "-owner") { // each request with a key is also taken from this bucket
		return auth.Decision{OK: true}, nil
	}
	w.paid += cost
	if cost > 0 {
		w.limits = append(w.limits, string(class)+":"+id)
	}
	if w.decision == (auth.Decision{}) {
		return auth.Decision{OK: true}, w.limitErr
	}
	return w.decision, w.limitErr
}

func (w *world) Record(_ context.Context, e auth.Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(w.entries, e)
	return w.auditErr
}

func (w *world) Salt(_ context.Context, day time.Time) ([]byte, error) {
	return []byte("salt of " + day.Format(time.DateOnly)), w.saltErr
}

// Identify stores nothing in the rows.
func (w *world) Identify(ctx context.Context, i store.Identification) error {
	w.identified = append(w.identified, i)
	if i.Traits["big"] != nil {
		return store.ErrManyTraits
	}
	if i.Profile == "too many" {
		return store.ErrManyProfiles
	}
	_, err := w.Write(ctx, &store.Batch{})
	return err
}

func (w *world) Locate(ip netip.Addr) Location { return w.geo[ip.String()] }

func (w *world) handler(t testing.TB) http.Handler {
	if w.built != nil {
		return w.built
	}
	h, err := New(Config{
		Writer: w, Directory: w, Auth: w, Limiter: w, Audit: w, Salts: w, Profiles: w,
		Usage: cmp.Or(w.usage, NoQuotas), Proxies: clientip.Proxies{netip.MustParsePrefix("203.0.113.7/32")},
		Now: noonClock, Logger: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Options: Options{Geo: w, CountryHeader: w.header, Window: w.window, MaxBody: w.maxBody,
			Observe: func(_ context.Context, r observe.Request) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.told = append(w.told, r)
			}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.built = h
	return h
}

// A got is a decoded response.
type got struct {
	code   int
	header http.Header
	raw    string
	body   map[string]any
}

// post sends body as a browser does; headers come in pairs and replace what it sends.
func (w *world) post(t testing.TB, target, body string, headers ...string) got {
	t.Helper()
	return w.do(t, http.MethodPost, target, body, headers...)
}

func (w *world) do(t testing.TB, method, target, body string, headers ...string) got {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.RemoteAddr = cmp.Or(w.peer, "203.0.113.7:4711")
	r.Header.Set("User-Agent", chrome)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler(t).ServeHTTP(rec, r)
	g := got{code: rec.Code, header: rec.Header(), raw: rec.Body.String()}
	if rec.Body.Len() > 0 {
		if err := json.Unmarshal(rec.Body.Bytes(), &g.body); err != nil {
			t.Fatalf("%s %s answered no JSON: %q", method, target, rec.Body)
		}
	}
	return g
}

// rows returns all written rows.
func (w *world) rows() store.Batch {
	var all store.Batch
	for i := range w.written {
		all.Append(&w.written[i])
	}
	return all
}

// codes are the codes of the failed results, "" for the others.
func (g got) codes() []string {
	var all []string
	results, _ := g.body["results"].([]any)
	for _, r := range results {
		code, _ := r.(map[string]any)["code"].(string)
		all = append(all, code)
	}
	return all
}

// wrongFields are the names of the fields that the answer complains of.
func (g got) wrongFields() []string {
	var all []string
	list, _ := g.body["errors"].([]any)
	for _, e := range list {
		name, _ := e.(map[string]any)["field"].(string)
		all = append(all, name)
	}
	return all
}

// dropped returns the names of the dropped fields of the answer or its first result, joined by blanks.
func (g got) dropped() string {
	list, ok := g.body["dropped"].([]any)
	if results, _ := g.body["results"].([]any); !ok && len(results) > 0 {
		list, _ = results[0].(map[string]any)["dropped"].([]any)
	}
	var names []string
	for _, name := range list {
		names = append(names, fmt.Sprint(name))
	}
	return strings.Join(names, " ")
}

var errDown = errors.New("the disk is on fire")

// serve sends body to h as a browser does, and returns the status.
func serve(t testing.TB, h http.Handler, target, body string) int {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("User-Agent", chrome)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec.Code
}
