package flags

import (
	"slices"
	"time"
)

// An Index is a client's flags prepared for evaluation. It is immutable and safe for concurrent use.
type Index struct {
	revision     int64 // of the set that it was made of
	flags        map[place]*ready
	environments map[string][]*ready
}

// place is where a flag can be found.
type place struct{ environment, key string }

// ready is a flag with all that can be worked out before anybody asks.
type ready struct {
	flag     *Flag
	needs    []*ready // its dependencies; nil for one that does not exist
	rules    []matcher
	groups   []matcher // of all target groups
	rollout  hash      // of "KEY:"
	variant  hash      // of "KEY:variant:"
	weighted bool
}

// NewIndex prepares the flags of s, without removed ones. It takes time and memory in proportion to
// their rules.
func NewIndex(s Set) *Index {
	groups := make(map[string][]matcher, len(s.Groups))
	for _, g := range s.Groups {
		groups[g.ID] = compileAll(g.Rules)
	}
	x := &Index{revision: s.Revision, flags: map[place]*ready{}, environments: map[string][]*ready{}}
	for i := range s.Flags {
		if s.Flags[i].RemovedAt.IsZero() {
			f := s.Flags[i].Clone()
			r := newReady(&f, groups)
			x.flags[place{f.Environment, f.Key}] = r
			x.environments[f.Environment] = append(x.environments[f.Environment], r)
		}
	}
	for at, r := range x.flags {
		for _, key := range r.flag.Dependencies {
			r.needs = append(r.needs, x.flags[place{at.environment, key}])
		}
	}
	return x
}

func newReady(f *Flag, groups map[string][]matcher) *ready {
	start := hash(0).add(f.Key).add(":")
	r := &ready{
		flag: f, rules: compileAll(f.Rules),
		rollout: start, variant: start.add("variant:"),
		weighted: slices.ContainsFunc(f.Variants, func(v Variant) bool { return v.Weight != nil }),
	}
	for _, id := range f.Groups {
		r.groups = append(r.groups, groups[id]...)
	}
	return r
}

func compileAll(rules []Rule) (list []matcher) {
	for i := range rules {
		list = append(list, compile(&rules[i]))
	}
	return list
}

// Evaluate is the result of one flag at an instant.
func (x *Index) Evaluate(key string, c *Context, now time.Time) Result {
	return x.flags[place{c.Environment, key}].evaluate(c, now)
}

// EvaluateAll is the results by key of all flags of c's environment that are evaluated.
func (x *Index) EvaluateAll(c *Context, now time.Time) map[string]Result {
	found := make(map[string]Result, len(x.environments[c.Environment]))
	for _, r := range x.environments[c.Environment] {
		if result := r.evaluate(c, now); result.Reason != FlagNotFound {
			found[r.flag.Key] = result
		}
	}
	return found
}

// EvaluateKeys is the results of those of keys that are evaluated.
func (x *Index) EvaluateKeys(keys []string, c *Context, now time.Time) map[string]Result {
	found := make(map[string]Result, len(keys))
	for _, key := range keys {
		if result := x.Evaluate(key, c, now); result.Reason != FlagNotFound {
			found[key] = result
		}
	}
	return found
}
