//go:build cgo

package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/schema"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// withDataset returns an install with the events of a dataset, and without records.
func withDataset(t *testing.T) (installed, *dataset.Dataset) {
	t.Helper()
	in, w := installed{dir: t.TempDir()}, dataset.New(3)
	s, err := install.OpenFile(t.Context(), in.dir, embedded.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), &w.Batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return in, &w
}

// export runs the command and returns its stdout.
func (in installed) export(t *testing.T, code int, options ...string) (out, errs string) {
	t.Helper()
	var o, e strings.Builder
	if got := Run(t.Context(), append([]string{"export", "--data", in.dir}, options...), &o, &e); got != code {
		t.Fatalf("export %v: exit code %d, want %d: %s", options, got, code, e.String())
	}
	return o.String(), e.String()
}

// TestExport exports from the file, from a running server through its socket, and from it over HTTP. All give the same
// rows.
func TestExport(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in, _ := withDataset(t)
	file := filepath.Join(t.TempDir(), "site.ndjson")
	want, _ := in.export(t, 0, "--website", "site-1")
	if out, _ := in.export(t, 0, "--website", "site-1", file); !strings.Contains(out, file) || read(t, file) != want {
		t.Errorf("a file has other rows than standard output: %s", out)
	}
	if _, errs := in.export(t, 1, "--website", "site-1", file); !strings.Contains(errs, "exists") {
		t.Errorf("an existing file: %s", errs)
	}
	if _, errs := in.export(t, 1, "--website", "nobody"); !strings.Contains(errs, `website "nobody" has no rows`) {
		t.Errorf("an unknown website: %s", errs)
	}
	for option, table := range map[string]string{"--link=link-1": "visits", "--monitor=monitor-1": "checks"} {
		if out, _ := in.export(t, 0, option); !strings.HasPrefix(out, `{"table":"`+table+`"`) {
			t.Errorf("%s: %.80s", option, out)
		}
	}

	p := in.serve(t, "--new-records")
	if out, _ := in.export(t, 0, "--website", "site-1"); out != want {
		t.Error("the socket of the server gives other rows than its file")
	}
	in.do(t, "owners", "add", "--id", "acme")
	in.do(t, "websites", "add", "--id", "site-1", "--owner", "acme", "--name", "One", "--domain", "one.example")
	key := in.secret(t, "keys", "add", "--owner", "acme", "--all", "--scope", "export:data")
	status, body := p.get(t, "/v1/export?website_id=site-1", key)
	if got := withoutMarks(body); status != 200 || got != withoutMarks(want) ||
		!strings.HasSuffix(body, "\"complete\":true}}\n") {
		t.Errorf("HTTP: status %d, %d bytes of rows, want %d", status, len(got), len(withoutMarks(want)))
	}
	if status, body := p.get(t, "/v1/export?website_id=site-1&format=parquet&table=errors", key); status != 200 ||
		!strings.HasPrefix(body, "PAR1") || !strings.HasSuffix(body, "PAR1") {
		t.Errorf("Parquet over HTTP: status %d, %.20q", status, body)
	}
}

// TestExportOverHTTPIsImported moves a website with its profiles by an export over HTTP to another installation, whose
// own export is then the same.
func TestExportOverHTTPIsImported(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in, _ := withDataset(t)
	p := in.serve(t, "--new-records")
	other := installed{dir: t.TempDir()}
	for _, one := range []installed{in, other} {
		one.do(t, "owners", "add", "--id", "acme")
		one.do(t, "websites", "add", "--id", "site-1", "--owner", "acme", "--name", "One", "--domain", "one.example")
	}
	in.do(t, "import", "--website", "site-1", in.file(t, `{"table":"profiles","website":"site-1","profile_id":"u1",`+
		`"name":"Ada","traits":{"name":"Ada"},"keyed":true,"changed_at":"2026-11-21T10:00:00.000Z"}`+"\n"))
	want, _ := in.export(t, 0, "--website", "site-1")
	key := in.secret(t, "keys", "add", "--owner", "acme", "--all", "--scope", "export:data")
	status, body := p.get(t, "/v1/export?website_id=site-1&profiles=true", key)
	if status != 200 || !strings.Contains(body, `"name":"Ada"`) {
		t.Fatalf("status %d, %d bytes", status, len(body))
	}
	other.do(t, "import", "--website", "site-1", other.file(t, body))
	if got, _ := other.export(t, 0, "--website", "site-1"); withoutMarks(got) != withoutMarks(want) {
		t.Error("the imported rows and profiles are others than those that were exported")
	}
}

// withoutMarks returns the rows of an export, without the marks between them.
func withoutMarks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, `{"export"`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestExportContinues stops exports to a file after a piece, damages what may be damaged by a kill, and calls the
// command again.
func TestExportContinues(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in, _ := withDataset(t)
	for _, ending := range []string{".ndjson", ".csv", ".parquet", ".ndjson.gz", ".csv.gz"} {
		format := strings.Split(ending, ".")[1]
		options := []string{"--website", "site-1", "--format", format, "--table", "events"}
		whole := filepath.Join(t.TempDir(), "whole"+ending)
		in.export(t, 0, append(options, whole)...)
		file := filepath.Join(t.TempDir(), "file"+ending)
		x := exportRows{eventSource: eventSource{Data: in.dir}, Website: "site-1", Format: format, Table: "events",
			EscapeFormulas: true, Profiles: true, File: file}
		source, closeSource, err := x.open(t.Context(), environment{&bytes.Buffer{}, &bytes.Buffer{}, time.Now})
		if err != nil {
			t.Fatal(err)
		}
		stop, cancel := context.WithCancel(t.Context())
		cfg := exporter.Config{Source: &stoppedSource{source, cancel, 4}, Subject: x.subject(), Table: "events",
			Rows: 20}
		err = x.toFile(stop, environment{&bytes.Buffer{}, &bytes.Buffer{}, time.Now}, cfg)
		if err == nil || !strings.Contains(err.Error(), "the same command continues") {
			t.Fatalf("%s: %v", format, err)
		}
		if err := closeSource(context.Background()); err != nil {
			t.Fatal(err)
		}
		part, err := os.OpenFile(file+".part", os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = part.WriteString("half a li") // rows after the last saved place
		if err := errors.Join(err, part.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file + ".part.json"); (err == nil) != (format != "parquet") {
			t.Errorf("%s: the progress: %v", format, err)
		}
		if format != "parquet" {
			if _, errs := in.export(t, 1, "--website", "site-2", "--format", format, "--table", "events",
				file); !strings.Contains(errs, "belongs to another export") {
				t.Errorf("%s of another website: %s", format, errs)
			}
		}
		in.export(t, 0, append(options, file)...)
		if withoutMarks(unzipped(t, file)) != withoutMarks(unzipped(t, whole)) {
			t.Errorf("%s: the continued file is not the whole one", format)
		}
		if left, err := filepath.Glob(file + ".*"); len(left) > 0 || err != nil {
			t.Errorf("%s: left over: %v, %v", format, left, err)
		}
	}
}

// unzipped returns the content of a file without its compression.
func unzipped(t *testing.T, file string) string {
	t.Helper()
	content := read(t, file)
	if !strings.HasSuffix(file, ".gz") {
		return content
	}
	unzip, err := gzip.NewReader(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stoppedSource stops an export after some queries.
type stoppedSource struct {
	store.Store

	stop context.CancelFunc
	left int
}

func (s *stoppedSource) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if s.left--; s.left < 0 {
		s.stop()
		return nil, context.Canceled
	}
	return s.Store.Query(ctx, stmt)
}

// TestParquetOpensInDuckDB compares Parquet files of all tables with CSV files of the same rows, both read by DuckDB,
// and checks the documented types of columns.
func TestParquetOpensInDuckDB(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in, _ := withDataset(t)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, table := range schema.Tables() {
		option := map[store.SubjectKind]string{store.KindWebsite: "--website=site-1", store.KindLink: "--link=link-1",
			store.KindSchedule: "--monitor=monitor-1"}[table.ID.Of()]
		dir := t.TempDir()
		files := map[string]string{}
		for _, format := range []string{"csv", "parquet"} {
			files[format] = filepath.Join(dir, "rows."+format)
			in.export(t, 0, option, "--format", format, "--table", table.ID.String(), "--no-escape-formulas",
				files[format])
		}
		types := columnTypes(t, db, "read_parquet('"+files["parquet"]+"')")
		if len(types) == 0 || types[0] != string(table.ID.Of())+" VARCHAR" {
			t.Fatalf("%v: columns %v", table.ID, types)
		}
		types = types[1:]
		for _, c := range table.Columns {
			if !c.Exported() {
				continue
			}
			want := c.Name + " BIGINT"
			switch {
			case c.Kind.IsText():
				want = c.Name + " VARCHAR"
			case c.Kind == schema.Instant:
				want = c.Name + " TIMESTAMP WITH TIME ZONE"
			}
			if len(types) == 0 || types[0] != want {
				t.Fatalf("%v: columns %v, want %s", table.ID, types, want)
			}
			types = types[1:]
		}
		csv := "read_csv('" + files["csv"] +
			"', header=true, all_varchar=true, quote='\"', escape='\"', delim=',', nullstr='no null', strict_mode=false)"
		columns := "COALESCE(COLUMNS(* EXCLUDE time)::VARCHAR, '')"
		var rows, differ int
		err := db.QueryRow("SELECT (SELECT count(*) FROM read_parquet('"+files["parquet"]+
			"')), (SELECT count(*) FROM (SELECT "+columns+", epoch_ms(time) AS at FROM read_parquet('"+
			files["parquet"]+"') EXCEPT ALL SELECT "+columns+", epoch_ms(time::TIMESTAMPTZ) AS at FROM "+csv+
			"))").Scan(&rows, &differ)
		if err != nil || rows == 0 || differ > 0 {
			t.Errorf("%v: %d of %d rows differ from CSV, %v", table.ID, differ, rows, err)
		}
	}
}

// columnTypes returns the names and types of the columns of a source.
func columnTypes(t *testing.T, db *sql.DB, source string) (all []string) {
	t.Helper()
	rows, err := db.Query("SELECT column_name || ' ' || column_type FROM (DESCRIBE SELECT * FROM " + source + ")")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestProfilesMove exports a website with profiles, and imports it into another installation under another id. Names
// and traits are the same, erasing removes them, and --no-profiles leaves them out.
func TestProfilesMove(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	from, _ := withDataset(t)
	from.do(t, "websites", "add", "--id", "site-1", "--domain", "one.example")
	m, err := install.OpenRecords(t.Context(), from.dir, "", auth.Pepper{}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"u1", "u2"} {
		err = errors.Join(err, m.Identify(t.Context(), store.Identification{Website: "site-1", Profile: id,
			Traits: map[string]any{"name": "Ada " + id, "seats": json.Number("1.50")}, Keyed: id == "u1"}))
	}
	if err := errors.Join(err, m.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
	shown := func(in installed, website, id string) string {
		out, errs, _ := in.try(t, "profiles", "show", "--json", "--website", website, id)
		return strings.Replace(out, `"`+website+`"`, `""`, 1) + errs
	}
	to, file := installed{dir: t.TempDir()}, filepath.Join(t.TempDir(), "site.ndjson")
	to.do(t, "websites", "add", "--id", "web_new", "--domain", "one.example")
	from.export(t, 0, "--website", "site-1", file)
	if n := strings.Count(read(t, file), `{"table":"profiles"`); n != 2 {
		t.Errorf("%d profiles in the export", n)
	}
	if out := to.do(t, "import", "--website", "web_new", "--dry-run", file); !strings.Contains(out,
		"2 profiles and these rows") {
		t.Errorf("dry run: %s", out)
	}
	if out := to.do(t, "import", "--website", "web_new", file); !strings.Contains(out, "; 2 profiles") {
		t.Errorf("import: %s", out)
	}
	for _, id := range []string{"u1", "u2"} {
		want, got := shown(from, "site-1", id), shown(to, "web_new", id)
		if got != want || !strings.Contains(got, "Ada "+id) {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	to.do(t, "erase", "--yes", "--website", "web_new", "--profile", "u1")
	if got := shown(to, "web_new", "u1"); !strings.Contains(got, "does not exist") {
		t.Errorf("after erase: %s", got)
	}
	for _, options := range [][]string{{"--no-profiles"}, {"--table", "events"}} {
		if out, _ := from.export(t, 0, append(options, "--website", "site-1")...); strings.Contains(out, `"profiles"`) {
			t.Errorf("%v: the export has profiles", options)
		}
	}
}
