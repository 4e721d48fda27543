package flags

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/sightline-analytics/sightline/internal/pattern"
)

// This file has the operators that read the compared values as numbers, versions or regular expressions.

// holds reports whether o matches if comparing the subject with the value gives order: -1, 0 or 1.
func (o Operator) holds(order int) bool {
	switch strings.TrimPrefix(string(o), "semver_") {
	case "eq":
		return order == 0
	case string(Greater):
		return order > 0
	case string(AtLeast):
		return order >= 0
	case string(Less):
		return order < 0
	case string(AtMost):
		return order <= 0
	}
	return false
}

// ordersNumbers reports whether o compares numbers.
func (o Operator) ordersNumbers() bool {
	return o == Greater || o == AtLeast || o == Less || o == AtMost
}

// ordersVersions reports whether o compares versions.
func (o Operator) ordersVersions() bool { return strings.HasPrefix(string(o), "semver_") }

// readsValue reports whether o reads its values as numbers, versions or regular expressions.
func (o Operator) readsValue() bool { return o.ordersNumbers() || o.ordersVersions() || o == Matches }

// numberOf returns the number that v is, or that its text stands for in decimal digits.
func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case string:
		if strings.Trim(v, "0123456789+-.eE") != "" {
			return 0, false // ParseFloat also takes hexadecimal digits, underscores and names
		}
		n, err := strconv.ParseFloat(v, 64)
		return n, err == nil
	}
	return 0, false
}

// versionOf returns the version in v with a leading v, as package semver wants it.
func versionOf(v any) (string, bool) {
	text, ok := v.(string)
	if !ok || len(text) > MaxID {
		return "", false
	}
	version := "v" + strings.TrimPrefix(text, "v")
	return version, semver.IsValid(version)
}

// patterns are the compiled regular expressions of a client. Rules with the same one share it.
type patterns map[string]*regexp.Regexp

// of returns the compiled form of v; nil if it is not a valid pattern.
func (p patterns) of(v any) *regexp.Regexp {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	found, known := p[text]
	if !known {
		if _, err := pattern.Parse(text); err == nil {
			found, _ = regexp.Compile(text) // cannot fail: Parse accepted it
		}
		p[text] = found
	}
	return found
}

// matchRead matches rules whose operator reads values. A missing subject never matches.
func matchRead(m *matcher, c *Context) bool {
	text, there := m.subject(c)
	v := any(text)
	if m.on == OnProperty {
		v = c.property(m.field)
	}
	switch {
	case !there:
		return false
	case m.operator == Matches:
		return m.pattern != nil && isScalar(v) && len(text) <= MaxID && m.pattern.MatchString(text)
	case m.operator.ordersVersions():
		got, ok1 := versionOf(v)
		want, ok2 := versionOf(m.value)
		return ok1 && ok2 && m.operator.holds(semver.Compare(got, want))
	}
	got, ok1 := numberOf(v)
	want, ok2 := numberOf(m.value)
	return ok1 && ok2 && m.operator.holds(cmp.Compare(got, want))
}

// checkRead reports values that r's operator cannot read: the rule would never match.
func (r *Rule) checkRead(where string, faults *FieldErrors) {
	switch {
	case r.Operator == Matches:
		text, ok := r.Value.(string)
		if !ok || text == "" {
			faults.add(where+".value", "must be a string that is not empty")
		} else if _, err := pattern.Parse(text); err != nil {
			faults.add(where+".value", err.Error())
		}
	case r.Operator.ordersVersions():
		if _, ok := versionOf(r.Value); !ok {
			faults.add(where+".value", "must be a version such as \"1.4.0\" or \"2.0.0-rc.1\"")
		}
	default:
		if _, ok := numberOf(r.Value); !ok {
			faults.add(where+".value", "must be a number")
		}
	}
}

// checkPatterns reports if the rules of a changed record bring the patterns of all live records to more than
// MaxPatterns.
func (s *Set) checkPatterns(id recordID, rules []Rule, faults *FieldErrors) {
	seen := map[string]bool{}
	count := func(rules []Rule) {
		for i := range rules {
			if text, ok := rules[i].Value.(string); ok && rules[i].Operator == Matches {
				seen[text] = true
			}
		}
	}
	if count(rules); len(seen) == 0 {
		return
	}
	for i := range s.Flags {
		if f := &s.Flags[i]; f.RemovedAt.IsZero() && flagID(f.ID) != id {
			count(f.Rules)
		}
	}
	for i := range s.Groups {
		if g := &s.Groups[i]; groupID(g.ID) != id {
			count(g.Rules)
		}
	}
	if len(seen) > MaxPatterns {
		faults.addf("rules",
			"of all flags and groups of a client may have at most %d different regular expressions, not %d",
			MaxPatterns, len(seen))
	}
}
