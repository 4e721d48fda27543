//go:build cgo

package control

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// served serves a store on a socket at path.
func served(t *testing.T) (path string, file *duckdb.Store, stop func() error) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "control.sock")
	file, err := duckdb.Open(t.Context(), duckdb.Config{Path: filepath.Join(dir, "events.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil { // as left by a crash
		t.Fatal(err)
	}
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := query.New(query.Config{Store: file})
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: Handler(file, engine, nil)}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close() // may be the second call
		_ = file.Close(context.Background())
	})
	return path, file, func() error {
		err := s.Shutdown(context.Background())
		<-ended
		return err
	}
}

func TestAnswersAsTheStore(t *testing.T) {
	path, file, stop := served(t)
	site := store.Subject{Kind: store.KindWebsite, ID: "w"}
	_, err := file.Write(t.Context(), &store.Batch{Events: []store.Event{
		{Website: "w", ID: "a", Time: time.UnixMilli(5), Title: "ü\x01\xf0\x9f\x8e\x89", LoadTime: store.Known(7)},
		{Website: "w", ID: "b", Time: time.UnixMilli(6)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v, %v; want 0600", info.Mode(), err)
	}
	r := Dial(t.Context(), path)
	if r == nil {
		t.Fatal("no server found")
	}
	d := r.Dialect()
	stmt := store.Statement{
		Label: "all kinds",
		SQL: "SELECT t.title, t.load_time, " + d.Arg("i", dialect.Int) + ", " + d.Arg("f", dialect.Float) + ", " +
			d.Arg("t", dialect.Text) +
			", len(" + d.Arg("is", dialect.Ints) + "), len(" + d.Arg("ts", dialect.Texts) +
			") FROM events AS t WHERE t.subject = " + d.Arg("s", dialect.Subject) + " ORDER BY t.time",
		Args: []dialect.Arg{
			{Name: "i", Kind: dialect.Int, Value: int64(-1 << 60)}, {Name: "f", Kind: dialect.Float, Value: 0.25},
			{Name: "t", Kind: dialect.Text, Value: ""},
			{Name: "is", Kind: dialect.Ints, Value: []int64{1, 2}},
			{Name: "ts", Kind: dialect.Texts, Value: []string{"x"}}, {Name: "s", Kind: dialect.Subject, Value: site},
		},
		Kinds: []dialect.Kind{dialect.Text, dialect.Int, dialect.Int, dialect.Float, dialect.Text, dialect.Int,
			dialect.Int},
	}
	want, err := file.Query(t.Context(), stmt)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Query(t.Context(), stmt)
	if diff := cmp.Diff(want, got); diff != "" || err != nil || got.Len != 2 {
		t.Errorf("%v\n%s", err, diff)
	}
	subjects, err := r.Subjects(t.Context())
	if diff := cmp.Diff([]store.Subject{site}, subjects); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := r.Query(t.Context(), store.Statement{SQL: "DROP TABLE events"}); err == nil ||
		!strings.Contains(err.Error(), "not a SELECT") {
		t.Errorf("an invalid statement: %v", err)
	}
	if days, err := r.RebuildSeals(t.Context(), site, time.UnixMilli(0), time.UnixMilli(9)); days != 1 || err != nil {
		t.Errorf("%d days were rebuilt, want 1: %v", days, err)
	}
	if report, err := r.VerifySeals(t.Context(), site, time.UnixMilli(0), time.UnixMilli(9)); err != nil ||
		!cmp.Equal(report, query.SealReport{Verified: 2}) {
		t.Errorf("a day in two tables: %+v, %v", report, err)
	}
	event := store.Event{Website: "w2", ID: "c", Time: time.UnixMilli(7), LoadTime: store.Known(0)}
	for _, want := range []store.Written{{Stored: 1}, {Repeated: 1}} {
		if written, err := r.Write(t.Context(), &store.Batch{Events: []store.Event{event}}); err != nil ||
			written != want {
			t.Errorf("written through the socket: %+v, %v; want %+v", written, err, want)
		}
	}
	rows, err := r.Query(t.Context(),
		store.Statement{SQL: "SELECT t.load_time FROM events AS t WHERE t.event_id = 'c'",
			Kinds: []dialect.Kind{dialect.Int}})
	if err != nil || rows.Len != 1 || rows.Columns[0].Null(0) {
		t.Errorf("the written row: %+v, %v", rows, err)
	}
	if _, err := r.Write(t.Context(), &store.Batch{Events: []store.Event{{Website: "w2"}}}); err == nil ||
		!strings.Contains(err.Error(), "no id") {
		t.Errorf("an invalid row: %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := r.Ping(t.Context()); err == nil {
		t.Error("a stopped server: want an error")
	}
	if Dial(context.Background(), path) != nil {
		t.Error("a stopped server: want no client")
	}
}
