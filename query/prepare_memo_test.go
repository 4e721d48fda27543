package query

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A remembered request, resolved at a time that counts as the same, equals the request resolved now.
func TestRequestsAreRemembered(t *testing.T) {
	now := time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)
	var engines [2]*Engine
	for i := range engines {
		var err error
		if engines[i], err = New(Config{Store: unasked{}, Now: func() time.Time { return now }}); err != nil {
			t.Fatal(err)
		}
	}
	remembering, plain := engines[0], engines[1]
	plain.prepared = nil
	rnd := rand.New(rand.NewPCG(5, 6))
	pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
	again, before := 0, map[*Prepared]bool{}
	for range 2_000 {
		edge := time.Date(2026, 3, 28, 23, rnd.IntN(3)+58, 0, 0, time.UTC)
		now = edge.Add([]time.Duration{0, 1, time.Millisecond, time.Second, -1, -time.Millisecond,
			-time.Second}[rnd.IntN(7)])
		req := Request{Options: Options{Preset: pick("today", "last_7d", ""), Granularity: pick("", "hourly")},
			StartDate: "2026-03-28", EndDate: "2026-03-28", TimeZone: pick("", "Asia/Kathmandu"),
			Parameters: []Parameter{{Name: pick("pages", "summary", "active_stats")}}}
		switch rnd.IntN(12) {
		case 0:
			req.Filters = []Filter{{Field: "country", Op: Eq, Values: []string{pick("DE", "FR")}}}
		case 1:
			req.Parameters[0].Compare = PreviousPeriod
		case 2:
			req.Parameters[0].Name = "nonsense"
		}
		a := Access{Subject: store.Subject{Kind: store.KindWebsite, ID: pick("a", "a", "a", "b")},
			Caller: pick("x", "x", "x", "y")}
		found, errFound := remembering.Prepare(t.Context(), a, req)
		want, errWant := plain.Prepare(t.Context(), a, req)
		if fmt.Sprint(errFound) != fmt.Sprint(errWant) {
			t.Fatalf("%v, %v", errFound, errWant)
		}
		if errWant != nil {
			continue
		}
		if diff := cmp.Diff(told(t, want), told(t, found)); diff != "" || found.caller != a.Caller {
			t.Fatalf("%+v at %s (-resolved +remembered):\n%s", req, now, diff)
		}
		if before[found] {
			again++
		}
		before[found] = true
	}
	if again < 100 {
		t.Errorf("%d were remembered", again)
	}
}

// told returns all values of p.
func told(t *testing.T, p *Prepared) string {
	t.Helper()
	all := []any{p.Key(), p.Dependencies(), p.meta, p.Range()}
	for _, one := range p.resolved.Parameters {
		if one.Plan != nil {
			all = append(all, one.Plan.String(), string(one.Plan.AppendKey(nil)), finish.ResultMeta(one.Plan, 3, true))
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whatever of a request changes, changes its key.
func TestTheRequestsKeyTellsAllOfIt(t *testing.T) {
	one := 1
	for _, base := range []Request{
		{Parameters: []Parameter{{}}, Options: Options{Filters: []Filter{{}}}},
		{ID: "i", Parameters: []Parameter{{Name: "n",
			Options: Options{Limit: &one, Filters: []Filter{{Values: []string{"a"}}},
				GroupBy: []string{"g"}}}}, Options: Options{Filters: []Filter{{}}, Preset: "p"}},
	} {
		seen := map[string]string{string(base.AppendKey(nil)): "nothing"}
		changed := func(what string, req Request) {
			key := string(req.AppendKey(nil))
			if other, taken := seen[key]; taken {
				t.Errorf("%s and %s changed have one key: %s", what, other, key)
			}
			seen[key] = what
		}
		for _, f := range fieldsOf[Request]() {
			req := base
			alter(t, reflect.ValueOf(&req).Elem().FieldByIndex(f.Index))
			changed(f.Name, req)
		}
		for _, f := range fieldsOf[Parameter]() {
			req, p := base, base.Parameters[0]
			alter(t, reflect.ValueOf(&p).Elem().FieldByIndex(f.Index))
			req.Parameters = []Parameter{p}
			changed("Parameters[0]."+f.Name, req)
		}
		for _, f := range fieldsOf[Filter]() {
			req, filter := base, base.Filters[0]
			alter(t, reflect.ValueOf(&filter).Elem().FieldByIndex(f.Index))
			req.Filters = []Filter{filter}
			changed("Filters[0]."+f.Name, req)
		}
		for what, p := range map[string]Parameter{"none": {}, "empty filters": {Options: Options{Filters: []Filter{}}},
			"empty groups": {Options: Options{GroupBy: []string{}}}, "limit -1": {Options: Options{Limit: new(-1)}}} {
			changed("another parameter, "+what, Request{Parameters: append(base.Parameters[:1:1], p)})
		}
	}
}

// fieldsOf returns the fields of T, with those of what it embeds in place of the embedded.
func fieldsOf[T any]() []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[T]()),
		func(f reflect.StructField) bool { return f.Anonymous })
}

// alter makes v another value.
func alter(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int:
		v.SetInt(v.Int() + 7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	default:
		t.Fatalf("a field of kind %s", v.Kind())
	}
}

// unasked is a store that speaks DuckDB's dialect and that no test asks.
type unasked struct{ store.Store }

func (unasked) Dialect() *dialect.Dialect { return dialect.DuckDB() }
