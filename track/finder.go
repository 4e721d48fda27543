package track

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// maxID is the maximum length of a website's id; longer ids are not looked up.
const maxID = 255

// A finder looks up what one request names in the directory. It reports unknown resources like resources that the key
// does not include.
type finder struct {
	directory store.Directory
	key       *auth.Key                // nil without a key
	owners    map[store.Subject]string // owners of links and monitors that were looked up
	only      *string                  // set on first use: the only website of the key
}

// website returns the website with this id.
func (d *finder) website(ctx context.Context, id string, unknown code) (store.Website, error) {
	if len(id) > maxID || !valid(id) {
		return store.Website{}, unknown.problem()
	}
	w, err := d.directory.Website(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Website{}, unknown.problem()
	case err != nil:
		return store.Website{}, codeLookupDown.withCause(err)
	case d.key != nil && !d.reaches(ofWebsite(w.ID), w.Owner):
		return store.Website{}, unknown.problem()
	}
	return w, nil
}

// owner returns the owner of a link or monitor.
func (d *finder) owner(ctx context.Context, s store.Subject) (string, error) {
	if owner, ok := d.owners[s]; ok {
		return owner, nil
	}
	owner, err := d.directory.Owner(ctx, s)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", codeForbidden.problem()
	case err != nil:
		return "", codeLookupDown.withCause(err)
	case !d.reaches(s, owner):
		return "", codeForbidden.problem()
	}
	if d.owners == nil {
		d.owners = map[store.Subject]string{}
	}
	d.owners[s] = owner
	return owner, nil
}

// onlySite returns the website of a key that reaches exactly one, else an empty text.
func (d *finder) onlySite(ctx context.Context) (string, error) {
	if d.only != nil {
		return *d.only, nil
	}
	var ids []string
	for _, r := range d.key.Resources {
		if r.Kind == string(store.KindWebsite) {
			ids = append(ids, r.ID)
		}
	}
	if d.key.ReachesEverything() {
		all, err := d.directory.Websites(ctx, d.key.Owner)
		if err != nil {
			return "", codeLookupDown.withCause(err)
		}
		for _, w := range all {
			if d.reaches(ofWebsite(w.ID), w.Owner) {
				ids = append(ids, w.ID)
			}
		}
	}
	only := ""
	if len(ids) == 1 {
		only = ids[0]
	}
	d.only = &only
	return only, nil
}

// reaches reports whether the key may write to s.
func (d *finder) reaches(s store.Subject, owner string) bool {
	return d.key.Allows(auth.TrackEvents, auth.Resource{Kind: string(s.Kind), ID: s.ID, Owner: owner})
}

// valid reports whether an id can be looked up and stored.
func valid(id string) bool {
	return id != "" && utf8.ValidString(id) &&
		!strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f })
}
