//go:build cgo

package site

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// promised has the columns of every type, in the order of the reference evaluator.
func promised() map[string][]string {
	all := map[string][]string{}
	for _, ty := range slices.Concat(reference.Types(), reference.BehaviourTypes()) {
		for _, c := range ty.Columns {
			all[ty.Name] = append(all[ty.Name], c.Name)
		}
	}
	return all
}

// TestEveryTypeAnswersOnTheDemo queries each type on demo data, series by day and by hour, and compares the rows with
// the metadata of the type. A third of the demo's sessions is enough.
func TestEveryTypeAnswersOnTheDemo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 19, 30, 30, 0, time.UTC) // a time with active visitors
	s, err := duckdb.Open(t.Context(), duckdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	g := demo.New(demo.Config{Seed: demoSeed, Website: demoWebsite, Domain: demoDomain, Link: demoLink,
		Schedule: demoMonitor, PerDay: 100})
	if _, err := s.Write(t.Context(), g.Batch(now.AddDate(0, 0, -9), now)); err != nil {
		t.Fatal(err)
	}
	e, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	known, promised := map[string]bool{}, promised()
	session := anySession(t, e)
	for _, info := range e.Types() {
		known[info.Name] = true
		for _, granularity := range append([]string{"daily"}, info.Granularity...) {
			t.Run(info.Name+" "+granularity, func(t *testing.T) {
				preset := "last_7d"
				if granularity == "minute" {
					preset = "last_60m"
				}
				req := query.Request{Parameters: []query.Parameter{storetest.Example(info.Name)},
					Options: query.Options{Preset: preset, Granularity: granularity}, TimeZone: "America/New_York"}
				if info.RequiredFilter != "" {
					req.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq, Values: []string{session}}}
				}
				asExpected(t, info, promised[info.Name], ask(t, e, info, req))
			})
		}
	}
	for name := range promised {
		if !known[name] && name != "funnel" { // the engine does not answer it yet
			t.Errorf("the type %s does not exist", name)
		}
	}
}

func ask(t *testing.T, e *query.Engine, info query.Info, req query.Request) []byte {
	t.Helper()
	id := map[store.SubjectKind]string{store.KindWebsite: demoWebsite, store.KindLink: demoLink,
		store.KindSchedule: demoMonitor}[info.Subject]
	resp, err := e.Run(t.Context(), query.Access{Subject: store.Subject{Kind: info.Subject, ID: id}}, req)
	if err != nil {
		t.Fatal(err)
	}
	if r := resp.Data[0]; !r.Success {
		t.Fatal(r.Error, r.Cause)
	}
	return resp.Data[0].Data.AppendJSON(nil)
}

// anySession returns the id of a session of the demo.
func anySession(t *testing.T, e *query.Engine) string {
	t.Helper()
	answer := ask(t, e, query.Info{Name: "sessions", Subject: store.KindWebsite},
		query.Request{Parameters: []query.Parameter{{Name: "sessions"}}, Options: query.Options{Preset: "last_7d"}})
	var rows []struct {
		ID string `json:"session_id"`
	}
	if err := json.Unmarshal(answer, &rows); err != nil || len(rows) == 0 {
		t.Fatal(err, len(rows))
	}
	return rows[0].ID
}

// asExpected compares rows with the promised columns and the types of the metadata.
func asExpected(t *testing.T, info query.Info, want []string, answer []byte) {
	t.Helper()
	var told []string
	for _, f := range info.Output {
		told = append(told, f.Name)
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("columns (-promised +metadata):\n%s", diff)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(answer, &rows); err != nil || len(rows) == 0 {
		t.Fatalf("%v: %d rows", err, len(rows))
	}
	for _, row := range rows {
		if diff := cmp.Diff(want, keys(t, row)); diff != "" {
			t.Fatalf("columns of a row (-promised +got):\n%s", diff)
		}
		var cells map[string]any
		if err := json.Unmarshal(row, &cells); err != nil {
			t.Fatal(err)
		}
		for _, f := range info.Output {
			if !fits(f.Type, cells[f.Name]) {
				t.Fatalf("%s is not of type %s: %v", f.Name, f.Type, cells[f.Name])
			}
		}
	}
}

// keys returns the names in an object, in order.
func keys(t *testing.T, object []byte) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func fits(f query.Format, v any) bool {
	switch f {
	case query.String:
		_, ok := v.(string)
		return ok
	case query.Integer:
		n, ok := v.(float64)
		return v == nil || ok && n == float64(int64(n))
	case query.Number:
		_, ok := v.(float64)
		return v == nil || ok
	case query.Boolean:
		_, ok := v.(bool)
		return v == nil || ok
	case query.Date:
		text, _ := v.(string)
		_, day := time.Parse("2006-01-02", text)
		_, hour := time.Parse("2006-01-02 15:00:00", text)
		_, minute := time.Parse("2006-01-02T15:04-07:00", text)
		return day == nil || hour == nil || minute == nil
	case query.DateTime:
		text, ok := v.(string)
		_, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		return v == nil || ok && err == nil
	case query.JSON:
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
	}
	return false
}
