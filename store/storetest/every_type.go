package storetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// EveryType returns the answer of s to every built-in query type of a kind of subject, as JSON by type. Each answer is
// about the 30 days before now, and the day of now, in Kathmandu. The test fails unless three quarters of the answers
// have rows.
func EveryType(t *testing.T, s store.Store, of store.Subject, names query.Names,
	now time.Time) map[string]string {
	t.Helper()
	engine, err := query.New(query.Config{Store: s, Names: names, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close(context.WithoutCancel(t.Context())) }()
	all := map[string]string{}
	rows := 0
	for _, one := range query.Builtin() {
		if one.Subject != of.Kind {
			continue
		}
		got, err := engine.Run(t.Context(), query.Access{Subject: of}, query.Request{
			Parameters: []query.Parameter{{Name: one.Name}}, StartDate: now.AddDate(0, 0, -30).Format(time.DateOnly),
			EndDate:  now.Format(time.DateOnly),
			TimeZone: "Asia/Kathmandu", Options: query.Options{Limit: new(1000)},
		})
		if err != nil {
			all[one.Name] = err.Error()
			continue
		}
		text, err := json.Marshal(got.Data)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Data) == 1 && got.Data[0].Success && got.Data[0].Data.Len() > 0 {
			rows++
		}
		all[one.Name] = string(text)
	}
	if rows < len(all)*3/4 {
		t.Errorf("%v: only %d of %d answers have rows: %v", of, rows, len(all), all)
	}
	return all
}

// SameAnswers fails unless two results of EveryType are equal.
func SameAnswers(t *testing.T, of store.Subject, before, after map[string]string) {
	t.Helper()
	for name, want := range before {
		if after[name] != want {
			t.Errorf("%v %s\nbefore: %s\nafter:  %s", of, name, want, after[name])
		}
	}
}
