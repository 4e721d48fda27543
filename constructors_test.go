package sightline_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
	"github.com/sightline-analytics/sightline/client"
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/internal/directorycache"
	"github.com/sightline-analytics/sightline/internal/keycache"
	"github.com/sightline-analytics/sightline/mcp"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/notify/mail"
	"github.com/sightline-analytics/sightline/panel"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/redisbus"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/store/sqlite"
	"github.com/sightline-analytics/sightline/track"
)

// A refusal is a configuration with mistakes.
type refusal struct {
	of   string // the constructor, as package.Function
	new  func(context.Context) error
	want string // parts of the mistakes, in their order, with | between them
}

// made returns the function of a refusal, and checks that nothing is made if there is an error.
func made[C any, V comparable](construct func(C) (V, error), cfg C) func(context.Context) error {
	return func(context.Context) error { return alone(construct(cfg)) }
}

// opened is made for a constructor with a context.
func opened[C any, V comparable](construct func(context.Context, C) (V, error), cfg C) func(context.Context) error {
	return func(ctx context.Context) error { return alone(construct(ctx, cfg)) }
}

var errBoth = errors.New("there is a value beside the error")

func alone[V comparable](v V, err error) error {
	if none := *new(V); v != none {
		err = errors.Join(err, errBoth)
	}
	return err
}

// refusals has a row for every check of a constructor, alone or with others: mistakes are reported together.
func refusals(t *testing.T) []refusal {
	t.Helper()
	local, err := ratelimit.New(ratelimit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const url = "https://stats.example"
	connected, err1 := client.New(client.Config{URL: url, TrackURL: url})
	unconnected, err2 := client.New(client.Config{URL: url})
	after, err3 := exporter.ParseCursor("visits:1:a")
	events, err4 := sqlite.Open(t.Context(), ":memory:")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = events.Close(context.Background()) }) // the test is over
	tracker := func(c *client.Client, cfg client.TrackerConfig) func(context.Context) error {
		return made(func(cfg client.TrackerConfig) (*client.Tracker, error) { return client.NewTracker(c, cfg) }, cfg)
	}
	imported := func(cfg importer.Config) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := importer.Run(ctx, cfg, nil)
			return err
		}
	}
	p, site := pepper(t), store.Subject{Kind: store.KindWebsite, ID: "shop"}
	kept, at := &audit.Memory{}, time.Unix(1e9, 0)
	sites, defined := &store.MemoryDirectory{}, &flags.Memory{}
	server := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"}) // never asked
	t.Cleanup(func() { _ = server.Close() })                       // the test is over
	return []refusal{
		{"sightline.New", made(sightline.New, sightline.Config{}),
			"Config.Events is required | Config.Records is required, or Config.Directory" +
				" | or Config.Keys or Config.Auth | or Config.Salts | Config.Audit is required" +
				" | Config.Pepper is required"},
		{"sightline.New", made(sightline.New, sightline.Config{
			Events: (*rows)(nil), Records: (*meta.Store)(nil), Audit: auth.Discard, Auth: nobody{},
		}), "Config.Events is required | or Config.Directory | or Config.Salts"},
		{"sightline.New", made(sightline.New, sightline.Config{
			Events: (*rows)(nil), Directory: sites, Audit: auth.Discard, Auth: nobody{},
			Query: query.EngineOptions{Timeout: -1}, API: httpapi.Options{MaxBody: -1, CORSOrigins: []string{"*"}},
			Track: track.Options{MaxBody: -2},
		}),
			"Config.Events is required | or Config.Salts | query: Config.Timeout | httpapi: Config.MaxBody" +
				" | httpapi: Config.CORSOrigins | track: Config.MaxBody"},

		{"notify.New", made(notify.New, notify.Config{Options: notify.Options{URL: "x", Panel: "ftp://x"}}),
			"Config.Store | Config.Engine | Config.Directory | Config.URL | Config.Panel"},
		{"notify/mail.New", made(mail.New, mail.Config{}), "Config.From | Config.Server"},
		{"notify/mail.New", made(mail.New, mail.Config{From: "a@b.example", Server: "smtp+plain://u:p@h:0"}),
			"Config.Server must not send a password | Config.Server has an impossible port"},

		{"auth.New", made(auth.New, auth.Config{}), "Config.Store | pepper"},
		{"auth.New", made(auth.New, auth.Config{Prefix: "a_b"}), "Config.Store | pepper | prefix"},
		{"auth.NewMemory", made(auth.NewMemory, auth.MemoryConfig{}), "pepper"},
		{"auth.NewTokens", made(auth.NewTokens, auth.TokensConfig{Prefix: "a_b"}), "pepper | prefix"},
		{"auth/audit.New", opened(audit.New, audit.Config{Options: audit.Options{Buffer: -1}}),
			"Config.Log | pepper | Buffer (-1)"},
		{"auth/audit.New", opened(audit.New, audit.Config{Log: kept, Pepper: p,
			Options: audit.Options{Every: -1}}), "Every (-1ns)"},
		{"auth/audit.New", opened(audit.New, audit.Config{Log: kept, Pepper: p,
			Options: audit.Options{Retention: -1}}), "Retention (-1ns)"},
		{"auth/audit.New", opened(audit.New, audit.Config{Log: kept, Pepper: p,
			Options: audit.Options{WarnSize: -1}}), "WarnSize (-1)"},
		{"auth/audit.New", opened(audit.New, audit.Config{Log: plainLog{kept}, Pepper: p,
			Options: audit.Options{Retention: 1, WarnSize: 1}}),
			"cannot be removed | cannot report its size"},
		{"internal/keycache.New", made(keycache.New, keycache.Config{TTL: -1, Keys: -2}),
			"Config.Store | TTL must | Keys (-2)"},
		{"internal/keycache.New", made(keycache.New, keycache.Config{TTL: time.Second + 1, Unknown: -3}),
			"Config.Store | TTL must | Unknown (-3)"},
		{"auth/ratelimit.New", made(ratelimit.New, ratelimit.Config{
			Limits: map[auth.Class]int{"a": 0, "b": -1}, Factor: -1, InFlight: -1, Size: -1,
		}), `class "a" | class "b" | Factor | InFlight | Size`},
		{"auth/ratelimit.New", made(ratelimit.New, ratelimit.Config{Factor: math.NaN()}), "Factor"},
		{"auth/ratelimit.New", made(ratelimit.New, ratelimit.Config{Factor: math.Inf(1)}), "Factor"},
		{"auth/ratelimit/redislimit.New", made(redislimit.New, redislimit.Config{Timeout: -1}),
			"Config.Client | Config.Local | Config.Timeout (-1ns)"},
		{"auth/ratelimit/redislimit.New", made(redislimit.New,
			redislimit.Config{Client: server, Local: local, Probe: -1}),
			"Config.Probe (-1ns)"},
		{"memory.New", made(memory.New, memory.Config{Bodies: -1, Answers: -2}), "Config.Bodies (-1) and Config.Answers (-2)"},
		{"redisbus.New", made(redisbus.New, redisbus.Config{Timeout: -1}), "Client is required | Timeout must"},

		{"client.New", made(client.New, client.Config{Timeout: -1}), "URL must | Timeout"},
		{"client.New", made(client.New, client.Config{URL: "stats.example"}), "URL must"},
		{"client.New", made(client.New, client.Config{URL: "ftp://stats.example"}), "URL must"},
		{"client.New", made(client.New, client.Config{URL: url + "?a=b"}), "URL must"},
		{"client.New", made(client.New, client.Config{URL: url + "#a"}), "URL must"},
		{"client.New", made(client.New, client.Config{URL: url, TrackURL: "/ingest", MaxWait: -1}),
			"TrackURL must | MaxWait"},
		{"client.NewTracker", tracker(unconnected, client.TrackerConfig{Queue: -1}),
			"TrackURL is required | Website is required | Queue"},
		{"client.NewTracker", tracker(connected, client.TrackerConfig{Website: "shop", Interval: -1}), "Interval"},

		{"erasure.New", made(erasure.New, erasure.Config{}), "Config.Events"},
		{"exporter.New", opened(exporter.New, exporter.Config{From: at, To: at, Rows: -1}),
			"Source is required | Subject must | To must be after From | Rows must not be negative: -1"},
		{"exporter.New", opened(exporter.New, exporter.Config{Source: events, Subject: store.Subject{ID: "a"}}),
			"Subject must"},
		{"exporter.New", opened(exporter.New, exporter.Config{Source: events, Subject: site, Table: "visits"}),
			`Table must be one of ["events"`},
		{"exporter.New", opened(exporter.New, exporter.Config{Source: events, Subject: site, After: after}),
			"After is a position in a table"},
		{"importer.Run", imported(importer.Config{
			Rows: -1, Format: "x", Map: map[string]string{"path": "p", "url": ""},
		}),
			`Config.Target | Config.Website.ID | Config.Pepper | Config.Rows | unknown format "x"` +
				` | unknown field "path" | url has no column`},

		{"flags.New", made(flags.New, flags.Config{Every: -1}), "Store is required | Every must"},
		{"flags.NewEvaluator", made(flags.NewEvaluator, flags.EvaluatorConfig{Every: -1, Timeout: -2}),
			"Store is required | Every must | Timeout (-2ns)"},
		{"flags.NewEvaluator", made(flags.NewEvaluator,
			flags.EvaluatorConfig{Store: defined, Every: time.Minute, Clients: -3}),
			"Every must | Clients (-3)"},
		{"flags.NewEditor", made(flags.NewEditor, flags.EditorConfig{}), "EditorConfig.Store"},
		{"flags.NewEditor", made(flags.NewEditor, flags.EditorConfig{Store: defined, Notify: []flags.Invalidator{nil}}),
			"members of Notify"},

		{"httpapi.New", made(httpapi.New, httpapi.Config{
			Options: httpapi.Options{MaxBody: -1, MaxBatch: -1, Timeout: -1,
				CORSOrigins: []string{"*", "https://a.example/", "https://ok.example"}},
		}),
			`Config.Engine | Config.Directory | Config.Auth | Config.Limiter | Config.Audit | Config.MaxBody` +
				` | Config.MaxBatch | Config.Timeout | Config.CORSOrigins: "*" | "https://a.example/"`},
		{"mcp.New", made(mcp.New, mcp.Config{Rows: -1}), "Config.API | Config.Rows"},
		{"mcp.New", made(mcp.New, mcp.Config{API: http.NotFoundHandler(), Rows: 1001}), "Config.Rows"},
		{"panel.New", made(panel.New, panel.Config{API: "https://other.example"}), "API must"},
		{"panel.New", made(panel.New, panel.Config{API: "//other.example"}), "API must"},
		{"panel.New", made(panel.New, panel.Config{API: "/api/"}), "API must"},
		{"panel.New", made(panel.New, panel.Config{API: "api"}), "API must"},
		{"panel.New", made(panel.New, panel.Config{API: `/\other.example`}), "API must"},
		{"query.New", made(query.New, query.Config{EngineOptions: query.EngineOptions{Timeout: -1}}),
			"Config.Store | Config.Timeout"},
		{"query.New", made(query.New, query.Config{Store: &rows{},
			EngineOptions: query.EngineOptions{Parallel: -1}}), "Config.Parallel"},
		{"query.New", made(query.New, query.Config{Store: &rows{},
			EngineOptions: query.EngineOptions{MaxAnswer: -1}}), "Config.MaxAnswer"},

		{"store/clickhouse.Open", opened(clickhouse.Open, clickhouse.Config{
			Retention: -time.Hour, MaxExecutionTime: -1, MaxMemory: -1, MaxRowsToRead: -1, Buffer: -1, WriteTimeout: -1,
		}),
			"Retention must not | MaxExecutionTime must | MaxMemory must | MaxRowsToRead must | Buffer must" +
				" | WriteTimeout must | whole number of days | DSN is required"},
		{"store/clickhouse.New", made(connectedTo(nil), clickhouse.Config{Retention: 20_000 * 24 * time.Hour}),
			"at most 14000 days"},
		{"internal/directorycache.New", made(directorycache.New, directorycache.Config{TTL: -1, Size: -1}),
			"Config.Directory | Config.TTL | Config.Size"},
		{"internal/directorycache.New", made(directorycache.New,
			directorycache.Config{Directory: sites, TTL: time.Second + 1}),
			"Config.TTL"},
		{"store/meta.Copy", func(ctx context.Context) error {
			_, err := meta.Copy(ctx, meta.CopyConfig{})
			return err
		}, "From.Path and To.DSN"},
		{"store/meta.Open", opened(meta.Open, meta.Config{Prefix: "a_b", Wait: -1, Timeout: -1}),
			"Path | Wait must | Timeout must | prefix"},
		{"store/meta.Open", opened(meta.Open, meta.Config{Path: "x", DSN: "postgres://localhost/x"}), "Path"},
		{"store/meta.Open", opened(meta.Open, meta.Config{DSN: "postgres://u:hunter2hunter2@host:port/x"}), "DSN"},
		{"store/meta.Open",
			opened(meta.Open, meta.Config{DSN: "postgres://localhost/x", Wait: time.Second, Timeout: time.Millisecond}),
			"Timeout must be at least Wait (1s)"},
		{"store/sqlite.OpenConfig", opened(sqlite.OpenConfig, sqlite.Config{MaxReaders: -1}), "MaxReaders"},
		{"store/sqlite.OpenConfig", opened(sqlite.OpenConfig, sqlite.Config{CacheBytes: -1}), "CacheBytes"},
		{"track.New", made(track.New, track.Config{Options: track.Options{MaxBody: -1, CountryHeader: "CF-IPCountry"}}),
			"Config.Writer | Config.Directory | Config.Auth | Config.Limiter | Config.Audit | Config.Salts" +
				" | Config.Usage | Config.Proxies | Config.MaxBody"},
		{"track.NewFileSalts", made(track.NewFileSalts, track.FileSaltsConfig{}), "FileSaltsConfig.Folder"},
	}
}

// connectedTo returns clickhouse.New for a connection.
func connectedTo(conn driver.Conn) func(clickhouse.Config) (*clickhouse.Store, error) {
	return func(cfg clickhouse.Config) (*clickhouse.Store, error) { return clickhouse.New(conn, cfg) }
}

// plainLog is a log that neither removes entries nor reports its size.
type plainLog struct{ audit.Log }

// TestConstructorsReportEveryMistake holds for all packages that a constructor makes nothing of a wrong configuration,
// and that its error has each mistake once, on a line of its own, and no other.
func TestConstructorsReportEveryMistake(t *testing.T) {
	for _, row := range refusals(t) {
		err := row.new(t.Context())
		if err == nil || errors.Is(err, errBoth) {
			t.Errorf("%s: %v", row.of, err)
			continue
		}
		told, want := strings.Split(err.Error(), "\n"), strings.Split(row.want, " | ")
		if !slices.EqualFunc(told, want, strings.Contains) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %q, want a line each with %q", row.of, told, want)
		}
		each := []error{err}
		if joined := (interface{ Unwrap() []error })(nil); errors.As(err, &joined) {
			each = joined.Unwrap()
		}
		for _, err := range each {
			if is := typed[row.of]; is != nil && !errors.Is(err, is) {
				t.Errorf("%s: %v is no %v", row.of, err, is)
			}
		}
	}
}

// typed has what each mistake of a constructor wraps, if its package has a name for it.
var typed = map[string]error{
	"client.New":        client.ErrConfig,
	"client.NewTracker": client.ErrConfig,
	"panel.New":         panel.ErrAPI,
	"redisbus.New":      redisbus.ErrConfig,
}

// elsewhere has the constructors without a row, with the reason.
var elsewhere = map[string]string{
	"observe/otel.New":        "every Config is right",
	"panel.Mount":             "calls New",
	"store/duckdb.Check":      "checks a Config as Open does",
	"store/meta.Check":        "checks a Config as Open does",
	"track.Document":          "has no use for most of the Config",
	"store/duckdb.Open":       "needs cgo: TestConfigReportsEveryProblem of the package",
	"store/embedded.Open":     "needs cgo; every Config that its stores accept is right",
	"store/embedded.OpenBoth": "needs cgo; every Config that its stores accept is right",
}

// TestEveryConstructorHasRefusals finds all exported functions that take a …Config of their own package and return
// an error.
func TestEveryConstructorHasRefusals(t *testing.T) {
	found := constructors(t)
	known := map[string]bool{}
	for _, row := range refusals(t) {
		known[row.of] = true
	}
	for _, of := range found {
		if known[of] == (elsewhere[of] != "") {
			t.Errorf("%s needs either rows in refusals or a reason in elsewhere", of)
		}
	}
	for of := range elsewhere {
		if !slices.Contains(found, of) {
			t.Errorf("%s is excused and does not exist", of)
		}
	}
	if len(found) < 25 {
		t.Errorf("found only %q", found)
	}
}

func constructors(t *testing.T) (found []string) {
	t.Helper()
	module := os.DirFS(".")
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := fs.Stat(module, path.Join(name, "go.mod"))
			other := name != "." && err == nil
			if other || slices.Contains([]string{"internal", "testdata", "node_modules", "demo", ".git"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if dir == "." {
			dir = file.Name.Name
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && isConstructor(fn.Type) {
				found = append(found, dir+"."+fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func isConstructor(fn *ast.FuncType) bool {
	ident := func(e ast.Expr) string {
		id, _ := e.(*ast.Ident)
		if id == nil {
			return ""
		}
		return id.Name
	}
	if fn.Results == nil || ident(fn.Results.List[len(fn.Results.List)-1].Type) != "error" {
		return false
	}
	ofConfig := func(p *ast.Field) bool { return strings.HasSuffix(ident(p.Type), "Config") }
	return slices.ContainsFunc(fn.Params.List, ofConfig)
}
