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

// dayNumber counts UTC days since 1970, before which no clock is.
func dayNumber(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// Salt returns the salt of the UTC day that day lies in: 32 random bytes, the same for all callers, in
// all processes. The first call destroys those from before yesterday, and creates it; what fails of the
// two is done by the next call. Its error wraps store.ErrNotFound for a day whose salt is destroyed,
// and store.ErrInvalid for a day after tomorrow, by the clock of Config.
func (s *Store) Salt(ctx context.Context, day time.Time) ([]byte, error) {
	n, today := dayNumber(day), dayNumber(s.cfg.Now())
	switch {
	case n < today-1:
		return nil, fmt.Errorf("store/meta: salt: %w: that of %s is destroyed", store.ErrNotFound, day.UTC().Format(time.DateOnly))
	case n > today+1: // a day of leeway, since clocks differ
		return nil, fmt.Errorf("store/meta: salt: %w: %s is in the future", store.ErrInvalid, day.UTC().Format(time.DateOnly))
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
		// Old salts go first: once there is a new one, nobody looks for them until tomorrow.
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

// saltCache holds the salts that were asked for, by day, since every tracked event wants
// one. They go when they are destroyed.
type saltCache struct {
	mu sync.Mutex
	of map[int64][]byte
}

// get returns a salt of the caller's own, or nil.
func (c *saltCache) get(day int64) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.of[day])
}

func (c *saltCache) put(day int64, salt []byte, first int64) {
	c.keep(first)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[int64][]byte{}
	}
	c.of[day] = slices.Clone(salt)
}

// keep drops the salts of days before first.
func (c *saltCache) keep(first int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.of, func(day int64, salt []byte) bool {
		if day < first {
			clear(salt)
		}
		return day < first
	})
}

// makeSalt keeps a new salt unless another was quicker, and returns the one that is kept.
func (s *Store) makeSalt(ctx context.Context, day int64, q sq.SelectBuilder) (found []string, err error) {
	var fresh [saltLen]byte
	if _, err := rand.Read(fresh[:]); err != nil {
		return nil, s.wrap(ctx, "salt", err)
	}
	err = s.update(ctx, "make salt", func(ctx context.Context, db querier) error {
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
	return nil, fmt.Errorf("store/meta: salt: %w: it cannot be read", store.ErrCorrupt)
}

// destroySalts removes the salts from before yesterday so that their bytes are gone
// from what the database reads and writes: their table is cleared in the way that
// leaves nothing, and what is not due is put back. What the database could not settle
// just then, the next call settles.
func (s *Store) destroySalts(ctx context.Context, today int64) error {
	s.salts.keep(today - 1)
	due := s.sql.Select("day").From("salts").Where(sq.Lt{"day": today - 1})
	some, err := collect(ctx, s, "old salts", due.Limit(1), text)
	if err != nil {
		return err
	}
	if len(some) > 0 {
		s.traces.Store(true)
		err := s.update(ctx, "destroy salts", func(ctx context.Context, db querier) error {
			return s.keepSalts(ctx, db, today-1)
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

// keepSalts clears the table of salts but for those from the day first on.
func (s *Store) keepSalts(ctx context.Context, db querier, first int64) error {
	if s.lang.holdSalts != "" {
		if _, err := db.ExecContext(ctx, s.lang.holdSalts); err != nil {
			return err
		}
	}
	type salt struct {
		day  int64
		text string
	}
	kept, err := collectFrom(ctx, db, s.sql.Select("day", "salt").From("salts").Where(sq.GtOrEq{"day": first}),
		func(row scanner) (one salt, err error) {
			err = row.Scan(&one.day, &one.text)
			return one, err
		})
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, s.lang.clearSalts); err != nil || len(kept) == 0 {
		return err
	}
	back := s.sql.Insert("salts").Columns("day", "salt")
	for _, one := range kept {
		back = back.Values(one.day, one.text)
	}
	_, err = change(ctx, db, back)
	return err
}
