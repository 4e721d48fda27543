package flags

import (
	"slices"
	"time"
)

// An Index is a client's flags, prepared for evaluation. It is immutable and safe for concurrent use.
type Index struct {
	revision     int64 // revision of the set
	flags        map[place]*ready
	environments map[string][]*ready
}

// place identifies a flag of a client.
type place struct{ environment, key string }

// ready is a flag with everything that does not depend on the context precomputed.
type ready struct {
	flag     *Flag
	needs    []*ready // its dependencies; nil for a missing flag
	needed   bool     // other flags depend on it
	blocked  bool     // its dependencies form a cycle, or a chain of more than MaxChain flags
	rules    []matcher
	groups   []matcher // rules of all target groups
	rollout  split
	variant  split
	weighted bool
}

// NewIndex prepares the flags of s that are not removed. It takes time and memory in proportion to their
// rules.
func NewIndex(s Set) *Index {
	groups := make(map[string][]Rule, len(s.Groups))
	for _, g := range s.Groups {
		groups[g.ID] = cloneRules(g.Rules)
	}
	x := &Index{revision: s.Revision, flags: map[place]*ready{}, environments: map[string][]*ready{}}
	known := patterns{}
	for i := range s.Flags {
		if s.Flags[i].RemovedAt.IsZero() {
			f := s.Flags[i].Clone()
			r := newReady(&f, groups, known)
			x.flags[place{f.Environment, f.Key}] = r
			x.environments[f.Environment] = append(x.environments[f.Environment], r)
		}
	}
	blocked := blocked(s.Flags)
	for at, r := range x.flags {
		r.blocked = blocked[at]
		for _, key := range r.flag.Dependencies {
			need := x.flags[place{at.environment, key}]
			if r.needs = append(r.needs, need); need != nil {
				need.needed = true
			}
		}
	}
	return x
}

func newReady(f *Flag, groups map[string][]Rule, known patterns) *ready {
	version := f.hashVersion()
	r := &ready{
		flag: f, rules: compileAll(f.Rules, newSplit(version, forPercentage, f.Key), known),
		rollout: newSplit(version, forRollout, f.Key), variant: newSplit(version, forVariant, f.Key),
		weighted: slices.ContainsFunc(f.Variants, func(v Variant) bool { return v.Weight != nil }),
	}
	for _, id := range f.Groups {
		r.groups = append(r.groups, compileAll(groups[id], newSplit(version, forPercentage, id), known)...)
	}
	return r
}

func compileAll(rules []Rule, percentage split, known patterns) (list []matcher) {
	for i := range rules {
		list = append(list, compile(&rules[i], percentage, known))
	}
	return list
}

// Evaluate returns the result of one flag at an instant.
func (x *Index) Evaluate(key string, c *Context, now time.Time) Result {
	e := evaluation{context: c, now: now}
	return e.result(x.flags[place{c.Environment, key}])
}

// EvaluateAll returns the results by key of all evaluated flags in c's environment.
func (x *Index) EvaluateAll(c *Context, now time.Time) map[string]Result {
	e := evaluation{context: c, now: now}
	found := make(map[string]Result, len(x.environments[c.Environment]))
	for _, r := range x.environments[c.Environment] {
		if result := e.result(r); result.Reason != FlagNotFound {
			found[r.flag.Key] = result
		}
	}
	return found
}

// EvaluateKeys returns the results of the named flags, without flags that are not found.
func (x *Index) EvaluateKeys(keys []string, c *Context, now time.Time) map[string]Result {
	e := evaluation{context: c, now: now}
	found := make(map[string]Result, len(keys))
	for _, key := range keys {
		if result := e.result(x.flags[place{c.Environment, key}]); result.Reason != FlagNotFound {
			found[key] = result
		}
	}
	return found
}
