package sightline_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/meta"
)

// rows is a store of events without rows. It forgets what it is given.
type rows struct{ written int }

func (*rows) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (*rows) Ping(context.Context) error { return nil }

func (*rows) Query(_ context.Context, stmt store.Statement) (*store.Rows, error) {
	found := &store.Rows{}
	for _, kind := range stmt.Kinds {
		found.Columns = append(found.Columns, store.Column{Kind: kind})
	}
	return found, nil
}

func (r *rows) Write(_ context.Context, b *store.Batch) (store.Written, error) {
	r.written += b.Len()
	return store.Written{Stored: b.Len()}, nil
}

func (r *rows) Maintain(context.Context) error { return nil }

func pepper(t *testing.T) auth.Pepper {
	t.Helper()
	p, err := auth.NewPepper([]byte("a secret of the host's"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// records opens an empty store of records, with a website and a key for it.
func records(t *testing.T) (*meta.Store, auth.Secret) {
	t.Helper()
	m, err := meta.Open(t.Context(), meta.Config{Path: filepath.Join(t.TempDir(), "records.sqlite"), Pepper: pepper(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) }) // the test is over
	_, ownerErr := m.CreateOwner(t.Context(), meta.Owner{ID: "acme"})
	_, siteErr := m.CreateWebsite(t.Context(), store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"})
	_, secret, keyErr := m.CreateKey(t.Context(),
		auth.Key{ID: "panel", Owner: "acme", All: true, Scopes: auth.Scopes()})
	if err := errors.Join(ownerErr, siteErr, keyErr); err != nil {
		t.Fatal(err)
	}
	return m, secret
}

func open(t *testing.T, cfg sightline.Config) *sightline.Service {
	t.Helper()
	svc, err := sightline.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return svc
}

// send sends a request to h, and returns the status and the body.
func send(t *testing.T, h http.Handler, method, path, credential, body string) (int, string) {
	t.Helper()
	r, w := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)), httptest.NewRecorder()
	if credential != "" {
		r.Header.Set("X-Api-Key", credential)
	}
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// nobody is an Authenticator that accepts no credentials.
type nobody struct{}

func (nobody) Authenticate(context.Context, *http.Request) (*auth.Principal, error) {
	return nil, auth.ErrInvalid
}

// A service over two stores answers queries, receives events and records the uses of keys, until it is closed.
func TestServiceOverTwoStores(t *testing.T) {
	events := &rows{}
	m, secret := records(t)
	svc := open(t, sightline.Config{Events: events, Records: m, Version: "v9"})
	for _, row := range []struct {
		handler                        http.Handler
		method, path, credential, body string
		status                         int
		holds                          string
	}{
		{svc.API(), "GET", "/v1/query/websites", secret.Reveal(), "", 200, `"shop"`},
		{svc.API(), "GET", "/v1/query/websites", "", "", 401, ""},
		{svc.API(), "GET", "/v1/query/links", secret.Reveal(), "", 200, ""},
		{svc.API(), "GET", "/health", "", "", 200, `"version":"v9"`},
		{svc.API(), "POST", "/v1/tokens", secret.Reveal(), `{}`, 200, "slt_"},
		{svc.API(), "GET", "/public/v1/flags/evaluate?clientId=shop&key=k", "", "", 200, ""},
		{svc.Tracking(), "POST", "/track", secret.Reveal(), `{"name":"paid","websiteId":"shop"}`, 200, "success"},
		{svc.Tracking(), "POST", "/identify", secret.Reveal(), `{"websiteId":"shop","profileId":"u"}`, 200, ""},
	} {
		if status, body := send(t, row.handler, row.method, row.path, row.credential, row.body); status != row.status ||
			!strings.Contains(body, row.holds) {
			t.Errorf("%s %s: status %d, %s; want %d and %q", row.method, row.path, status, body, row.status, row.holds)
		}
	}
	if events.written != 1 {
		t.Errorf("%d rows were written, want 1", events.written)
	}
	if err := svc.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	uses, err := m.Audit().Find(t.Context(), audit.Query{Key: "panel"})
	if err != nil || len(uses.Records) == 0 {
		t.Errorf("the audit trail has no use of the key: %v", err)
	}
}

// A changed key takes effect at once, although keys are cached.
func TestChangedKeysTakeEffectAtOnce(t *testing.T) {
	m, secret := records(t)
	bus := &recorder{}
	svc := open(t, sightline.Config{Events: &rows{}, Records: m, Bus: bus})
	for _, want := range []int{200, 401} {
		if status, body := send(t, svc.API(), "GET", "/v1/query/websites", secret.Reveal(), ""); status != want {
			t.Errorf("status %d, want %d: %s", status, want, body)
		}
		if err := m.RevokeKey(t.Context(), "panel", nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := svc.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(bus.calls, " "); got != "keys flags changed:panel changed:panel" {
		t.Errorf("calls of the bus: %s", got)
	}
}

// A recorder is a bus that records its calls.
type recorder struct{ calls []string }

func (r *recorder) KeyChanged(_ context.Context, id string) { r.calls = append(r.calls, "changed:"+id) }

func (r *recorder) FlagsChanged(context.Context, flags.Client) {}

func (r *recorder) NotifyKeys(auth.Invalidator) { r.calls = append(r.calls, "keys") }

func (r *recorder) NotifyFlags(flags.Invalidator) { r.calls = append(r.calls, "flags") }

// A host can replace all parts of the records.
func TestHostPartsReplaceTheRecords(t *testing.T) {
	sites := &store.MemoryDirectory{}
	if err := sites.AddWebsite(store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"}); err != nil {
		t.Fatal(err)
	}
	secret, err := auth.NewSecret(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	p := pepper(t)
	svc := open(t, sightline.Config{
		Events: struct{ store.Store }{&rows{}}, Directory: sites, Pepper: p, Audit: auth.Discard,
		Limiter: auth.Unlimited,
		Keys:    hostKeys{secret.Digest(p): {ID: "panel", Owner: "acme", All: true, Scopes: auth.Scopes()}},
		Salts:   salts{},
	})
	if status, body := send(t, svc.API(), "GET", "/v1/query/websites", secret.Reveal(), ""); status != 200 ||
		!strings.Contains(body, "shop") {
		t.Errorf("status %d, %s", status, body)
	}
	goal := `{"kind":"goal","name":"Signup","body":{"event":"signup"}}`
	if status, body := send(t, svc.API(), "POST", "/v1/websites/shop/definitions", secret.Reveal(),
		goal); status != 200 {
		t.Errorf("the directory does not save a goal: status %d, %s", status, body)
	}
	if status, _ := send(t, svc.Tracking(), "POST", "/track", secret.Reveal(), `{}`); status != 404 {
		t.Errorf("tracking without a writer answers %d, want 404", status)
	}
}

// hostKeys is a host's own key store.
type hostKeys map[auth.Digest]auth.Key

func (k hostKeys) KeyByDigest(_ context.Context, d auth.Digest) (*auth.Key, error) {
	key, ok := k[d]
	if !ok {
		return nil, auth.ErrNotFound
	}
	return &key, nil
}

// salts has the same salt for every day.
type salts struct{}

func (salts) Salt(context.Context, time.Time) ([]byte, error) { return make([]byte, 32), nil }

// A wrapper that loses abilities is reported by their names.
func TestLostAbilitiesAreReported(t *testing.T) {
	m, _ := records(t)
	inner := struct{ store.Store }{struct{ store.Store }{&rows{}}}
	for _, row := range []struct {
		name      string
		events    store.Store
		want, not []string
	}{
		{"the store itself", &rows{}, nil, []string{"level=WARN"}},
		{"a wrapper", struct{ store.Store }{&rows{}},
			[]string{"part=Config.Events", "ability=store.Writer", "ability=store.Maintainer"},
			[]string{"ability=store.Deriver"}},
		{"a wrapper of a wrapper", &inner, []string{"ability=store.Writer"}, nil},
		{"a wrapper that keeps an ability", keeping{&rows{}, &rows{}}, []string{"ability=store.Maintainer"},
			[]string{"ability=store.Writer"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log bytes.Buffer
			open(t, sightline.Config{Events: row.events, Records: m, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			for _, want := range row.want {
				if !strings.Contains(log.String(), want) {
					t.Errorf("no %q in the log:\n%s", want, log.String())
				}
			}
			for _, not := range row.not {
				if strings.Contains(log.String(), not) {
					t.Errorf("%q in the log:\n%s", not, log.String())
				}
			}
		})
	}
}

type keeping struct {
	store.Store
	writer store.Writer
}

func (k keeping) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	return k.writer.Write(ctx, b)
}

// Run works until its context ends or the service is closed, and cannot run twice.
func TestRunEndsWithTheService(t *testing.T) {
	m, _ := records(t)
	svc := open(t, sightline.Config{Events: &rows{}, Records: m})
	ended := make(chan error, 2)
	ctx, cancel := context.WithCancel(t.Context())
	for range 2 {
		go func() { ended <- svc.Run(ctx) }()
	}
	if err := <-ended; !errors.Is(err, sightline.ErrRunning) {
		t.Errorf("the second of two calls of Run returns %v, want ErrRunning", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run returns %v when its context ends", err)
	}
	go func() { ended <- svc.Run(context.Background()) }()
	if err := svc.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil && !errors.Is(err, sightline.ErrClosed) { // Run may start before Close or after it
		t.Errorf("Run returns %v when the service is closed", err)
	}
	if err := svc.Run(t.Context()); !errors.Is(err, sightline.ErrClosed) {
		t.Errorf("Run returns %v after Close, want ErrClosed", err)
	}
}
