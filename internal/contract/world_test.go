package contract

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/internal/contract/generate"
	"github.com/sightline-analytics/sightline/sightlinetest"
	"github.com/sightline-analytics/sightline/store"
)

// The subjects of the service.
const (
	link    = "lnk_contract"
	monitor = "mon_contract"
	flagKey = "dark-mode"
)

// days is the number of days with traffic.
const days = 4

// A world is a service over SQLite with generated traffic, and its document.
type world struct {
	handler http.Handler
	key     string
	doc     document
	session string // the id of a session
	flag    string // the id of a flag
}

// profiles accepts all traits.
type profiles struct{}

func (profiles) Identify(context.Context, store.Identification) error { return nil }

// subjects lists a link and a monitor.
type subjects struct{}

func (subjects) Links(context.Context, string) ([]store.Link, error) {
	return []store.Link{{ID: link, Owner: sightlinetest.Owner, Name: "L", Slug: "l", TargetURL: "https://example.org/",
		CreatedAt: sightlinetest.Start()}}, nil
}

func (subjects) Monitors(context.Context, string) ([]store.Monitor, error) {
	return []store.Monitor{{ID: monitor, Owner: sightlinetest.Owner, Name: "M", URL: "https://example.org/",
		CreatedAt: sightlinetest.Start()}}, nil
}

// directory also lists links and monitors.
type directory struct {
	*store.MemoryDirectory
	subjects
}

// keyIDs are the ids of keys that requests may change.
func keyIDs() []string { return []string{"key_a", "key_b", "key_c", "key_d"} }

// siteIDs are the ids of websites without rows, that requests may change.
func siteIDs() []string { return []string{"web_a", "web_b", "web_c", "web_d"} }

// newWorld returns a service. Each change changes its rows before they are stored.
func newWorld(t *testing.T, change ...func(*store.Batch)) *world {
	t.Helper()
	host := sightlinetest.New(t, func(cfg *sightline.Config) {
		cfg.TrackingPath, cfg.Profiles = "/ingest", profiles{}
		cfg.Directory = directory{cfg.Directory.(*store.MemoryDirectory), subjects{}}
	})
	for _, s := range []store.Subject{{Kind: store.KindLink, ID: link}, {Kind: store.KindSchedule, ID: monitor}} {
		if err := host.Sites.AddSubject(s, sightlinetest.Owner); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range keyIDs() {
		if _, _, err := host.Keys.CreateKey(t.Context(),
			auth.Key{ID: id, Owner: sightlinetest.Owner, All: true, Scopes: []auth.Scope{auth.ReadData}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range siteIDs() {
		if err := host.Sites.AddWebsite(store.Website{ID: id, Owner: sightlinetest.Owner, Name: id, Domain: id +
			".example", CreatedAt: sightlinetest.Start()}); err != nil {
			t.Fatal(err)
		}
	}
	traffic := demo.New(demo.Config{Website: host.Website, Domain: sightlinetest.Domain, Link: link, Schedule: monitor,
		PerDay: 40})
	rows := traffic.Batch(host.Now().Add(-days*24*time.Hour), host.Now())
	for _, c := range change {
		c(rows)
	}
	if _, err := host.Events.Write(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/ingest/", http.StripPrefix("/ingest", host.Tracking()))
	mux.Handle("/", host.API())
	w := &world{handler: mux, key: host.Key}
	for _, e := range rows.Events {
		if e.SessionID != "" {
			w.session = e.SessionID
		}
	}
	rec := w.send(request{Method: http.MethodGet, Target: "/v1/openapi.json"})
	if err := json.Unmarshal(rec.Body.Bytes(), &w.doc); err != nil || rec.Code != http.StatusOK {
		t.Fatalf("status %d: %v", rec.Code, err)
	}
	flag := w.send(request{Method: http.MethodPost, Target: "/public/v1/flags",
		Header: map[string]string{"X-Api-Key": host.Key, "Content-Type": "application/json"},
		Body:   `{"clientId":"` + host.Website + `","key":"` + flagKey + `","type":"boolean","defaultValue":true}`})
	var created struct{ Flag struct{ ID string } }
	if err := json.Unmarshal(flag.Body.Bytes(), &created); err != nil || created.Flag.ID == "" {
		t.Fatalf("status %d, %v: %s", flag.Code, err, flag.Body)
	}
	w.flag = created.Flag.ID
	w.save(t)
	return w
}

// The names of definitions that queries use.
const (
	goalName    = "Signup"
	funnelName  = "Checkout"
	segmentName = "Germany"
)

// annotationName is the name of a definition that requests may remove: queries do not use it.
const annotationName = "Launch"

// save saves a definition of each kind. The segment has a field that all rows of websites have.
func (w *world) save(t *testing.T) {
	t.Helper()
	for _, body := range []string{
		`{"kind":"goal","name":"` + goalName + `","body":{"event":"signup"}}`,
		`{"kind":"funnel","name":"` + funnelName + `","body":{"steps":[{"page":"/"},{"event":"signup"}]}}`,
		`{"kind":"segment","name":"` + segmentName +
			`","body":{"filters":[{"field":"country","op":"eq","value":"DE"}]}}`,
		`{"kind":"annotation","name":"` + annotationName + `","body":{"at":"2026-01-01","text":"Launch"}}`,
	} {
		rec := w.send(request{Method: http.MethodPost, Target: "/v1/websites/" + sightlinetest.Website + "/definitions",
			Header: map[string]string{"X-Api-Key": w.key, "Content-Type": "application/json"}, Body: body})
		if rec.Code != http.StatusOK {
			t.Fatalf("status %d: %s", rec.Code, rec.Body)
		}
	}
}

// generator returns a generator of requests to w.
func (w *world) generator(seed, stream uint64) *generate.Generator {
	return &generate.Generator{Rand: rand.New(rand.NewPCG(seed, stream)), Doc: w.doc,
		Names: generate.Names{Key: w.key, Website: sightlinetest.Website, Link: link, Monitor: monitor,
			Session: w.session, FlagKey: flagKey, Goal: goalName, Funnel: funnelName, Segment: segmentName,
			Start: sightlinetest.Start(), Days: days},
		Flags: []string{w.flag}, Keys: keyIDs(), Sites: siteIDs(),
		Saved: []generate.Definition{{Kind: "annotation", Name: annotationName}}}
}

// browsed returns r with the headers of a browser.
func browsed(r request) *http.Request {
	hr := httptest.NewRequest(r.Method, r.Target, strings.NewReader(r.Body))
	hr.Header.Set("User-Agent",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36")
	for name, value := range r.Header {
		hr.Header.Set(name, value)
	}
	return hr
}

func (w *world) send(r request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, browsed(r))
	return rec
}
