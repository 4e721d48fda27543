package flags

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/fieldpath"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A Patch is a set of fields of a flag, decoded from JSON.
type Patch struct {
	ClientID string // clientId; empty if absent
	fields   map[string]func(*Flag)
	faults   FieldErrors // mistakes in the shape
}

// Empty reports whether p sets no field.
func (p Patch) Empty() bool { return len(p.fields) == 0 }

// Apply sets the fields of p in f. It does not change the client.
func (p Patch) Apply(f *Flag) {
	for _, name := range slices.Sorted(maps.Keys(p.fields)) {
		p.fields[name](f)
	}
}

// Flag returns a new flag of client with the fields of p. client is the client with the id p.ClientID. The error is
// [FieldErrors] if a required field of a new flag is missing: clientId, key, type or defaultValue.
func (p Patch) Flag(client Client) (Flag, error) {
	var faults FieldErrors
	if p.ClientID == "" {
		faults.add("clientId", mistake.Required)
	}
	for _, name := range []string{"key", "type", "defaultValue"} {
		if p.fields[name] == nil {
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
	faults.addNew(missing)
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
	faults.addNew(slices.DeleteFunc(values, func(v FieldError) bool {
		return p.fields[topOf(v.Field)] == nil // the field is not in p
	}))
	return faults.err()
}

// addNew adds the mistakes in more, except for fields that already have one: it may be the cause of the others.
func (f *FieldErrors) addNew(more FieldErrors) {
	before := *f
	for _, m := range more {
		if !slices.ContainsFunc(before,
			func(known FieldError) bool { return fieldpath.Overlap(known.Field, m.Field) }) {
			f.add(m.Field, m.Message)
		}
	}
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
	var raw map[string]json.RawMessage
	wrong := mistake.JSON(js)
	if wrong == "" && (json.Unmarshal(js, &raw) != nil || raw == nil) {
		wrong = mistake.Body("The body", mistake.Kind(bytes.TrimSpace(js)))
	}
	if wrong != "" {
		return Patch{}, FieldErrors{{Message: wrong}}
	}
	var faults FieldErrors
	p := Patch{fields: map[string]func(*Flag){}}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		read, known := readers[name]
		switch {
		case name == "clientId":
			readInto(&faults, name, raw[name], &p.ClientID)
		case !known:
			message, _ := mistake.Unknown(name, append([]string{"clientId"}, slices.Sorted(maps.Keys(readers))...),
				synonyms)
			faults.add(name, message)
		case string(raw[name]) == "null" && slices.Contains(needed, name):
			faults.addf(name, "must not be null")
		default:
			p.fields[name] = read(name, raw[name], &faults)
		}
	}
	p.faults = faults
	return p, faults.err()
}

// A reader decodes the JSON of a field, and returns a function that sets the field.
type reader func(name string, js json.RawMessage, faults *FieldErrors) func(*Flag)

var readers = map[string]reader{
	"key":               single(func(f *Flag) *string { return &f.Key }),
	"environment":       single(func(f *Flag) *string { return &f.Environment }),
	"name":              single(func(f *Flag) *string { return &f.Name }),
	"description":       single(func(f *Flag) *string { return &f.Description }),
	"type":              single(func(f *Flag) *Type { return &f.Type }),
	"status":            single(func(f *Flag) *Status { return &f.Status }),
	"defaultValue":      single(func(f *Flag) *bool { return &f.Default }),
	"payload":           single(func(f *Flag) *json.RawMessage { return &f.Payload }),
	"rolloutPercentage": single(func(f *Flag) *float64 { return &f.Percentage }),
	"hashVersion":       readHashVersion,
	"rolloutBy":         single(func(f *Flag) *Unit { return &f.By }),
	"persistAcrossAuth": single(func(f *Flag) *bool { return &f.PersistAcrossAuth }),
	"rules":             list(func(f *Flag) *[]Rule { return &f.Rules }, "enabled"),
	"variants":          list(func(f *Flag) *[]Variant { return &f.Variants }),
	"schedule":          list(func(f *Flag) *[]Step { return &f.Schedule }),
	"dependencies":      list(func(f *Flag) *[]string { return &f.Dependencies }),
	"targetGroupIds":    list(func(f *Flag) *[]string { return &f.Groups }),
}

// synonyms are words that people use instead of the fields of a flag.
var synonyms = mistake.Synonyms{
	"client": {"clientId"}, "default": {"defaultValue"}, "enabled": {"status"}, "id": {"key"}, "kind": {"type"},
	"percent":    {"rolloutPercentage"},
	"percentage": {"rolloutPercentage"}, "rollout": {"rolloutPercentage"}, "state": {"status"}, "targeting": {"rules"},
	"value":      {"defaultValue"},
	"variations": {"variants"}, "websiteid": {"clientId"},
}

// needed lists the fields that cannot be cleared.
var needed = []string{"key", "type", "status", "defaultValue", "persistAcrossAuth", "hashVersion"}

// readHashVersion decodes a version of the hash. In JSON 0 is a mistake; in Go it means the default.
func readHashVersion(name string, js json.RawMessage, faults *FieldErrors) func(*Flag) {
	version := -1
	if readInto(faults, name, js, &version); version == 0 {
		faults.hashVersion(version)
	}
	return func(f *Flag) { f.HashVersion = version }
}

func single[T any](field func(*Flag) *T) reader {
	return func(name string, js json.RawMessage, faults *FieldErrors) func(*Flag) {
		var v T
		readInto(faults, name, js, &v)
		return func(f *Flag) { *field(f) = v }
	}
}

// list decodes the elements of a list separately, so that each has its own mistakes. Elements must have the field
// need.
func list[T any](field func(*Flag) *[]T, need ...string) reader {
	return func(name string, js json.RawMessage, faults *FieldErrors) func(*Flag) {
		var elements []json.RawMessage
		readInto(faults, name, js, &elements)
		values := make([]T, len(elements))
		for i, element := range elements {
			readInto(faults, at(name, i), element, &values[i])
			for _, n := range need {
				var names map[string]json.RawMessage
				if json.Unmarshal(element, &names) == nil && names[n] == nil {
					faults.add(at(name, i)+"."+n, mistake.Required)
				}
			}
		}
		return func(f *Flag) { *field(f) = slices.Clone(values) }
	}
}

// readInto decodes js into v, and reports mistakes in terms of JSON.
func readInto(faults *FieldErrors, name string, js json.RawMessage, v any) {
	if wrong, err := mistake.Decode(name, js, v, true); err != nil {
		faults.add(wrong.Field, wrong.Message)
	}
}
