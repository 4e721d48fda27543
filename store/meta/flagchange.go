package meta

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
)

var flagChanges = record[flags.Change]{"flag change", "flag_changes", func(c *flags.Change) []field {
	return []field{
		{"client_kind", (*string)(&c.Client.Kind)}, {"client", &c.Client.ID}, {"flag", &c.Flag}, {"revision", &c.Revision}, {"changed_at", (*millis)(&c.At)},
		{"event", (*string)(&c.Event)}, {"actor_type", &c.Actor.Kind}, {"actor_id", &c.Actor.ID}, {"actor_name", &c.Actor.Name},
		{"flag_before", maybeFlag{&c.Before}}, {"flag_after", maybeFlag{&c.After}},
	}
}}

// maybeFlag is a flag as JSON, null where there is none.
type maybeFlag struct{ at **flags.Flag }

// Value implements [driver.Valuer].
func (f maybeFlag) Value() (driver.Value, error) {
	if *f.at == nil {
		return nil, nil
	}
	return toJSON(*f.at)
}

// Scan implements [sql.Scanner].
func (f maybeFlag) Scan(from any) error {
	var text sql.NullString
	*f.at = nil
	if err := text.Scan(from); err != nil || !text.Valid {
		return err
	}
	*f.at = &flags.Flag{}
	return fromJSON(text.String, *f.at)
}

// remember adds the changes of c to the history, and forgets those that are too old.
func (f Flags) remember(ctx context.Context, db querier, c flags.Commit) error {
	for _, one := range c.Changes {
		one.Client = c.Client
		if _, err := change(ctx, db, flagChanges.insert(f.store, one)); err != nil {
			return err
		}
		if one.Revision <= flags.MaxHistory {
			continue
		}
		old := sq.And{ofRecord(c.Client, "flag", one.Flag), sq.LtOrEq{"revision": one.Revision - flags.MaxHistory}}
		if _, err := change(ctx, db, f.store.sql.Delete(flagChanges.table).Where(old)); err != nil {
			return err
		}
	}
	return nil
}

// History implements [flags.Store].
func (f Flags) History(ctx context.Context, client flags.Client, flag string, before int64, limit int) ([]flags.Change, error) {
	q := flagChanges.query(f.store).Where(ofRecord(client, "flag", flag)).Where(sq.Lt{"revision": before}).
		OrderBy("revision DESC").Limit(uint64(max(limit, 0)))
	return collect(ctx, f.store, "history of a flag", q, func(row scanner) (flags.Change, error) {
		c, err := flagChanges.scan(row)
		for _, state := range []*flags.Flag{c.Before, c.After} {
			if state != nil {
				state.Client = client
			}
		}
		return c, err
	})
}

// toJSON writes a record so that the JSON values in it stay as they are, byte for byte.
func toJSON(record any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(record)
	return b.String(), err
}

func fromJSON(text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("%w: a flag: %w", store.ErrCorrupt, err)
	}
	return nil
}
