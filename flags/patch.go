package flags

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A Patch is a set of fields of a flag, decoded from JSON.
type Patch struct {
	ClientID string // clientId; empty if absent
	fields   body.Patch[named]
	faults   FieldErrors // mistakes in the shape
}

// A named flag is a flag with the id of its client.
type named struct {
	clientID string
	Flag
}

// Empty reports whether p sets no field.
func (p Patch) Empty() bool { return p.fields.Empty() || p.fields.Only("clientId") }

// Apply sets the fields of p in f. It does not change the client.
func (p Patch) Apply(f *Flag) {
	changed := named{Flag: *f}
	p.fields.Apply(&changed)
	*f = changed.Flag
}

// Flag returns a new flag of client with the fields of p. client is the client with the id p.ClientID. The error is
// [FieldErrors] if a required field of a new flag is missing: clientId, key, type or defaultValue.
func (p Patch) Flag(client Client) (Flag, error) {
	var faults FieldErrors
	if p.ClientID == "" {
		faults.add("clientId", mistake.Required)
	}
	for _, name := range []string{"key", "type", "defaultValue"} {
		if !p.fields.Gives(name) {
			faults.add(name, mistake.Required)
		}
	}
	f := Flag{Client: client}
	p.Apply(&f)
	return f, faults.err()
}

// Check returns all mistakes in p itself at an instant, as FieldErrors, or nil: in its shape and in its values. For
// a new flag it also reports missing fields, as Flag does. Use it for a patch that cannot be applied. An
// [Editor] reports mistakes in relation to other flags for a patch that can be applied.
func (p Patch) Check(isNew bool, now time.Time) error {
	faults, f := slices.Clone(p.faults), Flag{Client: OfWebsite(p.ClientID), Type: Rollout, HashVersion: MixedHash}
	missing := FieldErrors{}
	if p.ClientID == "" {
		missing.add("clientId", mistake.Required)
	}
	if isNew {
		_, err := p.Flag(Client{})
		missing, _ = errors.AsType[FieldErrors](err)
	}
	(*mistake.List)(&faults).AddNew(missing...)
	p.Apply(&f)
	if slices.ContainsFunc(faults, func(known FieldError) bool { return known.Field == "type" }) {
		f.Type = Rollout // the type that forbids no other field
	}
	f.normalize()
	var values FieldErrors
	if isNew {
		values.key(f.Key)
	}
	f.check(now, &values)
	(*mistake.List)(&faults).AddNew(slices.DeleteFunc(values, func(v FieldError) bool {
		return !p.fields.Gives(topOf(v.Field))
	})...)
	return faults.err()
}

// topOf returns the top-level field that contains field.
func topOf(field string) string {
	if end := strings.IndexAny(field, ".["); end >= 0 {
		return field[:end]
	}
	return field
}

// ParsePatch parses a JSON object with the names of [Flag] fields that a caller sets. null clears an optional
// field. Its error is [FieldErrors] with all mistakes in the shape; [Patch.Check] can then still be called.
// [Flag.Check] checks values.
func ParsePatch(js []byte) (Patch, error) {
	if wrong := mistake.JSON(js); wrong != "" {
		return Patch{}, FieldErrors{{Message: wrong}}
	}
	fields, wrong := flagFields.Read(bytes.TrimSpace(js))
	p := Patch{ClientID: fields.New().clientID, fields: fields, faults: FieldErrors(wrong)}
	return p, p.faults.err()
}

// flagFields are the fields of a flag in bodies.
var flagFields = body.Of(
	body.Member("clientId", func(f *named) *string { return &f.clientID }).Called("client", "websiteid"),
	body.Member("key", func(f *named) *string { return &f.Key }).Called("id").NotNull(),
	body.Member("environment", func(f *named) *string { return &f.Environment }),
	body.Member("name", func(f *named) *string { return &f.Name }),
	body.Member("description", func(f *named) *string { return &f.Description }),
	body.Member("type", func(f *named) *Type { return &f.Type }).Called("kind").NotNull(),
	body.Member("status", func(f *named) *Status { return &f.Status }).Called("enabled", "state").NotNull(),
	body.Member("defaultValue", func(f *named) *bool { return &f.Default }).Called("default", "value").NotNull(),
	body.Member("payload", func(f *named) *json.RawMessage { return &f.Payload }),
	body.Member("rolloutPercentage", func(f *named) *float64 { return &f.Percentage }).
		Called("percent", "percentage", "rollout"),
	body.Custom("hashVersion", func(f *named) *int { return &f.HashVersion }, readHashVersion).NotNull(),
	body.Member("rolloutBy", func(f *named) *Unit { return &f.By }),
	body.Member("persistAcrossAuth", func(f *named) *bool { return &f.PersistAcrossAuth }).NotNull(),
	body.List("rules", func(f *named) *[]Rule { return &f.Rules }, "enabled").Called("targeting"),
	body.List("variants", func(f *named) *[]Variant { return &f.Variants }).Called("variations"),
	body.List("schedule", func(f *named) *[]Step { return &f.Schedule }),
	body.List("dependencies", func(f *named) *[]string { return &f.Dependencies }),
	body.List("targetGroupIds", func(f *named) *[]string { return &f.Groups }),
)

// readHashVersion reads a version of the hash. In JSON 0 is a mistake; in Go it means the default.
func readHashVersion(m body.Mistakes, at body.Path, v body.Value, into *int) {
	*into = -1
	v.Decode(m, at, into)
	if *into == 0 {
		var faults FieldErrors
		faults.hashVersion(0)
		m.Wrong(at, faults[0].Message, "")
	}
}
