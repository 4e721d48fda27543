package compile

import (
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A statement that is remembered is the one that would be compiled, whomever it was compiled for.
func TestStatementsAreRemembered(t *testing.T) {
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	e := NewMemo(dialect.DuckDB())
	for i, ty := range types.All() {
		filtered := ty.Filterable[i%max(1, len(ty.Filterable)):]
		for _, name := range append([]string{""}, filtered[:min(len(filtered), 4)]...) {
			req := ask.Request{StartDate: "2026-03-01", EndDate: "2026-03-30",
				Parameters: []ask.Parameter{{Name: ty.Name, Options: ask.Options{Compare: ask.PreviousYear}}}}
			if name != "" {
				req.Filters = []ask.Filter{{Field: name, Op: ask.In, Values: []string{"DE", "x"}}}
			}
			for _, id := range []string{"a", "b"} {
				found, errs := plan.Resolve(types, ask.Access{Subject: store.Subject{Kind: ty.Subject, ID: id}}, req,
					time.Unix(1<<31, 0), nil)
				if errs != nil {
					t.Fatal(errs)
				}
				p := found.Parameters[0].Plan
				if p == nil {
					continue // it needs another filter
				}
				checkRemembered(t, e, p)
				if p.Other != nil {
					checkRemembered(t, e, p.Other.Plan)
				}
			}
		}
	}
}

func checkRemembered(t *testing.T, e *Memo, p *plan.Plan) {
	t.Helper()
	for _, kept := range []days.Sealed{{}, {
		Sessions:   days.Seals{Uses: []days.Use{days.ForAll}},
		PageEvents: days.Seals{Uses: []days.Use{days.ForNothing}},
		Hits:       days.Seals{Uses: []days.Use{days.ForUnchanged}},
		Changes:    days.Changes{Since: 7, In: calendar.Interval{From: 0, To: calendar.Day}},
	}} {
		compiled, remembered := compile(p, dialect.DuckDB(), kept), e.Statement(p, p.AppendKey(nil), kept)
		if of := remembered.Of(p, nil); !reflect.DeepEqual(compiled.Statement, of) ||
			!slices.Equal(compiled.keyArgs, remembered.keyArgs) {
			t.Fatalf("%s (-compiled +remembered):\n%s", p, cmp.Diff(compiled.Statement, of))
		}
		if again := e.Statement(p, p.AppendKey(nil), kept); (again == remembered) == p.ByClock() {
			t.Errorf("%s: remembered %t", p, again == remembered)
		}
	}
}

// The program's own types differ from each other, and from themselves when anything of them does.
func TestFingerprints(t *testing.T) {
	seen := map[string]string{}
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, ty := range types.All() {
		print, err := fingerprint(ty, dialect.DuckDB())
		if other := seen[print]; err != nil || other != "" {
			t.Errorf("%s has the fingerprint %q of %q: %v", ty.Name, print, other, err)
		}
		seen[print] = ty.Name
	}
	for i, change := range []func(*catalog.Type){
		func(ty *catalog.Type) { ty.Order = []string{"visitors"} },
		func(ty *catalog.Type) { ty.Columns = ty.Columns[:len(ty.Columns)-1] },
		func(ty *catalog.Type) { ty.SkipEmpty = "" },
	} {
		rows := builtin.Types()
		for j := range rows {
			if rows[j].Name == "countries" {
				change(&rows[j])
			}
		}
		types, err := catalog.NewRegistry(rows...)
		if err != nil {
			t.Fatal(err)
		}
		if print, err := fingerprint(types.Named("countries"), dialect.DuckDB()); err != nil || seen[print] != "" {
			t.Errorf("change %d leaves the fingerprint of %s: %v", i, seen[print], err)
		}
	}
}

// The fault of a type that cannot be compiled is logged, once.
func TestFingerprintFault(t *testing.T) {
	var log strings.Builder
	ty := &catalog.BoundType{Type: catalog.Type{Name: "broken"}}
	prints := Fingerprints(catalog.RegistryOf([]*catalog.BoundType{ty}), dialect.DuckDB(),
		slog.New(slog.NewTextHandler(&log, nil)))
	for range 2 {
		if got := prints(ty); got != "" {
			t.Errorf("the fingerprint is %s", got)
		}
	}
	if got := log.String(); strings.Count(got, "level=ERROR") != 1 || !strings.Contains(got, "fingerprint of broken") ||
		!strings.Contains(got, "nil pointer") {
		t.Errorf("the log is\n%s", got)
	}
}
