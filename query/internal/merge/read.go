package merge

import (
	"context"

	"github.com/sightline-analytics/sightline/query/internal/origin"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
)

// read returns what is known of the partials of g. It changes nothing, but for what it finds: the days, if the snapshot
// lacks them, the partials in memory, and what the store has. It stops when the rest cannot change the decision.
func (g *Lookup) read(ctx context.Context) origin.Way {
	if g.kind == origin.Totals {
		return origin.Way{Kind: g.kind}
	}
	all := g.all()
	w := origin.Way{Kind: g.kind, Asked: g.Site.Admission.Asked(all), Fits: g.Site.Admission.Fit(all),
		InMemory: g.Site.Has(all), Parts: make([]origin.Part, len(g.parts))}
	storable := g.setsOf()
	if g.kind == origin.OnKeys && !w.InMemory || g.kind == origin.Own && !w.Asked && (!w.Fits || !every(storable)) {
		return w
	}
	if g.unread = g.Load(ctx); g.unread != nil {
		w.Unread = true
		return w
	}
	var demands []memory.Demand
	lacks := false
	for i, of := range g.parts {
		part := g.readPart(ctx, of, storable[i], !w.Asked)
		w.Parts[i], lacks = part, lacks || part.Missing > 0
		for _, a := range g.aggregatesOf(of) {
			demands = append(demands, memory.Demand{Aggregate: a, Stretches: part.Days, Missing: part.Missing})
		}
	}
	if lacks {
		w.Room.Fit, w.Room.Renew = g.Site.Admission.Room(demands, g.kind == origin.Own)
	}
	return w
}

// setsOf returns the state set of each part, or nil for parts that are not stored.
func (g *Lookup) setsOf() []*StateSet {
	sets := make([]*StateSet, len(g.parts))
	if g.merger.Keeper == nil {
		return sets
	}
	known := g.merger.StateSets()
	for i, of := range g.parts {
		sets[i] = known.of(g.Merge, of)
	}
	return sets
}

func every(sets []*StateSet) bool {
	for _, set := range sets {
		if set == nil {
			return false
		}
	}
	return true
}

// readPart returns what is known of the partials of a part, which are stored in a set, unless that is nil. It asks the
// store what it has only if partials are missing or the question is new.
func (g *Lookup) readPart(ctx context.Context, of *mergedPart, set *StateSet, isNew bool) (p origin.Part) {
	versions := g.Versions(of)
	for _, version := range versions {
		if version > 0 {
			p.Days++
		}
	}
	missing := g.Look(of, versions)
	p.Missing = len(missing)
	if g.kind == origin.Waiting {
		return p
	}
	p.Stale = g.Site.Stale(g.aggregates[of.Count].Aggregate, g.stretches, versions)
	if set == nil || p.Missing == 0 && !isNew || !g.listed(ctx) {
		return p
	}
	p.Storable = true
	stored := g.Site.Stored.Versions(set.Names.State, g.stretches)
	for i, version := range versions {
		if version > 0 && stored[i] >= version {
			p.Stored++
		}
	}
	for _, i := range missing {
		if stored[i] >= versions[i] {
			p.Loadable++
		}
	}
	return p
}

// listed reports whether it is known what the store has. If not, it asks the store.
func (g *Lookup) listed(ctx context.Context) bool {
	return g.Site.Stored.IsKnown() || g.merger.ListStored(ctx, g.Site, g.p.Subject) == nil
}
