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
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// This file reads records of the columns that a format, or Config.Map, names for each field.

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

// columns has the columns of each field. The first column with a value counts.
type columns map[string][]string

// A binding has what a format reads records from.
type binding struct {
	time, status []string
	zone         *time.Location // of times without a zone
	texts        []boundText
	requests     bool   // see format
	hint         string // what to do if there is no time
}

// A boundText is a field of records with its columns.
type boundText struct {
	at      func(r *Record) *string
	columns []string
}

// bind returns the columns of f. Columns in Config.Map have priority.
func (f *format) bind(cfg *Config) binding {
	of := func(field string) []string {
		if column, ok := cfg.Map[field]; ok {
			return []string{column}
		}
		if f.columns == nil {
			return []string{field}
		}
		return f.columns[field]
	}
	b := binding{time: of(timeField), status: of(statusField), requests: f.requests, zone: time.UTC}
	if f.local {
		b.zone = cfg.zone()
	}
	if f.columns == nil {
		b.hint = "; name its column with time=COLUMN"
	}
	for _, field := range fields {
		if all := of(field.name); all != nil {
			b.texts = append(b.texts, boundText{field.at, all})
		}
	}
	return b
}

// first returns the value of the first of columns that has one.
func (get getter) first(columns []string) string {
	for _, c := range columns {
		if value := get(c); value != "" {
			return value
		}
	}
	return ""
}

// record returns the record whose columns get returns.
func (b *binding) record(get getter) (Record, error) {
	var r Record
	at, ok := anyTime(get.first(b.time), b.zone)
	if !ok {
		return r, malformed(b.time[0] + " is not a time" + b.hint)
	}
	r.Time = at
	for i := range b.texts {
		*b.texts[i].at(&r) = get.first(b.texts[i].columns)
	}
	if b.requests && r.Address == "" {
		r.Address = unknownAddress
	}
	if status := get.first(b.status); status != "" || b.requests {
		n, err := strconv.Atoi(status)
		if err != nil {
			return r, malformed(b.status[0] + " is not a number")
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

// readCSV returns a reader of CSV with a header.
func readCSV() reader {
	var h sheet
	return func(text []byte) (getter, error) { return h.get, h.read(text) }
}

// readObjects returns a reader of JSON objects. A column within an object is written with dots.
func readObjects() reader {
	return func(text []byte) (getter, error) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var o map[string]any
		if err := d.Decode(&o); err != nil {
			return nil, malformed(err.Error())
		}
		return func(column string) string { return member(o, column) }, nil
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
