package flags

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// Check returns all mistakes in f itself at an instant, as FieldErrors, or nil. An Editor also checks f
// against the other flags of its client.
func (f Flag) Check(now time.Time) error {
	var faults FieldErrors
	faults.key(f.Key)
	f.check(now, &faults)
	return faults.err()
}

// key checks the key of a new flag. Clients put keys into addresses, some without escaping them, so a key must not have
// a meaning there: they would ask for another flag. Flags that were stored with other keys stay as they are.
func (f *FieldErrors) key(key string) {
	switch {
	case strings.ContainsAny(key, strings.ReplaceAll(unsafeInKeys, " ", "")):
		f.addf("key", "must not contain any of %s, which mean something else in addresses", unsafeInKeys)
	case key == "." || key == "..":
		f.addf("key", "must not be %q, which means something else in addresses", key)
	}
}

const unsafeInKeys = `/ ? # % & + \`

func (f *Flag) check(now time.Time, faults *FieldErrors) {
	faults.client(f.Client)
	faults.word("key", f.Key, MaxKey)
	if f.Environment != "" {
		faults.word("environment", f.Environment, MaxEnvironment)
	}
	faults.text("name", f.Name, MaxName)
	faults.text("description", f.Description, MaxDescription)
	oneOf(faults, "type", f.Type, Boolean, Rollout, Multivariant)
	oneOf(faults, "status", f.Status, Active, Inactive, Archived)
	oneOf(faults, "rolloutBy", f.By, ByUser, ByOrganization, ByTeam)
	if version := f.hashVersion(); version != FirstHash && version != MixedHash {
		faults.hashVersion(version)
	}
	f.checkPercentage("rolloutPercentage", f.Percentage, faults)
	if f.Payload != nil && faults.json("payload", f.Payload) && f.Payload[0] != '{' {
		faults.add("payload", mistake.Want("an object", mistake.Kind(f.Payload)))
	}
	checkRules(faults, f.Rules)
	names(faults, "targetGroupIds", f.Groups, MaxFlagGroups)
	names(faults, "dependencies", f.Dependencies, MaxDependencies)
	f.checkVariants(faults)
	f.checkSchedule(now, faults)
	faults.size(f)
}

// Check returns all mistakes in g itself, as FieldErrors, or nil.
func (g Group) Check() error {
	var faults FieldErrors
	g.check(&faults)
	return faults.err()
}

func (g *Group) check(faults *FieldErrors) {
	faults.client(g.Client)
	faults.required("name", strings.TrimSpace(g.Name), MaxName)
	faults.text("description", g.Description, MaxDescription)
	if !isColor(g.Color) {
		faults.add("color", "must be # and six hexadecimal digits")
	}
	checkRules(faults, g.Rules)
	faults.size(g)
}

func isColor(text string) bool {
	digits, ok := strings.CutPrefix(text, "#")
	return ok && len(digits) == 6 && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

func (f *Flag) checkVariants(faults *FieldErrors) {
	if len(f.Variants) > MaxVariants {
		faults.atMost("variants", "entries", len(f.Variants), MaxVariants)
		return
	}
	total, weighted, seen := 0.0, false, map[string]bool{}
	for i, v := range f.Variants {
		where := at("variants", i)
		faults.word(where+".key", v.Key, MaxVariantKey)
		if seen[v.Key] {
			faults.addf(where+".key", "must differ from the keys of other variants: %q", v.Key)
		}
		seen[v.Key] = true
		v.checkValue(where, faults)
		faults.text(where+".description", v.Description, MaxDescription)
		if w := v.Weight; w != nil {
			if !(*w >= 0 && *w <= 100) { // also refuses NaN
				faults.add(where+".weight", mistake.Between(0, 100, *w))
				return
			}
			weighted, total = true, total+*w
		}
	}
	if weighted && math.Abs(total-100) >= 0.01 {
		faults.addf("variants", "must have weights with a sum of 100, not %g", total)
	}
}

func (v *Variant) checkValue(where string, faults *FieldErrors) {
	oneOf(faults, where+".type", v.Type, StringValue, NumberValue, JSONValue)
	if !faults.json(where+".value", v.Value) {
		return
	}
	kind := JSONValue
	switch {
	case v.Value[0] == '"':
		kind = StringValue
	case v.Value[0] == '-' || v.Value[0] >= '0' && v.Value[0] <= '9':
		kind = NumberValue
	}
	if (v.Type == StringValue || v.Type == NumberValue) && v.Type != kind {
		faults.add(where+".value", mistake.Want("a "+string(v.Type), mistake.Kind(v.Value)))
	}
}

func (f *Flag) checkSchedule(now time.Time, faults *FieldErrors) {
	if len(f.Schedule) > MaxSteps {
		faults.atMost("schedule", "steps", len(f.Schedule), MaxSteps)
		return
	}
	for i, s := range f.Schedule {
		where := at("schedule", i)
		oneOf(faults, where+".action", s.Action, Enable, Disable, UpdateRollout)
		switch {
		case s.At.IsZero():
			faults.add(where+".scheduledAt", mistake.Required)
		case !s.At.After(now):
			faults.add(where+".scheduledAt", "must be in the future")
		case !s.At.Before(lastStep()):
			faults.add(where+".scheduledAt", "must be before the year 2101")
		case i > 0 && s.At.Equal(f.Schedule[i-1].At):
			faults.add(where+".scheduledAt", "must differ from the instants of other steps")
		}
		if s.Action == UpdateRollout {
			f.checkPercentage(where+".value", s.Percentage, faults)
			if f.Type != Rollout {
				faults.add(where+".action", "must not be update_rollout, since the flag's type is not rollout")
			}
		}
	}
}

func (f *FieldErrors) atMost(field, what string, count, limit int) {
	if count > limit {
		f.add(field, mistake.AtMost(limit, what, count))
	}
}

func (f *FieldErrors) hashVersion(version int) {
	f.addf("hashVersion", "must be %d or %d, not %d", FirstHash, MixedHash, version)
}

// word checks a name: printable, without spaces and commas, because lists of keys are separated by
// commas.
func (f *FieldErrors) word(field, text string, limit int) {
	switch {
	case text == "":
		f.add(field, mistake.Required)
	case strings.ContainsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		f.add(field, "must not contain spaces, commas or control characters")
	default:
		f.text(field, text, limit)
	}
}

func (f *FieldErrors) text(field, text string, limit int) {
	switch {
	case !utf8.ValidString(text):
		f.add(field, mistake.NotUTF8)
	case utf8.RuneCountInString(text) > limit:
		f.add(field, mistake.Long(limit))
	}
}

func (f *FieldErrors) required(field, text string, limit int) {
	switch {
	case text == "":
		f.add(field, mistake.Required)
	case strings.ContainsFunc(text, unicode.IsControl):
		f.add(field, mistake.Control)
	default:
		f.text(field, text, limit)
	}
}

// client checks the client of a record.
func (f *FieldErrors) client(c Client) {
	before := len(*f)
	f.required("clientId", c.ID, MaxClient)
	if len(*f) == before && !c.valid() {
		f.add("clientId", "must be the id of a website or an organisation")
	}
}

// json checks a JSON value and reports whether it is valid and small enough.
func (f *FieldErrors) json(field string, js json.RawMessage) bool {
	before := len(*f)
	switch {
	case len(js) == 0:
		f.add(field, mistake.Required)
	case len(js) > MaxPayload:
		f.add(field, mistake.AtMost(MaxPayload, "bytes", len(js)))
	case !json.Valid(js) || !utf8.Valid(js):
		f.add(field, "must be JSON in UTF-8")
	}
	return len(*f) == before
}

// checkPercentage checks a percentage of a rollout. It may only be as fine as the buckets of f's hash.
func (f *Flag) checkPercentage(field string, percent float64, faults *FieldErrors) {
	switch {
	case !(percent >= 0 && percent <= 100): // also refuses NaN
		faults.add(field, mistake.Between(0, 100, percent))
	case f.hashVersion() == FirstHash && percent != math.Trunc(percent):
		faults.addf(field, "must be a whole number with hashVersion %d, not %g", FirstHash, percent)
	case math.Abs(percent*100-math.Round(percent*100)) > 1e-6:
		faults.addf(field, "may have at most two decimals, not %g", percent)
	}
}

func (f *FieldErrors) size(record any) {
	if n := sizeOf(record); n > MaxRecord {
		f.addf("", "The record may have at most %d bytes as JSON, not %d", MaxRecord, n)
	}
}

func oneOf[T ~string](faults *FieldErrors, field string, got T, allowed ...T) {
	if !slices.Contains(allowed, got) {
		faults.add(field, mistake.OneOf(got, allowed...))
	}
}

// names checks a list of ids or keys without duplicates.
func names(faults *FieldErrors, field string, list []string, limit int) {
	if len(list) > limit {
		faults.atMost(field, "entries", len(list), limit)
		return
	}
	for i, name := range list {
		faults.word(at(field, i), name, MaxKey)
		if slices.Contains(list[:i], name) {
			faults.addf(at(field, i), "must not be listed twice: %q", name)
		}
	}
}

// sizeOf returns the size of a record's JSON in bytes. Invalid records have another mistake, so 0 is fine.
func sizeOf(record any) int {
	var counted bytes.Buffer
	if err := json.NewEncoder(&counted).Encode(record); err != nil {
		return 0
	}
	return counted.Len()
}
