package track

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/internal/address"
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

// takeIdentity handles the body of /identify.
func takeIdentity(c *call, f *fields, _ *store.Batch) (taken, error) {
	site, err := c.siteOf(f)
	if p, ok := errors.AsType[*problem](err); ok && p.Code == codes[codeWebsiteMissing].Code {
		return taken{}, codeIdentifyMissing.problem()
	} else if err != nil {
		return taken{}, err
	}
	i := store.Identification{Website: site.ID, Profile: f.needID("profileId", "profile_id"), Traits: f.traits(), Keyed: c.key != nil}
	if p := f.problem(); p != nil {
		return taken{}, p
	}
	c.use(store.KindWebsite, site.ID, site.Owner)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), writeTimeout)
	defer cancel()
	switch err := c.h.cfg.Profiles.Identify(ctx, i); {
	case errors.Is(err, store.ErrManyTraits):
		f.fail("traits", "too_big", "may have at most %d entries in total, and %d bytes as JSON", store.MaxTraits, store.MaxTraitsText)
		return taken{}, f.problem()
	case errors.Is(err, store.ErrManyProfiles):
		return taken{}, codeManyProfiles.withCause(err)
	case errors.Is(err, store.ErrInvalid):
		return taken{}, codeInternal.withCause(err)
	case err != nil:
		return taken{}, codeDeliveryDown.withCause(err)
	}
	return taken{kind: kindIdentify}, nil
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
		if clean == "" || units(clean) > maxTraitKey {
			f.drop(field)
			continue
		}
		switch v := o[key].(type) {
		case nil, bool:
			all[clean] = v
		case string:
			all[clean] = f.bounded(address.Clean(v), maxTrait, field)
		case json.Number:
			if plain, ok := storable(v, 0); ok {
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
