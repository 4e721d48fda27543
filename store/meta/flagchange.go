package meta

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
)

var changeColumns = []string{
	"client", "flag", "revision", "changed_at", "event", "actor_type", "actor_id", "actor_name", "flag_before", "flag_after",
}

// remember adds the changes of c to the history, and forgets those that are too old.
func (f Flags) remember(ctx context.Context, db querier, c flags.Commit) error {
	for _, one := range c.Changes {
		before, err1 := optionalJSON(one.Before)
		after, err2 := optionalJSON(one.After)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		_, err := change(ctx, db, f.store.sql.Insert("flag_changes").Columns(changeColumns...).Values(
			c.Client, one.Flag, one.Revision, one.At.UnixMilli(), string(one.Event),
			one.Actor.Kind, one.Actor.ID, one.Actor.Name, before, after))
		if err != nil {
			return err
		}
		if one.Revision <= flags.MaxHistory {
			continue
		}
		old := sq.And{sq.Eq{"client": c.Client, "flag": one.Flag}, sq.LtOrEq{"revision": one.Revision - flags.MaxHistory}}
		if _, err := change(ctx, db, f.store.sql.Delete("flag_changes").Where(old)); err != nil {
			return err
		}
	}
	return nil
}

// History implements [flags.Store].
func (f Flags) History(ctx context.Context, client, flag string, before int64, limit int) ([]flags.Change, error) {
	q := f.store.sql.Select(changeColumns...).From("flag_changes").
		Where(sq.Eq{"client": client, "flag": flag}).Where(sq.Lt{"revision": before}).
		OrderBy("revision DESC").Limit(uint64(max(limit, 0)))
	return collect(ctx, f.store, "history of a flag", q, scanChange)
}

func scanChange(row scanner) (c flags.Change, err error) {
	var at int64
	var before, after sql.NullString
	err = row.Scan(&c.Client, &c.Flag, &c.Revision, &at, &c.Event, &c.Actor.Kind, &c.Actor.ID, &c.Actor.Name, &before, &after)
	if err != nil {
		return flags.Change{}, err
	}
	c.At = instant(at)
	for _, d := range []struct {
		text sql.NullString
		into **flags.Flag
	}{{before, &c.Before}, {after, &c.After}} {
		if d.text.Valid {
			*d.into = &flags.Flag{}
			err = errors.Join(err, fromJSON(d.text.String, *d.into))
		}
	}
	return c, err
}

// toJSON writes a record so that the JSON values in it stay as they are, byte for byte.
func toJSON(record any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(record)
	return b.String(), err
}

func optionalJSON(f *flags.Flag) (sql.NullString, error) {
	if f == nil {
		return sql.NullString{}, nil
	}
	js, err := toJSON(f)
	return sql.NullString{String: js, Valid: true}, err
}

func fromJSON(text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("%w: a flag: %w", store.ErrCorrupt, err)
	}
	return nil
}
