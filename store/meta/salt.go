package meta

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

const saltLen = 32

// dayNumber returns the number of UTC days since 1970. t must not be before 1970.
func dayNumber(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// Salt returns the salt of the UTC day that contains day: 32 random bytes, the same for all callers in all
// processes. The first call of a day destroys the salts of days before yesterday, and creates a salt. If either
// fails, the next call repeats it. The error wraps store.ErrNotFound if the salt of the day was destroyed, and
// store.ErrInvalid if the day is after tomorrow. Config.Now is the clock.
func (s *Store) Salt(ctx context.Context, day time.Time) ([]byte, error) {
	n, today := dayNumber(day), dayNumber(s.cfg.Now())
	switch {
	case n < today-1:
		return nil, fmt.Errorf("store/meta: salt: %w: the salt of %s was destroyed", store.ErrNotFound,
			day.UTC().Format(time.DateOnly))
	case n > today+1: // tomorrow is allowed, because clocks differ
		return nil, fmt.Errorf("store/meta: salt: %w: %s is after tomorrow", store.ErrInvalid,
			day.UTC().Format(time.DateOnly))
	}
	if salt := s.salts.get(n); salt != nil {
		return salt, nil
	}
	q := s.sql.Select("salt").From("salts").Where(sq.Eq{"day": n})
	found, err := collect(ctx, s, "salt", q, text)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		// Destroy old salts first: once the new salt exists, no call looks for old ones until tomorrow.
		if err := s.destroySalts(ctx, today); err != nil {
			return nil, err
		}
		if found, err = s.makeSalt(ctx, n, q); err != nil {
			return nil, err
		}
	}
	salt, err := parseSalt(found)
	if err != nil {
		return nil, err
	}
	s.salts.put(n, salt, today-1)
	return salt, nil
}

// saltCache holds salts by day, because every tracked event needs one. Destroying salts also removes them here.
type saltCache struct {
	mu sync.Mutex
	of map[int64][]byte
}

// get returns a copy of a salt, or nil.
func (c *saltCache) get(day int64) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.of[day])
}

func (c *saltCache) put(day int64, salt []byte, first int64) {
	c.dropBefore(first)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[int64][]byte{}
	}
	c.of[day] = slices.Clone(salt)
}

// dropBefore overwrites and removes the salts of days before first.
func (c *saltCache) dropBefore(first int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.of, func(day int64, salt []byte) bool {
		if day < first {
			clear(salt)
		}
		return day < first
	})
}

// makeSalt stores a new salt unless the day already has one, and returns the stored salt.
func (s *Store) makeSalt(ctx context.Context, day int64, q sq.SelectBuilder) (found []string, err error) {
	var fresh [saltLen]byte
	if _, err := rand.Read(fresh[:]); err != nil {
		return nil, s.wrap(ctx, "salt", err)
	}
	err = s.update(ctx, "create salt", func(ctx context.Context, db querier) error {
		_, err := change(ctx, db, s.sql.Insert("salts").Columns("day", "salt").
			Values(day, hex.EncodeToString(fresh[:])).Suffix("ON CONFLICT (day) DO NOTHING"))
		if err != nil {
			return err
		}
		found, err = collectFrom(ctx, db, q, text)
		return err
	})
	return found, err
}

func parseSalt(found []string) ([]byte, error) {
	if len(found) == 1 {
		if salt, err := hex.DecodeString(found[0]); err == nil && len(salt) == saltLen {
			return salt, nil
		}
	}
	return nil, fmt.Errorf("store/meta: salt: %w: the stored salt is invalid", store.ErrCorrupt)
}

// destroySalts destroys the salts of days before yesterday. Their bytes must not stay in the files of the
// database, so it empties the table in a way that leaves no bytes, and stores the other salts again. If the
// database cannot clean up its log now, the next call tries again.
func (s *Store) destroySalts(ctx context.Context, today int64) error {
	s.salts.dropBefore(today - 1)
	due := s.sql.Select("day").From("salts").Where(sq.Lt{"day": today - 1})
	found, err := collect(ctx, s, "old salts", due.Limit(1), text)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		s.traces.Store(true)
		err := s.update(ctx, "destroy salts", func(ctx context.Context, db querier) error {
			return s.deleteSaltsBefore(ctx, db, today-1)
		})
		if err != nil {
			return err
		}
		s.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "old salts destroyed")
	}
	if !s.traces.Load() {
		return nil
	}
	settled, err := s.lang.settle(ctx, s.write)
	if err != nil {
		return s.wrap(ctx, "destroy salts", err)
	}
	s.traces.Store(!settled)
	return nil
}

// deleteSaltsBefore empties the table of salts, and stores the salts of first and later days again.
func (s *Store) deleteSaltsBefore(ctx context.Context, db querier, first int64) error {
	if s.lang.lockSalts != "" {
		if _, err := db.ExecContext(ctx, s.lang.lockSalts); err != nil {
			return err
		}
	}
	type salt struct {
		day  int64
		text string
	}
	recent, err := collectFrom(ctx, db, s.sql.Select("day", "salt").From("salts").Where(sq.GtOrEq{"day": first}),
		func(row scanner) (one salt, err error) {
			err = row.Scan(&one.day, &one.text)
			return one, err
		})
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, s.lang.clearSalts); err != nil || len(recent) == 0 {
		return err
	}
	back := s.sql.Insert("salts").Columns("day", "salt")
	for _, one := range recent {
		back = back.Values(one.day, one.text)
	}
	_, err = change(ctx, db, back)
	return err
}
