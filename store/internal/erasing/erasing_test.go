package erasing_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/erasing"
	"github.com/sightline-analytics/sightline/store/schema"
)

func TestStretches(t *testing.T) {
	days := erasing.Days{}
	for _, day := range []int64{100, 130, -3, 114, 115} {
		days.Add(day)
	}
	want := []erasing.Stretch{{-10, 4}, {93, 137}} // 107 and 107, 122 and 123 touch
	if got := days.Stretches(); !slices.Equal(got, want) {
		t.Errorf("stretches %v, want %v", got, want)
	}
}

func TestCheck(t *testing.T) {
	for _, p := range []store.Person{
		{AnonymousIDs: []string{"v"}}, {Website: "w"}, {Website: "w", AnonymousIDs: []string{"v", ""}},
		{Website: "w", ProfileIDs: []string{""}},
	} {
		if err := erasing.Check(p); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%+v: %v, want store.ErrInvalid", p, err)
		}
	}
	if err := erasing.Check(store.Person{Website: "w", ProfileIDs: []string{"p"}}); err != nil {
		t.Error(err)
	}
}

// Every table with ids of visitors is one of persons: a new one must not be forgotten.
func TestTables(t *testing.T) {
	listed := map[schema.TableID]bool{}
	for _, one := range erasing.Tables() {
		listed[one.ID] = true
	}
	for _, one := range schema.Tables() {
		if has := one.Has("session_id") || one.Has("visitor") || one.Has("anonymous_id"); has != listed[one.ID] {
			t.Errorf("table %s has ids of visitors: %t, and is listed: %t", one.ID, has, listed[one.ID])
		}
	}
}
