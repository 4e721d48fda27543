//go:build cgo

package doctor

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"github.com/sightline-analytics/sightline/internal/program/backup"
	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/embedded"
)

var quiet = slog.New(slog.DiscardHandler)

// noon is the time of the installations, on the day after their events.
var noon = time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)

// folder returns a data folder with sealed events of yesterday, and with a backup in its own folder.
func folder(t *testing.T) Config {
	t.Helper()
	ctx := t.Context()
	cfg := Config{Data: t.TempDir(), BackupTo: t.TempDir(), Every: 24 * time.Hour, Days: 3,
		Now: func() time.Time { return noon }, GeoIP: placesFile(t, noon.AddDate(0, 0, -20)), HasProxy: true}
	if err := os.Chmod(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	pepper, err := install.Pepper(ctx, cfg.Data, "", "", quiet, cfg.Now)
	if err != nil {
		t.Fatal(err)
	}
	events, err := install.OpenFile(ctx, cfg.Data, embedded.Config{Now: cfg.Now})
	if err != nil {
		t.Fatal(err)
	}
	b := store.Batch{Events: []store.Event{
		{Website: "w", ID: "1", Kind: store.Pageview, Name: "screen_view", Path: "/", Time: noon.AddDate(0, 0, -1),
			Identity: store.Identity{AnonymousID: "a", SessionID: "s"}},
		{Website: "w", ID: "2", Kind: store.Pageview, Name: "screen_view", Path: "/", Time: noon.Add(-time.Hour),
			Identity: store.Identity{AnonymousID: "a", SessionID: "t"}},
	}}
	if _, err := events.Write(ctx, &b); err != nil {
		t.Fatal(err)
	}
	engine, err := query.New(query.Config{Store: events, Now: cfg.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := query.NewSealer(engine).Finish(ctx); err != nil {
		t.Fatal(err)
	}
	records, err := install.OpenRecords(ctx, cfg.Data, "", pepper, quiet, cfg.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := records.CreateWebsite(ctx, store.Website{ID: "w", Owner: install.Owner,
		Domain: "w.example"}); err != nil {
		t.Fatal(err)
	}
	source := backup.Source{Folder: cfg.Data, Events: events, Records: records, Now: cfg.Now}
	if _, err := source.Create(ctx, cfg.BackupTo); err != nil {
		t.Fatal(err)
	}
	for _, closer := range []func(context.Context) error{engine.Close, records.Close, events.Close} {
		if err := closer(ctx); err != nil {
			t.Fatal(err)
		}
	}
	settle(t, cfg)
	return cfg
}

// settle makes the files private, and of noon.
func settle(t *testing.T, cfg Config) {
	t.Helper()
	for _, name := range []string{install.EventsFile, install.RecordsFile, install.PepperFile} {
		path := filepath.Join(cfg.Data, name)
		if err := errors.Join(os.Chmod(path, 0o600), os.Chtimes(path, noon, noon)); err != nil {
			t.Fatal(err)
		}
	}
}

// placesFile returns a GeoIP file that was built at a time.
func placesFile(t *testing.T, built time.Time) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "GeoLite2-Country", IncludeReservedNetworks: true,
		BuildEpoch: built.Unix()})
	if err != nil {
		t.Fatal(err)
	}
	_, network, err := net.ParseCIDR("203.0.113.0/24")
	if err == nil {
		err = tree.Insert(network, mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String("FR")}})
	}
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	if _, err := tree.WriteTo(&content); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "places.mmdb")
	if err := os.WriteFile(path, content.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// copied returns a copy of the folders of cfg.
func copied(t *testing.T, cfg Config) Config {
	t.Helper()
	from := cfg
	cfg.Data, cfg.BackupTo = filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backups")
	if err := errors.Join(os.CopyFS(cfg.Data, os.DirFS(from.Data)), os.CopyFS(cfg.BackupTo, os.DirFS(from.BackupTo)),
		os.Chmod(cfg.Data, 0o700)); err != nil {
		t.Fatal(err)
	}
	settle(t, cfg)
	return cfg
}

// has reports whether the findings have one of a level and a check with a text, and whether it says what to do.
func has(all []Finding, level Level, check, text string) bool {
	for _, f := range all {
		if f.Level == level && f.Check == check && strings.Contains(f.Text, text) && (level == OK || f.Do != "") {
			return true
		}
	}
	return false
}

// worst returns the findings that are not ok, apart from those about the free space of the test's machine.
func worst(all []Finding) (found []Finding) {
	for _, f := range all {
		if f.Level != OK && f.Check != "disk" {
			found = append(found, f)
		}
	}
	return found
}

// A sound installation has no warnings, without a server and with one.
func TestSound(t *testing.T) {
	t.Parallel()
	cfg := folder(t)
	found := Check(t.Context(), cfg)
	if bad := worst(found); len(bad) > 0 {
		t.Errorf("without a server: %+v", bad)
	}
	for _, check := range []string{"folder", "files", "server", "records", "backups", "events", "clock", "sealing"} {
		if !has(found, OK, check, "") {
			t.Errorf("there is no finding about %s: %+v", check, found)
		}
	}
	if !has(found, OK, "sealing", "(6 compared") {
		t.Errorf("no sealed day was compared: %+v", found)
	}
	serve(t, cfg, &backup.Schedule{Source: backup.Source{Now: cfg.Now}, To: cfg.BackupTo, Every: time.Hour})
	cfg.BackupTo = "" // the server knows it
	found = Check(t.Context(), cfg)
	if bad := worst(found); len(bad) > 0 {
		t.Errorf("with a server: %+v", bad)
	}
	if !has(found, OK, "server", "a server runs") || !has(found, OK, "sealing", "(6 compared") ||
		!has(found, OK, "backups", "newest of 1") {
		t.Errorf("with a server: %+v", found)
	}
}

// serve opens the events and serves their control socket.
func serve(t *testing.T, cfg Config, backups *backup.Schedule) {
	t.Helper()
	events, err := install.OpenFile(t.Context(), cfg.Data, embedded.Config{Now: cfg.Now})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := query.New(query.Config{Store: events, Now: cfg.Now})
	if err != nil {
		t.Fatal(err)
	}
	l, err := control.Listen(t.Context(), filepath.Join(cfg.Data, install.SocketFile))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: control.Handler(events, engine, backups), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		_ = engine.Close(context.Background())
		_ = events.Close(context.Background())
	})
}

// damage changes bytes of a file in the data folder.
func damage(t *testing.T, cfg *Config, name string, at int64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(cfg.Data, name), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("damage"), at); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(cfg.Data, name), noon, noon); err != nil {
		t.Fatal(err)
	}
}

// execute runs statements on a database of the data folder.
func execute(t *testing.T, cfg *Config, driver, name, text string) {
	t.Helper()
	db, err := sql.Open(driver, filepath.Join(cfg.Data, name))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), text)
	if closeErr := db.Close(); err != nil || closeErr != nil {
		t.Fatal(err, closeErr)
	}
	if err := os.Chtimes(filepath.Join(cfg.Data, name), noon, noon); err != nil {
		t.Fatal(err)
	}
}

// Each row breaks an installation in one way, and says what the finding tells an operator to do.
func TestFindings(t *testing.T) {
	t.Parallel()
	sound := folder(t)
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	remove := func(name string) func(*testing.T, *Config) {
		return func(t *testing.T, cfg *Config) { must(t, os.Remove(filepath.Join(cfg.Data, name))) }
	}
	rename := func(from, to string) func(*testing.T, *Config) {
		return func(t *testing.T, cfg *Config) {
			must(t, os.Rename(filepath.Join(cfg.Data, from), filepath.Join(cfg.Data, to)))
		}
	}
	write := func(name, text string) func(*testing.T, *Config) {
		return func(t *testing.T, cfg *Config) {
			must(t, os.WriteFile(filepath.Join(cfg.Data, name), []byte(text), 0o600))
		}
	}
	mode := func(name string, bits os.FileMode) func(*testing.T, *Config) {
		return func(t *testing.T, cfg *Config) { must(t, os.Chmod(filepath.Join(cfg.Data, name), bits)) }
	}
	set := func(change func(*Config)) func(*testing.T, *Config) {
		return func(_ *testing.T, cfg *Config) { change(cfg) }
	}
	at := func(moment time.Time) func(*testing.T, *Config) {
		return set(func(cfg *Config) { cfg.Now = func() time.Time { return moment } })
	}
	for _, c := range []struct {
		name    string
		provoke func(t *testing.T, cfg *Config)
		level   Level
		check   string
		text    string
		do      string
	}{
		{"no folder", set(func(cfg *Config) { cfg.Data += "/none" }), Problem, "folder", "does not exist", "--data"},
		{"a folder that others may read", mode(".", 0o755), Warning, "folder", "mode 0755", "chmod 0700 "},
		{"a half restored folder", write(install.RestoreFile, ""), Problem, "folder", "is not finished",
			"run restore again"},
		{"no events", remove(install.EventsFile), Problem, "files", "is missing", "restore"},
		{"events of a build without cgo", rename(install.EventsFile, "analytics.sqlite"), Problem, "files",
			"the events are in analytics.sqlite", "sightline copy --to duckdb --data "},
		{"a log without events", rename(install.EventsFile, install.EventsFile+".wal"), Problem, "files",
			"exists without", "put the file back"},
		{"a large log", func(t *testing.T, cfg *Config) {
			log := filepath.Join(cfg.Data, install.EventsFile+".wal")
			must(t, os.WriteFile(log, nil, 0o600))
			must(t, os.Truncate(log, largeLog+1))
		}, Warning, "files", "could not be moved", "free disk space"},
		{"a copy of a damaged log", write(install.EventsFile+".wal.20261101T000000Z", ""), Warning, "files",
			"was damaged once", "docs/operations.md#damage"},
		{"no records", remove(install.RecordsFile), Problem, "files", "meta.sqlite is missing", "from a backup"},
		{"no pepper", remove(install.PepperFile), Problem, "files", "pepper is missing", "--pepper-file"},
		{"another pepper", write(install.PepperFile, strings.Repeat("ab", 32)), Problem, "records",
			"not the pepper of the records", "--pepper-file"},
		{"a pepper elsewhere that does not exist", set(func(cfg *Config) { cfg.PepperFile = "/none/pepper" }), Problem,
			"files", "/none/pepper", "--pepper-file"},
		{"a folder in place of the records", func(t *testing.T, cfg *Config) {
			must(t, os.Remove(filepath.Join(cfg.Data, install.RecordsFile)))
			must(t, os.Mkdir(filepath.Join(cfg.Data, install.RecordsFile), 0o700))
		}, Problem, "files", "is not a file", "from a backup"},
		{"a file that others may read", mode(install.EventsFile, 0o644), Warning, "files", "mode 0644", "chmod 0600 "},
		{"damaged events", func(t *testing.T, cfg *Config) { damage(t, cfg, install.EventsFile, 40_000) }, Problem,
			"events", "are damaged", "docs/operations.md#damage"},
		{"newer tables of events", func(t *testing.T, cfg *Config) {
			execute(t, cfg, "duckdb", install.EventsFile, "UPDATE schema_version SET version = 1000")
		}, Problem, "events", "newer program", "use the newer program"},
		{"events that another process has opened", func(t *testing.T, cfg *Config) {
			s, err := embedded.Open(t.Context(), embedded.Config{Folder: cfg.Data})
			must(t, err)
			t.Cleanup(func() { _ = s.Close(context.Background()) })
		}, Problem, "events", "another process has opened", "fuser "},
		{"damaged records", func(t *testing.T, cfg *Config) { damage(t, cfg, install.RecordsFile, 0) }, Problem,
			"records", "are damaged", "restore a backup"},
		{"newer tables of records", func(t *testing.T, cfg *Config) {
			execute(t, cfg, "sqlite", install.RecordsFile,
				"INSERT INTO sightline_meta_version(version_id, is_applied) VALUES (1000, 1)")
		}, Problem, "records", "newer program", "use the newer program"},
		{"PostgreSQL that does not answer",
			set(func(cfg *Config) { cfg.Meta = "postgres://127.0.0.1:1/x?connect_timeout=1" }), Problem, "records",
			"PostgreSQL cannot be read", "check the address"},
		{"Redis that does not answer", set(func(cfg *Config) { cfg.Redis = "redis://127.0.0.1:1" }), Problem, "redis",
			"does not answer", "check"},
		{"ClickHouse that does not answer", set(func(cfg *Config) {
			cfg.ClickHouse = clickhouse.Config{DSN: "clickhouse://127.0.0.1:1/x"}
		}), Problem, "clickhouse", "cannot be used", "check the address"},
		{"no file with places", set(func(cfg *Config) { cfg.GeoIP = "" }), Warning, "geoip", "countries are empty",
			"serve with --geoip FILE"},
		{"a file with places that does not exist", set(func(cfg *Config) { cfg.GeoIP = "/none/places.mmdb" }), Problem,
			"geoip", "/none/places.mmdb does not exist", "serve with --geoip FILE"},
		{"a file with places that is none", func(_ *testing.T, cfg *Config) {
			cfg.GeoIP = filepath.Join(cfg.Data, install.PepperFile)
		}, Problem, "geoip", "cannot be used", "serve with --geoip FILE"},
		{"an old file with places", func(t *testing.T, cfg *Config) {
			cfg.GeoIP = placesFile(t, noon.AddDate(0, 0, -61))
		}, Warning, "geoip", "is of " + noon.AddDate(0, 0, -61).Format(time.DateOnly), "newer one"},
		{"no proxy", set(func(cfg *Config) { cfg.HasProxy = false }), Warning, "proxy", "no proxy is named",
			"serve with --trusted-proxy ADDRESS"},
		{"a clock that was set back", at(noon.Add(-2 * time.Hour)), Problem, "clock", "was written 2h0m0s after",
			"NTP"},
		{"events of the future", at(noon.Add(-2 * time.Hour)), Warning, "clock", "is 1h0m0s after", "clock"},
		{"stored results that are wrong", func(t *testing.T, cfg *Config) {
			execute(t, cfg, "duckdb", install.EventsFile, "DELETE FROM sealed_sessions")
		}, Problem, "sealing", "differ from its events on 2 days", "derived rebuild --website w"},
		{"no regular backups", set(func(cfg *Config) { cfg.BackupTo = "" }), Warning, "backups", "no regular backups",
			"--backup-to"},
		{"no backup", func(t *testing.T, cfg *Config) { cfg.BackupTo = t.TempDir() }, Problem, "backups",
			"no complete backup", "run backup "},
		{"an old backup", at(noon.Add(25*time.Hour + time.Minute)), Problem, "backups", "is 25h1m0s old",
			"run backup "},
		{"an incomplete backup", func(t *testing.T, cfg *Config) {
			must(t, os.Mkdir(filepath.Join(cfg.BackupTo, "sightline-20261101T000000Z.partial"), 0o700))
		}, Warning, "backups", "1 incomplete", "the next backup"},
		{"a backup without a file", func(t *testing.T, cfg *Config) {
			files, err := filepath.Glob(filepath.Join(cfg.BackupTo, "*", install.RecordsFile))
			must(t, err)
			must(t, os.Remove(files[0]))
		}, Problem, "backups", "meta.sqlite is missing", "run backup "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := copied(t, sound)
			c.provoke(t, &cfg)
			found := Check(t.Context(), cfg)
			if !slices.ContainsFunc(found, func(f Finding) bool {
				return f.Level == c.level && f.Check == c.check && strings.Contains(f.Text, c.text) &&
					strings.Contains(f.Do, c.do)
			}) {
				t.Errorf("there is no %s about %s with %q and %q: %+v", c.level, c.check, c.text, c.do, worst(found))
			}
		})
	}
}

// The level of a difference of clocks depends on its size. The time that a server takes to answer does not count.
func TestSkew(t *testing.T) {
	for skew, want := range map[time.Duration]Level{0: OK, time.Second: OK, -3 * time.Second: Warning,
		3 * time.Second: Warning, -2 * time.Minute: Problem, time.Hour: Problem} {
		d := &doctor{Config: Config{Now: func() time.Time { return noon.Add(30 * time.Second) }}}
		at := noon // asked 30 s before the answer
		if skew > 0 {
			at = noon.Add(30 * time.Second)
		}
		d.checkSkew("X", at.Add(skew), noon)
		if got := d.findings[0]; got.Level != want {
			t.Errorf("a difference of %v: %+v, want %s", skew, got, want)
		}
	}
	d := &doctor{Config: Config{Now: func() time.Time { return noon.Add(30 * time.Second) }}}
	if d.checkSkew("X", noon.Add(15*time.Second), noon); d.findings[0].Level != OK {
		t.Errorf("a clock between question and answer: %+v", d.findings)
	}
}

// The servers of the tests answer, and use the clock of this machine.
func TestEngines(t *testing.T) {
	cfg := folder(t)
	cfg.Now = time.Now
	cfg.Redis = testenv.Address(t, "REDIS_DSN")
	if found := Check(t.Context(), cfg); !has(found, OK, "redis", "answers") ||
		!has(found, OK, "clock", "Redis differ") {
		t.Errorf("findings: %+v", found)
	}
}
