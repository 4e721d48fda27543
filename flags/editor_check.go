package flags

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// check returns all mistakes in f, which is to replace prior in set. prior is nil if f is new or was
// removed.
func check(set *workingSet, f, prior *Flag, by Actor, now time.Time) error {
	var faults FieldErrors
	by.checkTexts(&faults)
	f.check(now, &faults)
	after := set.with(f)
	if prior != nil {
		unchanged(&faults, "id", prior.ID, f.ID)
		unchanged(&faults, "clientId", prior.Client, f.Client)
		unchanged(&faults, "environment", prior.Environment, f.Environment)
		unchanged(&faults, "key", prior.Key, f.Key)
	} else {
		faults.key(f.Key)
		if n := after.live(); n > MaxFlags {
			faults.addf("clientId", "may have at most %d flags", MaxFlags)
		}
	}
	// Existing references may have become invalid, so only new references must exist.
	had := Flag{}
	if prior != nil {
		had = *prior
	}
	for i, key := range f.Dependencies {
		if d := after.inPlace(place{f.Environment, key}); !slices.Contains(had.Dependencies, key) &&
			(d == nil || !d.RemovedAt.IsZero()) {
			faults.addf(at("dependencies", i), "there is no flag %.128q for this client in this environment", key)
		}
	}
	for i, id := range f.Groups {
		if !slices.Contains(had.Groups, id) && after.group(id) == nil {
			faults.addf(at("targetGroupIds", i), "there is no target group %.128q for this client", id)
		}
	}
	if cycle := after.cycle(f); cycle != nil {
		faults.addf("dependencies", "must not form a cycle: %s", strings.Join(cycle, " → "))
	}
	if prior == nil || !slices.Equal(prior.Dependencies, f.Dependencies) {
		set.checkChains(after, &faults)
	}
	set.checkPatterns(flagID(f.ID), f.Rules, &faults)
	set.checkSize(flagID(f.ID), f, &faults)
	return faults.err()
}

func (a Actor) check() error {
	var faults FieldErrors
	a.checkTexts(&faults)
	return faults.err()
}

func (a Actor) checkTexts(faults *FieldErrors) {
	if max(len(a.Kind), len(a.ID), len(a.Name)) > MaxID || !utf8.ValidString(a.Kind+a.ID+a.Name) ||
		strings.Contains(a.Kind+a.ID+a.Name, "\x00") {
		faults.addf("actor", "must have texts of UTF-8 without U+0000 and of at most %d bytes", MaxID)
	}
}

func unchanged[T comparable](faults *FieldErrors, field string, was, is T) {
	if was != is {
		faults.add(field, "cannot be changed")
	}
}

// with returns s with f in place of the flag with the same id.
func (s *Set) with(f *Flag) *Set {
	after := *s
	after.Flags = append(slices.DeleteFunc(slices.Clone(s.Flags), func(old Flag) bool { return old.ID == f.ID }), *f)
	return &after
}

func (s *Set) live() (n int) {
	for i := range s.Flags {
		if s.Flags[i].RemovedAt.IsZero() {
			n++
		}
	}
	return n
}

// checkChains reports chains of dependencies that become too long by a change.
func (s *Set) checkChains(after *Set, faults *FieldErrors) {
	before := blocked(s.Flags)
	for at := range blocked(after.Flags) {
		if !before[at] && !slices.ContainsFunc(*faults,
			func(known FieldError) bool { return known.Field == "dependencies" }) {
			faults.addf("dependencies", "must not form a chain of more than %d flags", MaxChain)
		}
	}
}

// overflow returns the id of the flag that was removed first, if there are too many removed flags.
func (s *Set) overflow() []string {
	var oldest *Flag
	removed := 0
	for i := range s.Flags {
		f := &s.Flags[i]
		if f.RemovedAt.IsZero() {
			continue
		}
		removed++
		if oldest == nil || f.RemovedAt.Before(oldest.RemovedAt) {
			oldest = f
		}
	}
	if removed < MaxRemoved {
		return nil
	}
	return []string{oldest.ID}
}

// cycle returns the keys of a path along dependencies from f back to f, or nil.
func (s *Set) cycle(f *Flag) []string {
	byKey := map[string]*Flag{}
	for i := range s.Flags {
		if g := &s.Flags[i]; g.Environment == f.Environment && g.RemovedAt.IsZero() {
			byKey[g.Key] = g
		}
	}
	seen := map[string]bool{}
	var follow func(path []string) []string
	follow = func(path []string) []string {
		here := byKey[path[len(path)-1]]
		if here == nil {
			return nil
		}
		for _, key := range here.Dependencies {
			if key == f.Key {
				return append(path, key)
			}
			if !seen[key] {
				seen[key] = true
				if cycle := follow(append(slices.Clone(path), key)); cycle != nil {
					return cycle
				}
			}
		}
		return nil
	}
	return follow([]string{f.Key})
}
