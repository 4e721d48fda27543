package meta

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// ErrOtherPepper: the pepper is not the one of these records, so no key and no token would work, and the audit trail
// would look changed.
var ErrOtherPepper = errors.New("store/meta: this is not the pepper of these records")

// factPepper is the fact with the fingerprints of the peppers, in the order of [auth.Pepper.Each].
const factPepper = "meta:pepper"

// Fact returns the text that a host stored with [Store.SetFact], or an empty text.
func (s *Store) Fact(ctx context.Context, name string) (string, error) {
	found, err := collect(ctx, s, "fact", s.factQuery(name), text)
	return strings.Join(found, ""), err
}

// SetFact stores a text about the installation under a name, in place of an earlier one. Names that begin with meta:
// belong to this package.
func (s *Store) SetFact(ctx context.Context, name, value string) error {
	return s.insert(ctx, "set fact", "", s.sql.Insert("facts").Columns("name", "value").Values(name, value).
		Suffix("ON CONFLICT (name) DO UPDATE SET value = excluded.value"))
}

func (s *Store) factQuery(name string) sq.SelectBuilder {
	return s.sql.Select("value").From("facts").Where(sq.Eq{"name": name})
}

// fingerprints returns what the records store of a pepper and its older ones. Nobody can compute the pepper, or
// another key that is derived from it, from a fingerprint.
func fingerprints(p auth.Pepper) (all []string, err error) {
	for _, one := range p.Each() {
		key, err := one.Key("store/meta: fingerprint of the pepper")
		if err != nil {
			return nil, err
		}
		all = append(all, hex.EncodeToString(key))
	}
	return all, nil
}

// has reports in constant time whether known has a fingerprint.
func has(known []string, fingerprint string) bool {
	same := 0
	for _, one := range known {
		same |= subtle.ConstantTimeCompare([]byte(one), []byte(fingerprint))
	}
	return same == 1
}

// follow returns the fingerprints that the records have after a process opened them with the pepper of mine. The
// process must have one of the known peppers. If it has a new one, or the newest, the list follows it: new peppers are
// added, and removed lines leave. A process that does not have the newest yet changes nothing.
func follow(known, mine []string) ([]string, error) {
	isKnown := false
	for _, one := range mine {
		isKnown = has(known, one) || isKnown
	}
	switch {
	case len(known) == 0:
		return mine, nil
	case !isKnown:
		return nil, ErrOtherPepper
	case mine[0] == known[0] || !has(known, mine[0]):
		return mine, nil
	}
	return known, nil
}

// CheckPepper returns [ErrOtherPepper] if these records belong to another pepper. It changes nothing. Open calls it
// with Config.Pepper.
func (s *Store) CheckPepper(ctx context.Context, p auth.Pepper) error {
	known, err := s.Fact(ctx, factPepper)
	if err != nil {
		return err
	}
	return checkPepper(known, p)
}

func checkPepper(known string, p auth.Pepper) error {
	mine, err := fingerprints(p)
	if err != nil || len(mine) == 0 {
		return err
	}
	_, err = follow(strings.Fields(known), mine)
	return err
}

// adoptPepper checks Config.Pepper, and stores its fingerprints.
func (s *Store) adoptPepper(ctx context.Context) error {
	mine, err := fingerprints(s.cfg.Pepper)
	if err != nil || len(mine) == 0 {
		return err
	}
	stored, err := s.Fact(ctx, factPepper)
	if err != nil || stored == strings.Join(mine, " ") {
		return err
	}
	return s.update(ctx, "pepper", func(ctx context.Context, db querier) error {
		// the first of two processes that start at the same time with different peppers wins
		_, err := change(ctx, db, s.sql.Insert("facts").Columns("name", "value").Values(factPepper, strings.Join(mine,
			" ")).
			Suffix("ON CONFLICT (name) DO NOTHING"))
		if err != nil {
			return err
		}
		found, err := collectFrom(ctx, db, s.factQuery(factPepper).Suffix(s.lang.forUpdate), text)
		if err != nil {
			return err
		}
		next, err := follow(strings.Fields(strings.Join(found, "")), mine)
		if err != nil {
			return err
		}
		_, err = change(ctx, db, s.sql.Update("facts").Set("value", strings.Join(next,
			" ")).Where(sq.Eq{"name": factPepper}))
		return err
	})
}

// NeedsPepper reports whether a pepper belongs to these records already: they have its fingerprint, keys, or entries of
// the audit trail. A host that finds no pepper must not create another one then.
func (s *Store) NeedsPepper(ctx context.Context) (bool, error) {
	for _, q := range []sq.SelectBuilder{
		s.factQuery(factPepper), s.sql.Select("id").From(keys.table), s.sql.Select("writer").From(chains.table),
	} {
		if found, err := collect(ctx, s, "pepper", q.Limit(1), text); err != nil || len(found) > 0 {
			return len(found) > 0, err
		}
	}
	return false, nil
}

// ForgetPepper prepares the records for another pepper, when theirs is lost: the next [Open] with a pepper binds them
// to it. The audit trail, which nobody could verify, is deleted. Keys stay, and work again after they were rotated.
func (s *Store) ForgetPepper(ctx context.Context) error {
	return s.update(ctx, "forget pepper", func(ctx context.Context, db querier) error {
		for _, q := range []sq.Sqlizer{
			s.sql.Delete("facts").Where(sq.Eq{"name": factPepper}), s.sql.Delete(chains.table),
			s.sql.Delete(pages.table), s.sql.Delete(pageUses.table),
		} {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// KnowsAny reports whether one of subjects is a website, link or monitor of these records, or was one.
func (s *Store) KnowsAny(ctx context.Context, subjects []store.Subject) (bool, error) {
	for _, subject := range subjects {
		if _, err := s.Owner(ctx, subject); !errors.Is(err, store.ErrNotFound) {
			return err == nil, err
		}
		removed, err := collect(ctx, s, "removed", s.sql.Select("owner").From("removed_subjects").
			Where(sq.Eq{"kind": string(subject.Kind), "id": subject.ID}), text)
		if err != nil || len(removed) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}
