package clickhouse_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// In ClickHouse the name of an output column is known in the whole SELECT, also to its
// WHERE. So every column must be qualified but where an output column is meant, which is
// ORDER BY alone.
func TestNoNameIsCapturedByAnOutputColumn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../query/testdata/types/clickhouse/*.golden")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	name := regexp.MustCompile("`[^`]*`")
	ordered := regexp.MustCompile("(ORDER BY|NULLS (LAST|FIRST),) $")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := 0
		for at, line := range strings.Split(string(text), "\n") {
			for _, found := range name.FindAllStringIndex(line, -1) {
				names++
				before := line[:found[0]]
				if !strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "AS ") && !ordered.MatchString(before) {
					t.Errorf("%s:%d: %s is neither qualified nor an output column", filepath.Base(file), at+1, line[found[0]:found[1]])
				}
			}
		}
		if names == 0 {
			t.Errorf("%s names no column", file)
		}
	}
}

// The type pages has an output column path, by which it is filtered, too, and one called
// name, which is a stored column of another meaning.
func TestOutputColumnsDoNotFilter(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := open(t, clickhouse.Options{DSN: chtest.Database(t, dsn)})
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		batch := &store.Batch{}
		for id, path := range map[string]string{"e1": "/a", "e2": "/a/b", "e3": "/c"} {
			batch.Events = append(batch.Events, store.Event{Website: "w1", ID: id, Name: "screen_view", Time: at, Path: path,
				Identity: store.Identity{AnonymousID: id, SessionID: id}})
		}
		write(t, s, batch)
		engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return at }})
		if err != nil {
			t.Fatal(err)
		}
		ask := query.Request{Parameters: []query.Parameter{{Name: "pages"}}, StartDate: "2026-03-01", EndDate: "2026-03-01",
			Filters: []query.Filter{{Field: "path", Op: "starts_with", Values: []string{"/a"}}}}
		got, err := engine.Run(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w1"}}, ask)
		if err != nil {
			t.Fatal(err)
		}
		if r := got.Data[0]; !r.Success || r.Data.Len() != 2 {
			t.Errorf("%d rows, want those of /a and /a/b: %s", r.Data.Len(), r.Error)
		}
	})
	// The same at the store: the filter sees what is stored, not what is shown.
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := open(t, clickhouse.Options{DSN: chtest.Database(t, dsn)})
		write(t, s, someEvent("e1"))
		rows, err := s.Query(t.Context(), store.Statement{
			Label: "alias", SQL: "SELECT concat(t.path, 'shown') AS path FROM events AS t WHERE t.path = {p1:String} ORDER BY path",
			Args: []dialect.Arg{{Name: "p1", Kind: dialect.Text, Value: "/"}}, Kinds: []dialect.Kind{dialect.Text},
		})
		if err != nil || rows.Len != 1 || rows.Columns[0].Texts[0] != "/shown" {
			t.Errorf("%v, %v", rows, err)
		}
	})
}
