package track

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxTraitKey = 128
	maxTrait    = 255
)

// Profiles stores what senders say about people.
type Profiles interface {
	// Identify stores i; it is durable when it returns nil. Its error wraps [store.ErrManyTraits] when
	// the profile would have too many traits.
	Identify(ctx context.Context, i store.Identification) error
}

// takeIdentity takes the body of /identify.
func takeIdentity(c *call, f *fields, _ *store.Batch) (taken, error) {
	site, err := c.siteOf(f)
	if p, ok := errors.AsType[*problem](err); ok && p.Code == codes[codeWebsiteMissing].Code {
		return taken{}, codeIdentifyMissing.problem()
	} else if err != nil {
		return taken{}, err
	}
	i := store.Identification{Website: site.ID, Profile: f.need(maxProfile, "profileId", "profile_id"), Traits: f.traits(), Keyed: c.key != nil}
	if p := f.problem(); p != nil {
		return taken{}, p
	}
	c.use(store.KindWebsite, site.ID, site.Owner)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), writeTimeout)
	defer cancel()
	switch err := c.h.cfg.Profiles.Identify(ctx, i); {
	case errors.Is(err, store.ErrManyTraits):
		f.fail("traits", "too_big", "at most %d in all, and %d bytes as JSON", store.MaxTraits, store.MaxTraitsText)
		return taken{}, f.problem()
	case errors.Is(err, store.ErrInvalid):
		return taken{}, codeInternal.withCause(err)
	case err != nil:
		return taken{}, codeDeliveryDown.withCause(err)
	}
	return taken{kind: kindIdentify}, nil
}

// traits are texts, numbers, true and false by name; null removes one.
func (f *fields) traits() map[string]any {
	v, name := f.get("traits")
	if v == nil {
		return nil
	}
	o, ok := v.(object)
	if !ok {
		f.fail(name, "invalid_type", "expected an object")
		return nil
	}
	all := make(map[string]any, len(o))
	for key, value := range o {
		key = address.Clean(key)
		if key == "" || units(key) > maxTraitKey {
			f.fail(name, "too_big", "keys of 1 to %d characters", maxTraitKey)
			continue
		}
		switch v := value.(type) {
		case nil, bool:
			all[key] = v
		case string:
			if all[key] = address.Clean(v); units(v) > maxTrait {
				f.fail(name+"."+key, "too_big", "at most %d characters", maxTrait)
			}
		case json.Number:
			plain, ok := storable(v, 0)
			if all[key] = plain; !ok {
				f.fail(name+"."+key, "invalid_value", "a number that no database holds")
			}
		default:
			f.fail(name+"."+key, "invalid_type", "expected a string, a number, true, false or null")
		}
	}
	return all
}
