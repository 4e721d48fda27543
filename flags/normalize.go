package flags

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// normalize changes f to the form in which stores return it: with defaults, non-nil lists, compact JSON, times in
// whole milliseconds and UTC, and a sorted schedule.
func (f *Flag) normalize() {
	if f.Status == "" {
		f.Status = Active
	}
	if f.By == "" {
		f.By = ByUser
	}
	f.Payload = compact(f.Payload)
	if len(f.Payload) == 0 || string(f.Payload) == "null" {
		f.Payload = nil
	}
	f.Rules = normalizeRules(f.Rules)
	f.Groups, f.Dependencies = present(f.Groups), present(f.Dependencies)
	f.Variants, f.Schedule = present(f.Variants), present(f.Schedule)
	for i := range f.Variants {
		f.Variants[i].Value = compact(f.Variants[i].Value)
	}
	for i := range f.Schedule {
		s := &f.Schedule[i]
		if s.At = millis(s.At); s.Action != UpdateRollout {
			s.Percentage = 0
		}
	}
	slices.SortStableFunc(f.Schedule, func(a, b Step) int { return a.At.Compare(b.At) })
}

func (g *Group) normalize() {
	if g.Color == "" {
		g.Color = "#6366f1"
	}
	g.Rules = normalizeRules(g.Rules)
}

func normalizeRules(rules []Rule) []Rule {
	for i := range rules {
		r := &rules[i]
		r.Value = scalar(r.Value)
		for j := range r.Values {
			r.Values[j] = scalar(r.Values[j])
		}
		if len(r.Values) == 0 {
			r.Values = nil
		}
		if len(r.BatchValues) == 0 {
			r.BatchValues = nil
		}
	}
	return present(rules)
}

func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// compact removes whitespace from JSON. It returns invalid JSON unchanged; [Flag.Check] reports it.
func compact(js json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, js); err != nil || b.Len() == 0 {
		return js
	}
	return b.Bytes()
}

// scalar returns v, with any number converted to float64, as in decoded JSON.
func scalar(v any) any {
	switch n := v.(type) {
	case int:
		return float64(n)
	case int64:
		return float64(n)
	case int32:
		return float64(n)
	case uint64:
		return float64(n)
	case float32:
		return float64(n)
	case json.Number:
		if f, err := n.Float64(); err == nil {
			return f
		}
	}
	return v
}

// millis returns t in the form in which stores save it.
func millis(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}
