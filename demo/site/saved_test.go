//go:build cgo

package site

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/saved"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/meta"
)

// TestSavedDefinitions tests the saved definitions of the demo: every goal, each step of the funnel and the segment
// have visitors, and the annotations are within its days. A removed definition does not come back.
func TestSavedDefinitions(t *testing.T) {
	t.Parallel()
	pepper, err := auth.NewPepper([]byte("a pepper of thirty-two characters"))
	if err != nil {
		t.Fatal(err)
	}
	const days = 12
	clock := func() time.Time { return began }
	folder := t.TempDir()
	records, err := meta.Open(t.Context(),
		meta.Config{Path: filepath.Join(folder, "records.sqlite"), Pepper: pepper, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close(context.Background()) }) // the test is over
	events, err := duckdb.Open(t.Context(), duckdb.Config{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = events.Close(context.Background()) }) // likewise
	cfg := Config{Events: events, Records: records, Folder: folder, Days: days, Now: clock}
	list := func() []store.Definition {
		t.Helper()
		if _, err := Create(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		all, err := records.Definitions(t.Context(), demoWebsite)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := list()
	engine, err := query.New(query.Config{Store: events, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	asked := map[store.DefinitionKind]string{
		store.GoalDefinition: `{"name":"goals","saved":["%"]}`, store.FunnelDefinition: `{"name":"funnel","saved":"%"}`,
		store.SegmentDefinition: `{"name":"summary_metrics","filters":[{"segment":"%"}]}`,
	}
	found := map[store.DefinitionKind]int{}
	for _, d := range all {
		found[d.Kind]++
		if notes, bad, err := saved.Check(t.Context(), engine, demoWebsite, &d); err != nil || bad != nil ||
			notes != nil {
			t.Errorf("%s %s: %v, %v", d.Kind, d.Name, bad, err)
		}
		if d.Kind == store.AnnotationDefinition {
			checkAnnotation(t, d, days)
			continue
		}
		for _, visitors := range visitorsOf(t, engine, records, asked[d.Kind], d.Name) {
			if visitors == 0 {
				t.Errorf("%s %s has a row without visitors", d.Kind, d.Name)
			}
		}
	}
	if found[store.GoalDefinition] != 3 || found[store.FunnelDefinition] != 1 || found[store.SegmentDefinition] != 1 ||
		found[store.AnnotationDefinition] == 0 {
		t.Errorf("saved: %v", found)
	}
	if err := records.RemoveDefinition(t.Context(), demoWebsite, store.FunnelDefinition,
		"From prices to account"); err != nil {
		t.Fatal(err)
	}
	if left := list(); len(left) != len(all)-1 {
		t.Errorf("after a restart there are %d definitions, want %d", len(left), len(all)-1)
	}
}

func checkAnnotation(t *testing.T, d store.Definition, days int) {
	t.Helper()
	var a saved.Annotation
	if err := json.Unmarshal(d.Body, &a); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.DateOnly, a.At[:len(time.DateOnly)])
	if err != nil || at.After(began) || at.Before(began.AddDate(0, 0, -days-1)) {
		t.Errorf("annotation %s is at %s, %v", d.Name, a.At, err)
	}
}

// visitorsOf returns the visitors in the rows of a parameter, in which % stands for name.
func visitorsOf(t *testing.T, e *query.Engine, records store.DefinitionStore, parameter, name string) (all []int) {
	t.Helper()
	var req query.Request
	if err := json.Unmarshal([]byte(`{"preset":"last_7d","parameters":[`+strings.ReplaceAll(parameter, "%", name)+`]}`),
		&req); err != nil {
		t.Fatal(err)
	}
	subject := store.Subject{Kind: store.KindWebsite, ID: demoWebsite}
	if mistakes, err := saved.Resolve(t.Context(), e, records, subject, &req); err != nil || mistakes[0] != nil {
		t.Fatal(mistakes, err)
	}
	got, err := e.Run(t.Context(), query.Access{Subject: subject}, req)
	if err != nil {
		t.Fatal(err)
	}
	result := got.Data[0]
	if !result.Success {
		t.Fatal(parameter, result.Error, result.Cause)
	}
	var rows []struct{ Visitors int }
	if err := json.Unmarshal(result.Data.AppendJSON(nil), &rows); err != nil || len(rows) == 0 {
		t.Fatalf("%s: %v, %v", parameter, rows, err)
	}
	for _, row := range rows {
		all = append(all, row.Visitors)
	}
	return all
}
