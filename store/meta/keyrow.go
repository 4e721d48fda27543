package meta

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// keyRow is a key with what the store alone knows of it.
type keyRow struct {
	auth.Key
	digest   string
	previous string    // empty when there is none
	until    time.Time // when previous dies
}

func (s *Store) selectKeys() sq.SelectBuilder {
	return s.sql.Select("id", "owner", "name", "prefix", "start", "all_resources", "disabled",
		"created_at", "expires_at", "revoked_at", "scopes", "resources", "filters", "types", "limits",
		"digest", "previous_digest", "previous_until", "last_used_at").From("api_keys")
}

// keyValues spells k as columns. JSON keeps the difference between no list and an empty one.
func keyValues(k auth.Key) (columns []string, values []any, err error) {
	columns = []string{
		"id", "owner", "name", "prefix", "start", "all_resources", "disabled",
		"created_at", "expires_at", "revoked_at",
	}
	values = []any{
		k.ID, k.Owner, k.Name, k.Prefix, k.Start, k.All, k.Disabled,
		k.CreatedAt.UnixMilli(), optionalTime(k.Expires), optionalTime(k.Revoked),
	}
	for _, c := range lists(&k) {
		js, err := json.Marshal(c.value)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.name, err)
		}
		columns, values = append(columns, c.name), append(values, string(js))
	}
	return columns, values, nil
}

type column struct {
	name  string
	value any // a pointer
}

// lists are the fields of k that are kept as JSON, in the order of selectKeys.
func lists(k *auth.Key) []column {
	return []column{
		{"scopes", &k.Scopes},
		{"resources", &k.Resources},
		{"filters", &k.Filters},
		{"types", &k.Types},
		{"limits", &k.Limits},
	}
}

func scanKey(row scanner) (k keyRow, err error) {
	var created int64
	var expires, revoked, until, used sql.NullInt64
	var previous sql.NullString
	fields := lists(&k.Key)
	texts := make([]string, len(fields))
	into := []any{&k.ID, &k.Owner, &k.Name, &k.Prefix, &k.Start, &k.All, &k.Disabled, &created, &expires, &revoked}
	for i := range texts {
		into = append(into, &texts[i])
	}
	if err := row.Scan(append(into, &k.digest, &previous, &until, &used)...); err != nil {
		return keyRow{}, err
	}
	var faults []error
	for i, f := range fields {
		if err := json.Unmarshal([]byte(texts[i]), f.value); err != nil {
			// A key that cannot be read whole must not open more than it should.
			faults = append(faults, fmt.Errorf("%w: key %s: %s: %w", store.ErrCorrupt, k.ID, f.name, err))
		}
	}
	k.CreatedAt, k.Expires, k.Revoked = instant(created), timeOf(expires), timeOf(revoked)
	k.LastUsed = timeOf(used)
	k.previous, k.until = previous.String, timeOf(until)
	return k, errors.Join(faults...)
}
