package meta

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// profileRow is a profile with its traits as they are kept.
type profileRow struct {
	store.Profile

	traits string
}

var profiles = record[profileRow]{"profile", "profiles", func(p *profileRow) []field {
	return []field{
		{"website", &p.Website}, {"id", &p.ID}, {"name", &p.Name}, {"traits", &p.traits}, {"keyed", &p.Keyed}, {"changed_at", (*millis)(&p.ChangedAt)},
	}
}}

// Identify stores i; it is durable when it returns nil. Its error wraps [store.ErrManyTraits], and
// [store.ErrFull] when the website has [store.MaxProfiles].
func (s *Store) Identify(ctx context.Context, i store.Identification) error {
	return s.identify(ctx, i, store.MaxProfiles)
}

func (s *Store) identify(ctx context.Context, i store.Identification, most int) error {
	this := sq.Eq{"website": i.Website, "id": i.Profile}
	return s.update(ctx, "identify", func(ctx context.Context, db querier) error {
		fresh := profileRow{Profile: store.Profile{Website: i.Website, ID: i.Profile, ChangedAt: s.created(s.cfg.Now())}, traits: "{}"}
		added, err := change(ctx, db, profiles.insert(s, fresh).Suffix("ON CONFLICT (website, id) DO NOTHING"))
		if err != nil {
			return err
		}
		if added > 0 {
			if err := s.needRoom(ctx, db, i.Website, most); err != nil {
				return err
			}
		}
		found, err := collectFrom(ctx, db, profiles.query(s).Where(this).Suffix(s.lang.forUpdate), profiles.scan)
		if err != nil || len(found) == 0 || found[0].Keyed && !i.Keyed {
			return err
		}
		text, name, err := merge(found[0].traits, i.Traits)
		if err != nil {
			return err
		}
		_, err = change(ctx, db, s.sql.Update(profiles.table).SetMap(map[string]any{
			"traits": text, "name": name, "keyed": i.Keyed, "changed_at": (*millis)(&fresh.ChangedAt),
		}).Where(this))
		return err
	})
}

// needRoom reports that a website has more profiles than it may.
func (s *Store) needRoom(ctx context.Context, db querier, website string, most int) error {
	count, err := collectFrom(ctx, db, s.sql.Select("COUNT(*)").From(profiles.table).Where(sq.Eq{"website": website}), text)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(strings.Join(count, "")); err != nil || n > most {
		return fmt.Errorf("%w: the website has %d profiles", store.ErrFull, most)
	}
	return nil
}

// merge is kept, changed by told, and what it says of a name.
func merge(kept string, told map[string]any) (text, name string, err error) {
	all, err := traitsOf(kept)
	if err != nil {
		return "", "", err
	}
	for key, value := range told {
		if value == nil {
			delete(all, key)
		} else {
			all[key] = value
		}
	}
	if email, ok := all["email"].(string); ok {
		all["email"] = strings.ToLower(email)
	}
	if text, err = toJSON(all); err != nil {
		return "", "", err
	}
	if len(all) > store.MaxTraits || len(text) > store.MaxTraitsText {
		return "", "", store.ErrManyTraits
	}
	username, _ := all["username"].(string)
	full, _ := all["name"].(string)
	return text, cmp.Or(username, full), nil
}

func traitsOf(text string) (map[string]any, error) {
	all := map[string]any{}
	d := json.NewDecoder(bytes.NewBufferString(text))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("%w: traits: %w", store.ErrCorrupt, err)
	}
	return all, nil
}

// Profile returns one profile. Its error wraps store.ErrNotFound.
func (s *Store) Profile(ctx context.Context, website, id string) (store.Profile, error) {
	row, err := one(ctx, s, "profile", profiles.query(s).Where(sq.Eq{"website": website, "id": id}), profiles.scan)
	if err != nil {
		return store.Profile{}, err
	}
	row.Traits, err = traitsOf(row.traits)
	return row.Profile, s.wrap(ctx, "profile", err)
}

// ProfileNames returns the names of those of a website's profiles that have one, by id.
func (s *Store) ProfileNames(ctx context.Context, website string, ids []string) (map[string]string, error) {
	names := map[string]string{}
	for some := range slices.Chunk(ids, namesAtOnce) {
		found, err := collect(ctx, s, "profile names", profiles.query(s).Where(sq.Eq{"website": website, "id": some}).Where(sq.NotEq{"name": ""}), profiles.scan)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			names[p.ID] = p.Name
		}
	}
	return names, nil
}

// namesAtOnce is how many profiles one statement asks for: databases bound the arguments of one.
const namesAtOnce = 1000

// RemoveProfile deletes a profile; the person's events stay. Its error wraps store.ErrNotFound.
func (s *Store) RemoveProfile(ctx context.Context, website, id string) error {
	return s.update(ctx, "remove profile", func(ctx context.Context, db querier) error {
		removed, err := change(ctx, db, s.sql.Delete(profiles.table).Where(sq.Eq{"website": website, "id": id}))
		if err == nil && removed == 0 {
			err = store.ErrNotFound
		}
		return err
	})
}
