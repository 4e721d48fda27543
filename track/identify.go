package track

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxTraitKey = 128
	maxTrait    = 255
)

// Profiles stores traits of people.
type Profiles interface {
	// Identify stores i, durably if it returns nil. Its error wraps [store.ErrManyTraits] if the profile would
	// have too many traits, and [store.ErrManyProfiles] if the website would have too many
	// profiles.
	Identify(ctx context.Context, i store.Identification) error
}

// person reads the body of /identify.
func (r *reader) person(_ context.Context, f *fields, site store.Website) (row, error) {
	i := store.Identification{Website: site.ID, Profile: f.needID("profileId", "profile_id"), Traits: f.traits(),
		Keyed: r.keyed}
	if p := f.problem(); p != nil {
		return row{}, p
	}
	return row{taken: taken{kind: kindIdentify}, subject: ofWebsite(site.ID), person: &i}, nil
}

// traits returns the traits of a person by name: texts, numbers, true and false; null removes a trait. Names and
// values that cannot be stored are left out.
func (f *fields) traits() map[string]any {
	v, name := f.get("traits")
	if v == nil {
		return nil
	}
	o, ok := v.(object)
	if !ok {
		f.drop(name)
		return nil
	}
	all := make(map[string]any, len(o))
	for _, key := range slices.Sorted(maps.Keys(o)) {
		clean, field := address.Clean(key), name+"."+key
		if clean == "" || intake.Units(clean) > maxTraitKey {
			f.drop(field)
			continue
		}
		switch v := o[key].(type) {
		case nil, bool:
			all[clean] = v
		case string:
			all[clean] = f.bounded(address.Clean(v), maxTrait, field)
		case json.Number:
			if plain, ok := intake.Number(v); ok {
				all[clean] = plain
			} else {
				f.drop(field)
			}
		default:
			f.drop(field)
		}
	}
	return all
}
