package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// This file reads JSON and CSV of any program: Config.Map names the column of each field.

// fields lists the fields of records, with the place of their text.
var fields = []struct {
	name string
	at   func(r *Record) *string
}{
	{"id", func(r *Record) *string { return &r.ID }},
	{"url", func(r *Record) *string { return &r.URL }},
	{"name", func(r *Record) *string { return &r.Name }},
	{"method", func(r *Record) *string { return &r.Method }},
	{"content_type", func(r *Record) *string { return &r.ContentType }},
	{"host", func(r *Record) *string { return &r.Host }},
	{"address", func(r *Record) *string { return &r.Address }},
	{"user_agent", func(r *Record) *string { return &r.UserAgent }},
	{"visitor", func(r *Record) *string { return &r.Visitor }},
	{"profile", func(r *Record) *string { return &r.Profile }},
	{"session", func(r *Record) *string { return &r.Session }},
	{"title", func(r *Record) *string { return &r.Title }},
	{"referrer", func(r *Record) *string { return &r.Referrer }},
	{"utm_source", func(r *Record) *string { return &r.UTMSource }},
	{"utm_medium", func(r *Record) *string { return &r.UTMMedium }},
	{"utm_campaign", func(r *Record) *string { return &r.UTMCampaign }},
	{"utm_term", func(r *Record) *string { return &r.UTMTerm }},
	{"utm_content", func(r *Record) *string { return &r.UTMContent }},
	{"gclid", func(r *Record) *string { return &r.GCLID }},
	{"country", func(r *Record) *string { return &r.Agent.Country }},
	{"region", func(r *Record) *string { return &r.Agent.Region }},
	{"city", func(r *Record) *string { return &r.Agent.City }},
	{"language", func(r *Record) *string { return &r.Language }},
	{"timezone", func(r *Record) *string { return &r.Timezone }},
	{"screen", func(r *Record) *string { return &r.Screen }},
	{"properties", func(r *Record) *string { return &r.Properties }},
	{"href", func(r *Record) *string { return &r.Href }},
	{"text", func(r *Record) *string { return &r.Text }},
}

// The fields that are not texts of a Record.
const (
	timeField   = "time"
	statusField = "status"
)

// Fields lists the fields of Config.Map.
func Fields() []string {
	all := []string{timeField, statusField}
	for _, f := range fields {
		all = append(all, f.name)
	}
	slices.Sort(all)
	return all
}

func checkMap(columns map[string]string) error {
	var faults []error
	for _, field := range slices.Sorted(maps.Keys(columns)) {
		if !slices.Contains(Fields(), field) {
			faults = append(faults, fmt.Errorf("importer: Config.Map: unknown field %q; the fields are %s", field,
				strings.Join(Fields(), ", ")))
		} else if columns[field] == "" {
			faults = append(faults, fmt.Errorf("importer: Config.Map: %s has no column", field))
		}
	}
	return errors.Join(faults...)
}

// columnOf returns the column of a field.
func columnOf(columns map[string]string, field string) string {
	if c, ok := columns[field]; ok {
		return c
	}
	return field
}

// mapped returns the record whose columns get returns.
func mapped(columns map[string]string, get func(column string) string) (Record, error) {
	var r Record
	at, ok := anyTime(get(columnOf(columns, timeField)))
	if !ok {
		return r, malformed(columnOf(columns, timeField) + " is not a time; name its column with time=COLUMN")
	}
	r.Time = at
	for _, f := range fields {
		*f.at(&r) = get(columnOf(columns, f.name))
	}
	if status := get(columnOf(columns, statusField)); status != "" {
		n, err := strconv.Atoi(status)
		if err != nil {
			return r, malformed(columnOf(columns, statusField) + " is not a number")
		}
		r.Status = n
	} else if r.Method != "" {
		r.Status = 200 // a program that only records successful requests
	}
	switch r.Name {
	case "", "screen_view", "page_view", "pageview", "$pageview", "$screen":
	default:
		r.Kind = store.Custom
	}
	if r.Href != "" {
		r.Kind = store.Click
	}
	return r, nil
}

func openCSV(columns map[string]string) parser {
	var h sheet
	return func(text []byte, out *found) error {
		if err := h.read(text); err != nil {
			return err
		}
		r, err := mapped(columns, h.get)
		if err == nil {
			out.records = append(out.records, r)
		}
		return err
	}
}

func openJSON(columns map[string]string) parser {
	return func(text []byte, out *found) error {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var o map[string]any
		if err := d.Decode(&o); err != nil {
			return malformed(err.Error())
		}
		r, err := mapped(columns, func(column string) string { return member(o, column) })
		if err == nil {
			out.records = append(out.records, r)
		}
		return err
	}
}

// member returns the text of a member of an object, or of an object within it: a.b is the member b of a. A list stands
// for its first element.
func member(o map[string]any, name string) string {
	v, ok := o[name]
	for !ok {
		first, rest, more := strings.Cut(name, ".")
		inner, isObject := o[first].(map[string]any)
		if !more || !isObject {
			return ""
		}
		o, name = inner, rest
		v, ok = o[name]
	}
	if list, isList := v.([]any); isList && len(list) > 0 {
		v = list[0]
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case map[string]any:
		text, err := json.Marshal(v)
		if err == nil {
			return string(text)
		}
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}
