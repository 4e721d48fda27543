package matrix

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/keycache"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/track"
)

// Each of two owners has resources of every kind. The key "right" lists one of its owner's resources, and does not list
// another.
const (
	acme  = "acme"
	other = "other"
)

// kinds lists the kinds of resources.
var kinds = []string{auth.KindWebsite, auth.KindLink, auth.KindSchedule}

// All kinds use the same ids, so that the tests find confused kinds.
const (
	listed  = "listed"  // acme's, in the list of the key "right"
	aside   = "aside"   // acme's
	foreign = "foreign" // a resource of the other owner
	nowhere = "nowhere" // does not exist
)

// A world has both handlers on one engine. All parts are real, except the stores of events and flags.
type world struct {
	engine
	api, track http.Handler
	proxies    clientip.Proxies
	limiter    *freshLimiter
	audit      *audit.Writer
	cache      *keycache.Cache
	secrets    map[string]auth.Secret // by kind of credential
	keys       map[string]auth.Key    // by the same names
}

// newWorld returns a world on e that trusts proxies.
func newWorld(t testing.TB, e engine, proxies ...netip.Prefix) *world {
	t.Helper()
	w := &world{engine: e, proxies: proxies, limiter: &freshLimiter{}, secrets: map[string]auth.Secret{},
		keys: map[string]auth.Key{}}
	w.fill(t)
	writer, err := audit.New(context.Background(),
		audit.Config{Log: e.trail, Pepper: pepper, Now: noonClock, Options: audit.Options{Every: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	w.audit = writer
	t.Cleanup(func() { _ = writer.Close(context.Background()) }) // the engine may be closed
	cache, err := keycache.New(keycache.Config{Store: e.keys, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
	w.cache = cache
	e.notify(cache)
	w.addKeys(t)
	authenticator, err := auth.New(auth.Config{Store: cache, Pepper: pepper, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
	w.limiter.renew(t, ratelimit.Config{})
	w.mount(t, authenticator)
	return w
}

// fill creates all resources.
func (w *world) fill(t testing.TB) {
	t.Helper()
	for id, owner := range map[string]string{listed: acme, aside: acme, foreign: other} {
		site := store.Website{ID: id, Owner: owner, Name: id, Domain: id + ".example.com",
			CreatedAt: noon.Add(-24 * time.Hour)}
		for _, err := range []error{w.site(site), w.link(id, owner), w.watch(id, owner)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// addKeys creates a key or a token for every kind of credential.
func (w *world) addKeys(t testing.TB) {
	t.Helper()
	var list []auth.Resource
	for _, kind := range kinds {
		list = append(list, auth.Resource{Kind: kind, ID: listed})
	}
	// The greedy key lists a resource of another owner.
	greedy := append([]auth.Resource{{Kind: auth.KindWebsite, ID: foreign}, {Kind: auth.KindLink, ID: foreign},
		{Kind: auth.KindSchedule, ID: foreign}, {Kind: auth.KindWebsite, ID: nowhere},
		{Kind: auth.KindLink, ID: nowhere},
		{Kind: auth.KindSchedule, ID: nowhere}}, list...)
	both := auth.Scopes()
	var types []string // all, so that every query of a sample succeeds
	for _, ty := range query.Builtin() {
		types = append(types, ty.Name)
	}
	for name, k := range map[string]auth.Key{
		"right":  {Scopes: both, Resources: list},
		"whole":  {Scopes: both, All: true},
		"greedy": {Scopes: both, Resources: greedy},
		"filtered": {Scopes: both, Resources: list,
			Filters: []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}},
		"typed":    {Scopes: both, Resources: list, Types: types},
		"scopes":   {Scopes: []auth.Scope{auth.ManageFlags}, All: true},
		"reads":    {Scopes: []auth.Scope{auth.ReadData}, Resources: list},
		"disabled": {Scopes: both, Resources: list, Disabled: true},
		"revoked":  {Scopes: both, Resources: list},
		"expired":  {Scopes: both, Resources: list, Expires: noon},
		"managed":  {Scopes: []auth.Scope{auth.ReadData}, Resources: list}, // what routes of keys change
		"leaving":  {Scopes: []auth.Scope{auth.ReadData}, Resources: list}, // what they revoke
		"theirs":   {Owner: other, Scopes: []auth.Scope{auth.ReadData}, All: true},
	} {
		if k.ID = "key_" + name; k.Owner == "" {
			k.Owner = acme
		}
		kept, secret, err := w.engine.keys.CreateKey(context.Background(), k)
		if err != nil {
			t.Fatalf("key %s: %v", name, err)
		}
		w.keys[name], w.secrets[name] = kept, secret
	}
	if err := w.engine.keys.RevokeKey(context.Background(), "key_revoked", nil); err != nil {
		t.Fatal(err)
	}
	unknown, err := auth.NewSecret(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	w.secrets["unknown"] = unknown
	theirs, err := auth.NewPepper([]byte("the pepper of somebody else"))
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		key    string
		minted time.Time
		pepper auth.Pepper
	}{
		"token":           {"right", noon, pepper},
		"expired token":   {"right", noon.Add(-time.Hour), pepper},
		"revoked token":   {"revoked", noon, pepper},
		"forged token":    {"right", noon, theirs},
		"token of no key": {"unknown", noon, pepper},
	} {
		mint := tokens(t, auth.TokensConfig{Pepper: of.pepper, Now: func() time.Time { return of.minted }})
		token, err := mint.Mint(w.secrets[of.key].Digest(pepper), auth.Claims{}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		w.secrets[name] = token
	}
	w.keys["token"], w.keys["revoked token"] = w.keys["right"], w.keys["revoked"]
}

func tokens(t testing.TB, cfg auth.TokensConfig) *auth.Tokens {
	t.Helper()
	made, err := auth.NewTokens(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (w *world) mount(t testing.TB, authenticator *auth.Keys) {
	t.Helper()
	e, err := query.New(query.Config{Store: cannedStore{}, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
	service, err := flags.New(flags.Config{Store: cannedFlags{}, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close(context.Background()) })
	// Clients in memory have separate limits.
	if _, err := service.Evaluator().EvaluateAll(t.Context(), flags.OfWebsite(listed), &flags.Context{}); err != nil {
		t.Fatal(err)
	}
	eraser, err := erasure.New(erasure.Config{Events: cannedStore{}, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
	notices, err := notify.New(notify.Config{Store: cannedNotices{}, Engine: e, Directory: w.dir, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
	w.api, err = httpapi.New(httpapi.Config{Engine: e, Flags: service, Export: cannedStore{}, Erase: eraser,
		Directory: w.dir, Subjects: cannedStore{}, Auth: authenticator, Minter: authenticator, Keys: w.engine.keys,
		Trail: w.trail, Definitions: lasting{w.definitions}, Notices: notices,
		Websites: lastingSites{w.websites}, Limiter: w.limiter, Audit: single{w.audit},
		Health: health.New(health.Config{Version: "test", Now: noonClock}),
		Now:    noonClock, Proxies: w.proxies, Options: httpapi.Options{Tracker: &httpapi.Tracker{Address: "/ingest"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.track, err = track.New(track.Config{Writer: cannedStore{}, Directory: w.dir, Auth: authenticator,
		Limiter: w.limiter, Audit: single{w.audit},
		Salts: cannedStore{}, Usage: track.NoQuotas, Profiles: cannedStore{}, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
}

// cannedNotices has one notice, and drops its messages.
type cannedNotices struct{ store.NoticeStore }

func (cannedNotices) Notices(context.Context) ([]store.Notice, error) {
	return []store.Notice{{Website: listed, Owner: "org", Definition: store.Definition{Kind: store.NoticeDefinition,
		Name: "Spike", Body: []byte(`{"event":"backup","to":[{"host":"x"}]}`)}}}, nil
}

func (cannedNotices) MailEnds(context.Context) ([]store.MailEnd, error) { return nil, nil }

func (cannedNotices) RecordNotices(context.Context, string, []store.NoticeState, []store.Delivery) error {
	return nil
}

func (cannedNotices) Deliveries(context.Context, string, int) ([]store.Delivery, error) {
	return nil, nil
}

// freshLimiter is a ratelimit.Limiter that can be reset.
type freshLimiter struct{ *ratelimit.Limiter }

func (f *freshLimiter) renew(t testing.TB, cfg ratelimit.Config) {
	t.Helper()
	cfg.Size, cfg.Now = 64, noonClock
	l, err := ratelimit.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	f.Limiter = l
}

// Links implements store.SubjectLister.
func (cannedStore) Links(context.Context, string) ([]store.Link, error) {
	return []store.Link{{ID: listed, Owner: acme}}, nil
}

// Monitors implements store.SubjectLister.
func (cannedStore) Monitors(context.Context, string) ([]store.Monitor, error) {
	return []store.Monitor{{ID: listed, Owner: acme}}, nil
}

// cannedStore has one row for every query except a series, and accepts all writes.
type cannedStore struct{}

func (cannedStore) Dialect() *dialect.Dialect { return dialect.DuckDB() }

func (cannedStore) Ping(context.Context) error { return nil }

func (cannedStore) Query(_ context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := &store.Rows{Len: 1}
	if stmt.Label == "summary" { // a series, which the engine fills with zeros
		rows.Len = 0
	}
	for _, kind := range stmt.Kinds {
		c := store.Column{Kind: kind}
		switch kind {
		case dialect.Int:
			c.Ints = []int64{40}[:rows.Len]
		case dialect.Float:
			c.Floats = []float64{0.5}[:rows.Len]
		default:
			c.Texts = []string{"/"}[:rows.Len]
		}
		rows.Columns = append(rows.Columns, c)
	}
	return rows, nil
}

// ErasePerson implements store.PersonEraser.
func (cannedStore) ErasePerson(context.Context, store.Person) (map[string]int64, error) {
	return map[string]int64{"events": 3}, nil
}

func (cannedStore) Days(_ context.Context, _ store.Subject, from, _ time.Time) ([]store.Day, error) {
	return []store.Day{{Start: from, Version: 1}}, nil
}

func (cannedStore) Write(_ context.Context, b *store.Batch) (store.Written, error) {
	return store.Written{Stored: b.Len()}, nil
}

func (cannedStore) Identify(context.Context, store.Identification) error { return nil }

func (cannedStore) Salt(context.Context, time.Time) ([]byte, error) { return []byte("salt"), nil }

// cannedFlags has one flag for every client, and accepts all writes.
type cannedFlags struct{}

func (cannedFlags) Load(_ context.Context, client flags.Client) (flags.Set, error) {
	return flags.Set{Client: client, Revision: 1,
		Flags: []flags.Flag{{ID: "flag", Client: client, Key: "there", Type: flags.Boolean,
			Status: flags.Active, By: flags.ByUser, Default: true, Revision: 1, CreatedAt: noon, UpdatedAt: noon}}}, nil
}

func (cannedFlags) Commit(context.Context, flags.Commit) error { return nil }

func (cannedFlags) Revisions(_ context.Context, clients []flags.Client) (map[flags.Client]int64, error) {
	found := map[flags.Client]int64{}
	for _, client := range clients {
		found[client] = 1
	}
	return found, nil
}

func (cannedFlags) History(context.Context, flags.Client, string, int64, int) ([]flags.Change, error) {
	return nil, nil
}

// single records an entry for every request, also for equal requests: tests look for entries by request id.
type single struct{ auth.Sink }

func (s single) Record(ctx context.Context, e auth.Entry) error {
	e.Network = ""
	return s.Sink.Record(ctx, e)
}

// entries returns the entries of the trail by request id.
func (w *world) entries(t testing.TB) map[string][]auth.Entry {
	t.Helper()
	if err := w.audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := map[string][]auth.Entry{}
	for q := (audit.Query{Limit: 1000}); ; {
		page, err := w.trail.Find(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			found[r.Entry.RequestID] = append(found[r.Entry.RequestID], r.Entry)
		}
		if q.After = page.Next; q.After == nil {
			return found
		}
	}
}

// send sends r to its handler.
func (w *world) send(host string, r *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h := w.api
	if host == hostTrack {
		h = w.track
	}
	if body, ok := r.Body.(*stalledBody); ok {
		h.ServeHTTP(connection{rec, body}, r)
		return rec
	}
	h.ServeHTTP(rec, r)
	return rec
}

// The two handlers.
const (
	hostAPI   = "httpapi"
	hostTrack = "track"
)

// lastingSites are websites that stay.
type lastingSites struct{ store.WebsiteManager }

func (l lastingSites) RemoveWebsite(ctx context.Context, id string) error {
	_, err := l.Website(ctx, id) // it fails as RemoveWebsite does
	return err
}

// lasting are definitions that stay, so that every request finds what it removes.
type lasting struct{ store.DefinitionStore }

func (lasting) RemoveDefinition(context.Context, string, store.DefinitionKind, string) error {
	return nil
}
