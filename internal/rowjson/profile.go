package rowjson

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/store"
)

// Profiles is the member table in the line of a profile, which is a record and not a row.
const Profiles = "profiles"

// A profileLine is the line of a profile.
type profileLine struct {
	Table     string         `json:"table"`
	Website   string         `json:"website"`
	ID        string         `json:"profile_id"`
	Name      string         `json:"name"` // follows from the traits
	Traits    map[string]any `json:"traits"`
	Keyed     bool           `json:"keyed"`
	ChangedAt string         `json:"changed_at"`
}

// AppendProfile appends the line of a profile to b, with its newline. The time is in whole milliseconds.
func AppendProfile(b []byte, p store.Profile) ([]byte, error) {
	return jsontext.AppendLine(b, profileLine{Profiles, p.Website, p.ID, p.Name, p.Traits, p.Keyed,
		p.ChangedAt.UTC().Format(jsontext.Instant)})
}

// IsProfile reports whether a line, which is valid JSON, is that of a profile.
func IsProfile(line []byte) bool {
	name, err := tableOf(line)
	return err == nil && name == Profiles
}

// DecodeProfile returns the profile of a line. Numbers in its traits are json.Number. Its error wraps [ErrInvalid].
func DecodeProfile(line []byte) (store.Profile, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	d.DisallowUnknownFields()
	var p profileLine
	if err := d.Decode(&p); err != nil {
		return store.Profile{}, invalid("%w", err)
	}
	at, err := time.Parse(time.RFC3339Nano, p.ChangedAt)
	switch {
	case p.Table != Profiles:
		return store.Profile{}, invalid("unknown table %q", p.Table)
	case p.Website == "":
		return store.Profile{}, invalid("website is required")
	case p.ID == "":
		return store.Profile{}, invalid("profile_id is required")
	case err != nil:
		return store.Profile{}, invalid("changed_at must be an instant such as 2026-11-21T10:00:00.000Z")
	}
	for name, value := range p.Traits {
		switch value.(type) {
		case string, json.Number, bool:
		default:
			return store.Profile{}, invalid("traits.%s must be a string, a number, true or false", name)
		}
	}
	return store.Profile{Website: p.Website, ID: p.ID, Name: p.Name, Traits: p.Traits, Keyed: p.Keyed,
		ChangedAt: at}, nil
}
