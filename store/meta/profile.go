package meta

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// profileRow is a row of profiles. traits is JSON.
type profileRow struct {
	store.Profile

	traits string
}

var profiles = record[profileRow]{"profile", "profiles", func(p *profileRow) []field {
	return []field{
		{"website", &p.Website}, {"id", &p.ID}, {"name", &p.Name}, {"traits", &p.traits}, {"keyed", &p.Keyed},
		{"changed_at", (*millis)(&p.ChangedAt)},
	}
}}

// A profileCount counts the profiles of a website. Every transaction that adds or removes profiles changes it.
type profileCount struct{ anonymous, keyed int }

const profileCounts = "profile_counts"

// profileLimits bounds the profiles of a website and of its owner: all profiles, and profiles that only senders without
// a key have set.
type profileLimits struct{ all, anonymous, ofOwner, anonymousOfOwner int }

func theProfileLimits() profileLimits {
	return profileLimits{store.MaxProfiles, store.MaxAnonymousProfiles, store.MaxOwnerProfiles,
		store.MaxOwnerAnonymousProfiles}
}

// Identify stores i. It is on disk when Identify returns nil. The error wraps [store.ErrManyTraits] if the profile
// would have too many traits. It wraps [store.ErrManyProfiles] if the website already has [store.MaxProfiles], its
// owner [store.MaxOwnerProfiles], or if a sender without a key would exceed [store.MaxAnonymousProfiles] or
// [store.MaxOwnerAnonymousProfiles].
func (s *Store) Identify(ctx context.Context, i store.Identification) error {
	return s.identify(ctx, i, theProfileLimits())
}

func (s *Store) identify(ctx context.Context, i store.Identification, limits profileLimits) error {
	this := sq.Eq{"website": i.Website, "id": i.Profile}
	return s.update(ctx, "identify", func(ctx context.Context, db querier) error {
		fresh := profileRow{Profile: store.Profile{Website: i.Website, ID: i.Profile, Keyed: i.Keyed,
			ChangedAt: s.created(s.cfg.Now())}, traits: "{}"}
		added, err := change(ctx, db, profiles.insert(s, fresh).Suffix("ON CONFLICT (website, id) DO NOTHING"))
		if err != nil {
			return err
		}
		if added > 0 {
			if err := s.countAdded(ctx, db, i, limits); err != nil {
				return err
			}
		}
		found, err := collectFrom(ctx, db, profiles.query(s).Where(this).Suffix(s.lang.forUpdate), profiles.scan)
		if err != nil || len(found) == 0 || found[0].Keyed && !i.Keyed {
			return err
		}
		if i.Keyed && !found[0].Keyed {
			if _, err := s.countProfiles(ctx, db, i.Website, profileCount{anonymous: -1, keyed: 1}); err != nil {
				return err
			}
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

// countAdded counts a profile that i added. It returns an error if the website, or its owner, now has too many.
func (s *Store) countAdded(ctx context.Context, db querier, i store.Identification, limits profileLimits) error {
	n, err := s.countProfiles(ctx, db, i.Website, oneProfile(i.Keyed))
	switch {
	case err != nil:
		return err
	case n.anonymous+n.keyed > limits.all:
		return fmt.Errorf("%w: %d", store.ErrManyProfiles, limits.all)
	case !i.Keyed && n.anonymous > limits.anonymous:
		return fmt.Errorf("%w: %d from senders without a key", store.ErrManyProfiles, limits.anonymous)
	}
	n, err = s.profilesOfOwner(ctx, db, i.Website)
	switch {
	case err != nil:
		return err
	case n.anonymous+n.keyed > limits.ofOwner:
		return fmt.Errorf("%w: %d for all websites of an owner", store.ErrManyProfiles, limits.ofOwner)
	case !i.Keyed && n.anonymous > limits.anonymousOfOwner:
		return fmt.Errorf("%w: %d from senders without a key, for all websites of an owner", store.ErrManyProfiles,
			limits.anonymousOfOwner)
	}
	return nil
}

// profilesOfOwner returns the counts of all websites of the owner of a website.
func (s *Store) profilesOfOwner(ctx context.Context, db querier, website string) (profileCount, error) {
	sums, err := collectFrom(ctx, db, s.sql.
		Select("CAST(COALESCE(SUM(anonymous), 0) AS BIGINT)", "CAST(COALESCE(SUM(keyed), 0) AS BIGINT)").
		From(profileCounts).
		Where("website IN (SELECT id FROM websites WHERE owner = (SELECT owner FROM websites WHERE id = ?))", website),
		scanProfileCount)
	if err != nil || len(sums) == 0 {
		return profileCount{}, err
	}
	return sums[0], nil
}

func scanProfileCount(row scanner) (n profileCount, err error) {
	err = row.Scan(&n.anonymous, &n.keyed)
	return n, err
}

func oneProfile(keyed bool) profileCount {
	if keyed {
		return profileCount{keyed: 1}
	}
	return profileCount{anonymous: 1}
}

// countProfiles adds more to the counts of a website, and returns the new counts.
func (s *Store) countProfiles(ctx context.Context, db querier, website string, more profileCount) (profileCount,
	error) {
	q := s.sql.Insert(profileCounts).Columns("website", "anonymous", "keyed").Values(website, more.anonymous,
		more.keyed).
		Suffix("ON CONFLICT (website) DO UPDATE SET anonymous = profile_counts.anonymous + excluded.anonymous, " +
			"keyed = profile_counts.keyed + excluded.keyed RETURNING anonymous, keyed")
	sums, err := collectFrom(ctx, db, q, scanProfileCount)
	if err != nil || len(sums) == 0 {
		return profileCount{}, err
	}
	return sums[0], nil
}

// merge returns the stored traits with changes applied, as JSON, and the name in them. A nil value deletes a
// trait.
func merge(stored string, changes map[string]any) (text, name string, err error) {
	all, err := traitsOf(stored)
	if err != nil {
		return "", "", err
	}
	for key, value := range changes {
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

// ProfilesAfter returns at most limit profiles of a website with an id above after, ordered by id.
func (s *Store) ProfilesAfter(ctx context.Context, website, after string, limit int) ([]store.Profile, error) {
	rows, err := collect(ctx, s, "profiles", profiles.query(s).Where(sq.Eq{"website": website}).
		Where(sq.Gt{"id": after}).OrderBy("id").Limit(uint64(limit)), profiles.scan)
	if err != nil {
		return nil, err
	}
	all := make([]store.Profile, len(rows))
	for i, row := range rows {
		if row.Traits, err = traitsOf(row.traits); err != nil {
			return nil, s.wrap(ctx, "profiles", err)
		}
		all[i] = row.Profile
	}
	return all, nil
}

// RestoreProfiles stores profiles of an export, all or none of them, and returns the number of profiles refused
// because the website or the profile would exceed a limit of [Store.Identify]. A stored profile is replaced if it
// changed before the given one, unless only the stored one was set with an API key.
func (s *Store) RestoreProfiles(ctx context.Context, all []store.Profile) (refused int, err error) {
	return s.restoreProfiles(ctx, all, theProfileLimits())
}

func (s *Store) restoreProfiles(ctx context.Context, all []store.Profile, limits profileLimits) (refused int,
	err error) {
	err = s.update(ctx, "restore profiles", func(ctx context.Context, db querier) error {
		refused = 0 // the transaction may be repeated
		for _, p := range all {
			stored, err := s.restoreProfile(ctx, db, p, limits)
			if err != nil {
				return err
			}
			if !stored {
				refused++
			}
		}
		return nil
	})
	return refused, err
}

// restoreProfile stores p within a transaction. It returns false if a limit would be exceeded.
func (s *Store) restoreProfile(ctx context.Context, db querier, p store.Profile, limits profileLimits) (bool, error) {
	row := profileRow{Profile: p}
	if now := s.created(s.cfg.Now()); p.ChangedAt.After(now) {
		row.ChangedAt = now // a later time would refuse all imports until then
	}
	var err error
	if row.traits, row.Name, err = merge("{}", p.Traits); errors.Is(err, store.ErrManyTraits) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	this := sq.Eq{"website": p.Website, "id": p.ID}
	added, err := change(ctx, db, profiles.insert(s, row).Suffix("ON CONFLICT (website, id) DO NOTHING"))
	if err != nil {
		return false, err
	}
	if added > 0 {
		err := s.countAdded(ctx, db, store.Identification{Website: p.Website, Keyed: p.Keyed}, limits)
		if !errors.Is(err, store.ErrManyProfiles) {
			return err == nil, err
		}
		one := oneProfile(p.Keyed)
		if _, err := s.countProfiles(ctx, db, p.Website, profileCount{-one.anonymous, -one.keyed}); err != nil {
			return false, err
		}
		_, err = change(ctx, db, s.sql.Delete(profiles.table).Where(this))
		return false, err
	}
	found, err := collectFrom(ctx, db, profiles.query(s).Where(this).Suffix(s.lang.forUpdate), profiles.scan)
	if err != nil || len(found) == 0 || found[0].Keyed && !p.Keyed || !found[0].ChangedAt.Before(row.ChangedAt) {
		return err == nil, err
	}
	if p.Keyed && !found[0].Keyed {
		if _, err := s.countProfiles(ctx, db, p.Website, profileCount{anonymous: -1, keyed: 1}); err != nil {
			return false, err
		}
	}
	_, err = change(ctx, db, s.sql.Update(profiles.table).SetMap(map[string]any{
		"traits": row.traits, "name": row.Name, "keyed": row.Keyed, "changed_at": (*millis)(&row.ChangedAt),
	}).Where(this))
	return err == nil, err
}

// ProfileNames returns names by id. It omits ids without a profile, and profiles without a name.
func (s *Store) ProfileNames(ctx context.Context, website string, ids []string) (map[string]string, error) {
	names := map[string]string{}
	for some := range slices.Chunk(ids, namesAtOnce) {
		found, err := collect(ctx, s, "profile names",
			profiles.query(s).Where(sq.Eq{"website": website, "id": some}).Where(sq.NotEq{"name": ""}), profiles.scan)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			names[p.ID] = p.Name
		}
	}
	return names, nil
}

// namesAtOnce limits the ids in one statement, because databases limit its arguments.
const namesAtOnce = 1000

// RemoveProfile deletes a profile. The person's events stay stored. Its error wraps store.ErrNotFound.
func (s *Store) RemoveProfile(ctx context.Context, website, id string) error {
	return s.update(ctx, "remove profile", func(ctx context.Context, db querier) error {
		q := s.sql.Delete(profiles.table).Where(sq.Eq{"website": website, "id": id}).Suffix("RETURNING keyed")
		removed, err := collectFrom(ctx, db, q, func(row scanner) (keyed bool, err error) {
			err = row.Scan(&keyed)
			return keyed, err
		})
		if err != nil {
			return err
		}
		if len(removed) == 0 {
			return store.ErrNotFound
		}
		one := oneProfile(removed[0])
		_, err = s.countProfiles(ctx, db, website, profileCount{-one.anonymous, -one.keyed})
		return err
	})
}

// removeProfiles deletes all profiles of a website within a transaction. It subtracts the number of deleted profiles
// and does not delete the counts: other transactions may be adding profiles that it does not see yet. It returns the
// number.
func (s *Store) removeProfiles(ctx context.Context, db querier, website string) (int64, error) {
	var removed [2]int64
	for i, keyed := range []bool{false, true} {
		var err error
		if removed[i], err = change(ctx, db,
			s.sql.Delete(profiles.table).Where(sq.Eq{"website": website, "keyed": keyed})); err != nil {
			return 0, err
		}
	}
	if removed == [2]int64{} {
		return 0, nil
	}
	_, err := s.countProfiles(ctx, db, website, profileCount{-int(removed[0]), -int(removed[1])})
	return removed[0] + removed[1], err
}

// RemoveProfiles deletes all profiles of a website, and returns their number.
func (s *Store) RemoveProfiles(ctx context.Context, website string) (removed int64, err error) {
	err = s.update(ctx, "remove profiles", func(ctx context.Context, db querier) error {
		removed, err = s.removeProfiles(ctx, db, website)
		return err
	})
	return removed, err
}
