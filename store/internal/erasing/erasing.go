// Package erasing has what the stores share to remove the rows of a person:
//
//	if err := erasing.Check(person); err != nil {
//		return err
//	}
//	days := erasing.Days{}
//	for _, t := range erasing.Tables() { // remove rows of the person from t
//		days.Add(day)
//	}
//	for _, s := range days.Stretches() { // delete the seals and states of days s.First to s.Last
//	}
package erasing

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Tables returns the logical tables whose rows belong to persons: those with ids of visitors.
func Tables() []schema.Table {
	return slices.DeleteFunc(schema.Tables(), func(t schema.Table) bool { return !t.Has("profile_id") })
}

// Check returns an error that wraps store.ErrInvalid if p has no website, no id or an empty id. An empty id would match
// the rows of all visitors without one.
func Check(p store.Person) error {
	switch ids := slices.Concat(p.AnonymousIDs, p.ProfileIDs); {
	case p.Website == "":
		return fmt.Errorf("%w: a person needs a website", store.ErrInvalid)
	case len(ids) == 0:
		return fmt.Errorf("%w: a person needs an id", store.ErrInvalid)
	case slices.Contains(ids, ""):
		return fmt.Errorf("%w: an id of a person must not be empty", store.ErrInvalid)
	}
	return nil
}

// Identity returns the identity of a row of t, by which its receipt is found. kind is the column kind of an event, else
// 0.
func Identity(t *schema.Table, website, id string, kind int64, keyed bool) schema.Identity {
	of := schema.Identity{Table: t.ID, Keyed: keyed, Subject: website, ID: id}
	if t.ID == schema.Events {
		of.Kind = schema.IdentityKind(store.EventKind(kind)) // it is a Small column
	}
	return of
}

// Days are UTC days with removed rows, counted from 1970.
type Days map[int64]bool

// Add adds a day.
func (d Days) Add(day int64) { d[day] = true }

// A Stretch has the days from First to Last.
type Stretch struct{ First, Last int64 }

// Stretches returns the days, and the days up to store.MaxAround before and after them, in order and without overlaps.
func (d Days) Stretches() (all []Stretch) {
	for _, day := range slices.Sorted(maps.Keys(d)) {
		one := Stretch{day - store.MaxAround, day + store.MaxAround}
		if last := len(all) - 1; last >= 0 && one.First <= all[last].Last+1 {
			all[last].Last = one.Last
			continue
		}
		all = append(all, one)
	}
	return all
}
