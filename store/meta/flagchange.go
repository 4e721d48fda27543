package meta

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/store"
)

// flagChange is a row of flag_changes. The file migrations/0001_schema.sql explains its columns.
type flagChange struct {
	flags.Change

	undo, after sql.NullString
	size        int64
}

var flagChanges = record[flagChange]{"flag change", "flag_changes", func(c *flagChange) []field {
	return []field{
		{"client_kind", (*string)(&c.Client.Kind)}, {"client", &c.Client.ID}, {"flag", &c.Flag},
		{"revision", &c.Revision}, {"changed_at", (*millis)(&c.At)},
		{"event", (*string)(&c.Event)}, {"actor_type", &c.Actor.Kind}, {"actor_id", &c.Actor.ID},
		{"actor_name", &c.Actor.Name},
		{"undo", &c.undo}, {"flag_after", &c.after}, {"size", &c.size},
	}
}}

// changeSize is the approximate size of a change in bytes, without undo and after.
const changeSize = 128

// remember adds the changes of c to the history. It deletes the oldest changes beyond [flags.MaxHistory] changes
// of a flag, [flags.MaxHistoryBytes] bytes of a client, and [flags.MaxOwnerHistoryBytes] bytes of an owner, which may
// be unknown.
func (f Flags) remember(ctx context.Context, db querier, c flags.Commit, owner string) error {
	for _, one := range c.Changes {
		one.Client = c.Client
		if err := f.addChange(ctx, db, one); err != nil {
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
	if len(c.Changes) == 0 {
		return nil
	}
	if err := f.boundHistory(ctx, db, ofClient(c.Client), flags.MaxHistoryBytes); err != nil || owner == "" {
		return err
	}
	return f.boundHistory(ctx, db, f.store.ofClients(owner), flags.MaxOwnerHistoryBytes)
}

// addChange stores one change. If the change's undo leads to the flag after the previous change, the previous
// change no longer stores that flag.
func (f Flags) addChange(ctx context.Context, db querier, one flags.Change) error {
	row := flagChange{Change: one}
	after, err := membersOf(one.After)
	if err != nil {
		return err
	}
	if after != nil {
		row.after.Valid = true
		if row.after.String, err = toJSON(after); err != nil {
			return err
		}
	}
	if one.Before != nil {
		before, err := membersOf(one.Before)
		if err != nil {
			return err
		}
		if row.undo.String, err = toJSON(undoOf(before, after)); err != nil {
			return err
		}
		row.undo.Valid = true
		if err := f.releasePrevious(ctx, db, one, before); err != nil {
			return err
		}
	}
	row.size = changeSize + int64(len(row.undo.String)+len(row.after.String))
	_, err = change(ctx, db, flagChanges.insert(f.store, row))
	return err
}

// releasePrevious removes the stored flag from the change before one, if that flag equals before.
func (f Flags) releasePrevious(ctx context.Context, db querier, one flags.Change, before members) error {
	text, err := toJSON(before)
	if err != nil {
		return err
	}
	_, err = change(ctx, db, f.store.sql.Update(flagChanges.table).
		Set("flag_after", nil).Set("size", sq.Expr("size - ?", len(text))).
		Where(ofRecord(one.Client, "flag", one.Flag)).Where(sq.Eq{"revision": one.Revision - 1, "flag_after": text}))
	return err
}

// boundHistory deletes the oldest changes that match where, until they take at most bound bytes.
func (f Flags) boundHistory(ctx context.Context, db querier, where sq.Sqlizer, bound int64) error {
	u, err := f.store.used(ctx, db, flagChanges.table, where, "size")
	if err != nil {
		return err
	}
	for excess := u.size - bound; excess > 0; {
		const atOnce = 100
		oldest, err := collectFrom(ctx, db, f.store.sql.
			Select("client_kind", "client", "flag", "revision", "size").From(flagChanges.table).Where(where).
			OrderBy("changed_at", "revision").Limit(atOnce), func(row scanner) (c flagChange, err error) {
			err = row.Scan((*string)(&c.Client.Kind), &c.Client.ID, &c.Flag, &c.Revision, &c.size)
			return c, err
		})
		if err != nil || len(oldest) == 0 {
			return err
		}
		for _, old := range oldest {
			if excess <= 0 {
				break
			}
			this := ofRecord(old.Client, "flag", old.Flag)
			this["revision"] = old.Revision
			if _, err := change(ctx, db, f.store.sql.Delete(flagChanges.table).Where(this)); err != nil {
				return err
			}
			excess -= old.size
		}
	}
	return nil
}

// History implements [flags.Store]. It reads all later changes too, because each change leads to the one before
// it. The history ends where the next change is missing: boundHistory deletes by time, and after the clock was set
// back it can delete a newer change first.
func (f Flags) History(ctx context.Context, client flags.Client, flag string, before int64, limit int) ([]flags.Change,
	error) {
	q := flagChanges.query(f.store).Where(ofRecord(client, "flag", flag)).OrderBy("revision DESC")
	rows, err := collect(ctx, f.store, "history of a flag", q, flagChanges.scan)
	if err != nil {
		return nil, err
	}
	found := []flags.Change{}
	var state members // the flag after the row
	for i, row := range rows {
		if len(found) >= limit || !row.after.Valid && (i == 0 || rows[i-1].Revision != row.Revision+1) {
			break
		}
		after, previous, err := row.around(state)
		if err == nil && row.Revision < before {
			row.After, err = after.flag(client)
			if err == nil {
				row.Before, err = previous.flag(client)
			}
			found = append(found, row.Change)
		}
		if err != nil {
			return nil, f.store.wrap(ctx, "history of a flag", err)
		}
		state = previous
	}
	return found, nil
}

// around returns the flag after c and the flag before c. state is the flag before the next change.
func (c flagChange) around(state members) (after, before members, err error) {
	after = state
	if c.after.Valid {
		after = nil
		if err := fromJSON(c.after.String, &after); err != nil {
			return nil, nil, err
		}
	}
	if !c.undo.Valid {
		return after, nil, nil
	}
	var u undo
	if err := fromJSON(c.undo.String, &u); err != nil {
		return nil, nil, err
	}
	return after, u.apply(after), nil
}

// members holds the fields of a flag as JSON.
type members map[string]json.RawMessage

// membersOf returns the members of f, or nil if f is nil.
func membersOf(f *flags.Flag) (m members, err error) {
	if f == nil {
		return nil, nil
	}
	text, err := toJSON(f)
	if err != nil {
		return nil, err
	}
	return m, fromJSON(text, &m)
}

// flag returns the flag of client with the members m, or nil if m is nil.
func (m members) flag(client flags.Client) (*flags.Flag, error) {
	if m == nil {
		return nil, nil
	}
	text, err := toJSON(m)
	if err != nil {
		return nil, err
	}
	f := &flags.Flag{}
	err = fromJSON(text, f)
	f.Client = client
	return f, err
}

// undo turns the flag after a change into the flag before it.
type undo struct {
	Set  members  `json:"set,omitempty"`
	Drop []string `json:"drop,omitempty"` // members that the flag before did not have
}

func undoOf(before, after members) (u undo) {
	u.Set = members{}
	for name, value := range before {
		if !bytes.Equal(value, after[name]) {
			u.Set[name] = value
		}
	}
	for name := range after {
		if _, had := before[name]; !had {
			u.Drop = append(u.Drop, name)
		}
	}
	return u
}

// apply returns the flag before the change. It does not modify after.
func (u undo) apply(after members) members {
	before := maps.Clone(after)
	maps.Copy(before, u.Set)
	for _, name := range u.Drop {
		delete(before, name)
	}
	return before
}

// toJSON encodes a record. JSON values in the record stay the same, byte for byte.
func toJSON(record any) (string, error) {
	text, err := jsontext.AppendLine(nil, record)
	return string(text), err
}

func fromJSON(text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("%w: flag: %w", store.ErrCorrupt, err)
	}
	return nil
}
