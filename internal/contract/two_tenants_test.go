package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/sightlinetest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// The records of the other owner. Ids with "foreign" exist in one of two services only; those with "nowhere" in none.
const (
	tenant     = sightlinetest.Owner // who asks
	neighbour  = "owner_other"
	foreigners = 3 // websites, links, monitors and keys of the neighbour
)

func foreign(kind string, i int) string { return fmt.Sprintf("%s_foreign_%d", kind, i) }

// A service has two owners. All its parts are real: events and records are in SQLite.
type service struct {
	*world

	host    *sightlinetest.Host
	records *meta.Store
	audit   *audit.Writer
	secrets map[string]string // of the tenant, by kind of credential
	theirs  string            // the secret of a key of the neighbour

	theirFlag string // the id of a flag of the neighbour
	random    texts
}

// open returns a service in which the neighbour has much, or next to nothing. spoil may plant a mistake.
func open(t *testing.T, much bool, spoil func(*sightline.Config)) *service {
	t.Helper()
	s := &service{secrets: map[string]string{}, random: texts{at: map[string]int{}}}
	s.host = sightlinetest.New(t, func(cfg *sightline.Config) {
		s.connect(t, cfg)
		if spoil != nil {
			spoil(cfg)
		}
	})
	mux := http.NewServeMux()
	mux.Handle("/ingest/", http.StripPrefix("/ingest", s.host.Tracking()))
	mux.Handle("/", s.host.API())
	s.world = &world{handler: mux}
	s.fill(t)
	s.settle(t)
	if much {
		s.fillNeighbour(t)
	}
	return s
}

// connect replaces the parts of cfg that sightlinetest has in memory.
func (s *service) connect(t *testing.T, cfg *sightline.Config) {
	t.Helper()
	pepper, err := auth.NewPepper([]byte("the pepper of two tenants"))
	if err != nil {
		t.Fatal(err)
	}
	records, err := meta.Open(t.Context(), meta.Config{Path: filepath.Join(t.TempDir(), "meta.sqlite"), Pepper: pepper,
		Now: cfg.Now, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close(t.Context()) })
	limiter, err := ratelimit.New(ratelimit.Config{Now: cfg.Now})
	if err != nil {
		t.Fatal(err)
	}
	trail, err := audit.New(t.Context(), audit.Config{Log: records.Audit(), Pepper: pepper, Now: cfg.Now,
		Options: audit.Options{Every: 24 * time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close(t.Context()) })
	s.records, s.audit = records, trail
	cfg.Records, cfg.Pepper, cfg.Limiter = records, pepper, limiter
	cfg.Audit = struct {
		auth.Sink
		audit.Finder
	}{trail, records.Audit()}
	cfg.Directory, cfg.Keys, cfg.Flags, cfg.TrackingPath = nil, nil, nil, "/ingest"
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// fill adds what belongs to the tenant, which is the same in every service.
func (s *service) fill(t *testing.T) {
	t.Helper()
	ctx, at := t.Context(), s.host.Now()
	for _, id := range []string{tenant, neighbour} {
		must[meta.Owner](t)(s.records.EnsureOwner(ctx, meta.Owner{ID: id}))
	}
	for _, id := range append(siteIDs(), sightlinetest.Website) {
		must[store.Website](t)(s.records.CreateWebsite(ctx,
			store.Website{ID: id, Owner: tenant, Domain: id + ".example", CreatedAt: at}))
	}
	must[meta.Link](t)(s.records.CreateLink(ctx,
		meta.Link{ID: link, Owner: tenant, Slug: "l", TargetURL: "https://example.org/", CreatedAt: at}))
	must[meta.Monitor](t)(s.records.CreateMonitor(ctx,
		meta.Monitor{ID: monitor, Owner: tenant, URL: "https://example.org/", CreatedAt: at}))
	for name, k := range s.keys() {
		k.ID, k.Owner = "key_"+strings.ReplaceAll(name, " ", "_"), tenant
		_, secret, err := s.records.CreateKey(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		s.secrets[name] = secret.Reveal()
	}
	if err := s.records.RevokeKey(ctx, "key_revoked", nil); err != nil {
		t.Fatal(err)
	}
	s.secrets["unknown"], s.secrets["none"] = "sl_"+strings.Repeat("x", 49), ""
	s.write(t, sightlinetest.Website, link, monitor, 40)
}

// keys are the kinds of keys of the tenant.
func (s *service) keys() map[string]auth.Key {
	own := []auth.Resource{{Kind: auth.KindWebsite, ID: sightlinetest.Website}, {Kind: auth.KindWebsite, ID: "web_a"},
		{Kind: auth.KindLink, ID: link}, {Kind: auth.KindSchedule, ID: monitor}}
	greedy := slices.Clone(own)
	for i := range foreigners {
		greedy = append(greedy, auth.Resource{Kind: auth.KindWebsite, ID: foreign("web", i)},
			auth.Resource{Kind: auth.KindLink, ID: foreign("lnk", i)},
			auth.Resource{Kind: auth.KindSchedule, ID: foreign("mon", i)})
	}
	greedy = append(greedy, auth.Resource{Kind: auth.KindWebsite, ID: "web_nowhere"})
	all, fewer := auth.Scopes(), []auth.Scope{auth.ReadData}
	keys := map[string]auth.Key{
		"whole":  {Scopes: all, All: true},
		"listed": {Scopes: all, Resources: own},
		"greedy": {Scopes: all, Resources: greedy},
		"filtered": {Scopes: all, All: true,
			Filters: []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}},
		"typed":    {Scopes: all, All: true, Types: []string{"pages", "summary_metrics"}},
		"reads":    {Scopes: fewer, All: true},
		"flags":    {Scopes: []auth.Scope{auth.ManageFlags}, All: true},
		"slow":     {Scopes: all, All: true, Limits: &auth.Limits{PerMinute: 5}},
		"disabled": {Scopes: all, All: true, Disabled: true},
		"revoked":  {Scopes: all, All: true},
		"expired":  {Scopes: all, All: true, Expires: s.host.Now()},
	}
	for _, id := range keyIDs() {
		keys[strings.TrimPrefix(id, "key_")] = auth.Key{Scopes: fewer, All: true}
	}
	return keys
}

// write stores traffic.
func (s *service) write(t *testing.T, website, link, monitor string, perDay int) {
	t.Helper()
	traffic := demo.New(demo.Config{Website: website, Domain: website + ".example", Link: link, Schedule: monitor,
		PerDay: perDay})
	rows := traffic.Batch(s.host.Now().Add(-days*24*time.Hour), s.host.Now())
	if _, err := s.host.Events.Write(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	for _, e := range rows.Events {
		if e.SessionID != "" && website == sightlinetest.Website {
			s.session = e.SessionID
		}
	}
}

// settle adds what is created through HTTP: flags, definitions and panel tokens of the tenant.
func (s *service) settle(t *testing.T) {
	t.Helper()
	s.key = s.secrets["whole"]
	if err := json.Unmarshal([]byte(s.must(t, request{Method: http.MethodGet, Target: "/v1/openapi.json"})),
		&s.doc); err != nil {
		t.Fatal(err)
	}
	s.flag = s.addFlag(t, s.key, sightlinetest.Website)
	s.save(t)
	for _, name := range []string{"whole", "greedy"} {
		answer := s.must(t, post("/v1/tokens", s.secrets[name], `{"ttl":"1h"}`))
		var made struct{ Token string }
		if err := json.Unmarshal([]byte(answer), &made); err != nil || made.Token == "" {
			t.Fatalf("%v: %s", err, answer)
		}
		s.secrets["token of "+name] = made.Token
	}
}

// fillNeighbour adds much that belongs to the neighbour: some with the names of records of the tenant.
func (s *service) fillNeighbour(t *testing.T) {
	t.Helper()
	ctx, at := t.Context(), s.host.Now()
	for i := range foreigners {
		site, name := foreign("web", i), fmt.Sprintf("secret site %d", i)
		must[store.Website](t)(s.records.CreateWebsite(ctx, store.Website{ID: site, Owner: neighbour, Name: name,
			Domain: sightlinetest.Website + ".example", CreatedAt: at}))
		must[meta.Link](t)(s.records.CreateLink(ctx, meta.Link{ID: foreign("lnk", i), Owner: neighbour,
			Slug: strings.Repeat("l", i+1), TargetURL: "https://secret.example/", CreatedAt: at}))
		must[meta.Monitor](t)(s.records.CreateMonitor(ctx, meta.Monitor{ID: foreign("mon", i), Owner: neighbour,
			URL: "https://secret.example/", WebsiteID: site, CreatedAt: at}))
		_, secret, err := s.records.CreateKey(ctx,
			auth.Key{ID: foreign("key", i), Owner: neighbour, All: true, Scopes: auth.Scopes()})
		if err != nil {
			t.Fatal(err)
		}
		s.theirs = secret.Reveal()
		s.write(t, site, foreign("lnk", i), foreign("mon", i), 10*i)
		s.theirFlag = s.addFlag(t, s.theirs, site)
		s.must(t, post("/v1/websites/"+site+"/definitions", s.theirs,
			`{"kind":"goal","name":"`+goalName+`","body":{"event":"secret"}}`))
		s.must(t, post("/ingest/identify", s.theirs,
			`{"profileId":"u1","websiteId":"`+site+`","traits":{"name":"Secret"}}`))
	}
	s.addFlag(t, s.theirs, neighbour)
}

func post(target, key, body string) request {
	return request{Method: http.MethodPost, Target: target, Body: body,
		Header: map[string]string{"X-Api-Key": key, "Content-Type": "application/json"}}
}

// must sends a request that must succeed, and returns the body of the answer.
func (s *service) must(t *testing.T, r request) string {
	t.Helper()
	rec := s.send(r)
	if rec.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s", r, rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// addFlag adds a flag of a client, and returns its id.
func (s *service) addFlag(t *testing.T, key, client string) string {
	t.Helper()
	answer := s.must(t, post("/public/v1/flags", key,
		`{"clientId":"`+client+`","key":"`+flagKey+`","type":"boolean","defaultValue":true}`))
	var made struct{ Flag struct{ ID string } }
	if err := json.Unmarshal([]byte(answer), &made); err != nil || made.Flag.ID == "" {
		t.Fatalf("%v: %s", err, answer)
	}
	return made.Flag.ID
}

// texts are the texts that a service has made at random, by their first appearance.
type texts struct {
	at  map[string]int
	all []string
}

// random matches generated ids, secrets and their starts, and places in the audit trail.
var random = regexp.MustCompile(`\b(?:(?:key|web|lnk|mon|req|tok)_[A-Za-z0-9]{20,}` +
	`|sl[a-z]?_[A-Za-z0-9_.-]{5,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}` +
	`|[0-9]{13}\.[A-Za-z0-9_-]{22})`)

// used matches the time of the last use of a key, which is stored seconds later.
var used = regexp.MustCompile(`"lastUsed":(?:null|"[^"]*")`)

// mask replaces random texts by numbers, which are the same in two services that made them at the same moments.
func (x *texts) mask(text string) string {
	text = used.ReplaceAllString(text, `"lastUsed":`)
	return random.ReplaceAllStringFunc(text, func(one string) string {
		n, known := x.at[one]
		if !known {
			n = len(x.all)
			x.at[one], x.all = n, append(x.all, one)
		}
		return fmt.Sprintf("<%d>", n)
	})
}

// translate replaces the random texts of x by those of another service.
func (x *texts) translate(text string, to *texts) string {
	return random.ReplaceAllStringFunc(text, func(one string) string {
		if n, known := x.at[one]; known && n < len(to.all) {
			return to.all[n]
		}
		return one
	})
}
