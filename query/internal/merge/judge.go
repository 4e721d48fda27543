package merge

import (
	"context"
	"slices"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
)

// A judge decides whether it is worth merging an answer, and finds the reason if it is not.
type judge struct {
	*Lookup
	peeks bool // nothing counts as asked or used, and Lookup.Found stays empty
}

// asked reports whether the question was asked before, and its partials fit into memory.
func (j judge) asked() bool {
	if j.peeks {
		return j.Site.Admission.WereAsked(j.all())
	}
	return j.Site.Admission.Asked(j.all())
}

// unasked returns the reason why a question is not worth its partials, or none if it was asked before or most of them
// are stored.
func (j judge) unasked(ctx context.Context) answer.Reason {
	switch {
	case j.asked() || j.mostlyStored(ctx):
		return ""
	case !j.Site.Admission.Fit(j.all()):
		return answer.TooLarge
	}
	return answer.FirstAsked
}

// why returns the reason not to compute the missing partials, if there is one.
func (j judge) why(ctx context.Context) answer.Reason {
	if j.Load(ctx) != nil {
		return answer.NotStored
	}
	if j.manyStale() {
		return answer.DaysChanged
	}
	_, why := j.missing(ctx)
	return why
}

// manyStale reports whether a quarter of the days that have rows got new ones since somebody asked about them: a day's
// partials cost at least four times what the statement costs by day, and may be as short-lived as those before.
func (j judge) manyStale() bool {
	many := false
	for _, of := range j.parts {
		versions := j.Versions(of)
		count := j.Site.Stale
		if j.peeks {
			count = j.Site.CountStale
		}
		stale := count(j.leaves[of.Count].Aggregate, j.stretches, versions)
		many = many || stale > 0 && 4*stale >= len(rowsIn(versions))
	}
	return many
}

// missing returns how many partials of each part are missing, and the reason not to compute them, if there is one. The
// snapshot is loaded.
func (j judge) missing(ctx context.Context) (missing []int, why answer.Reason) {
	missing, some, slow := make([]int, len(j.parts)), false, false
	for i, of := range j.parts {
		versions := j.Versions(of)
		lacks := j.look(of, versions)
		missing[i] = len(lacks)
		some = some || len(lacks) > 0
		slow = slow || !j.background && j.slow(ctx, of, lacks, versions)
	}
	switch {
	case some && !j.admits(missing):
		return missing, answer.NoRoom
	case slow:
		return missing, answer.NotStored
	}
	return missing, ""
}

// look returns what Look returns. If j peeks, it does not fill Found, and does not count as a use of the partials.
func (j judge) look(of *mergedPart, versions []uint64) (missing []int) {
	if !j.peeks {
		return j.Look(of, versions)
	}
	for _, i := range of.leaves {
		missing = append(missing, j.Site.Missing(j.leaves[i].Aggregate, j.stretches, versions)...)
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// admits reports whether there is memory for the partials of all parts, of which so many are missing.
func (j judge) admits(missing []int) bool {
	var all []memory.Demand
	for i, of := range j.parts {
		stretches := len(rowsIn(j.Versions(of)))
		for _, a := range j.aggregates(of) {
			all = append(all, memory.Demand{Aggregate: a, Stretches: stretches, Missing: missing[i]})
		}
	}
	if j.peeks {
		return j.Site.Admission.WouldAdmit(all)
	}
	return j.Site.Admission.Admit(all)
}

// slow reports whether it takes longer to compute the missing partials of a part than to run the statement: partials
// that are not stored are missing for a quarter of the days, and a day costs at least four times as much as in the
// statement.
func (j judge) slow(ctx context.Context, of *mergedPart, missing []int, versions []uint64) bool {
	_, _, others := j.stored(ctx, of, missing, versions)
	return len(others) > 0 && 4*len(others) >= len(rowsIn(slices.Clone(versions)))
}

// mostlyStored reports whether the store has the partials of at least half of the days with rows. Then the first
// answer is merged, too. Where it has nothing of the website, that costs one look.
func (j judge) mostlyStored(ctx context.Context) bool {
	if j.merger.Keeper == nil || !j.Site.Admission.Fit(j.all()) {
		return false
	}
	known := j.merger.StateSets()
	sets := make([]*StateSet, len(j.parts))
	for i, of := range j.parts {
		if sets[i] = known.of(j.Merge, of); sets[i] == nil {
			return false
		}
	}
	if !j.Site.Stored.IsKnown() && j.merger.ListStored(ctx, j.Site, j.p.Subject) != nil {
		return false
	}
	if j.Load(ctx) != nil {
		return false // the caller that answers finds out why
	}
	for i, of := range j.parts {
		versions, days, stored := j.Versions(of), 0, 0
		for k, version := range j.Site.Stored.Versions(sets[i].Name, j.stretches) {
			if versions[k] > 0 {
				days++
				if version >= versions[k] {
					stored++
				}
			}
		}
		if 2*stored < days {
			return false
		}
	}
	return true
}

// mostlyInMemory reports whether the partials of at least half of the days with rows are in memory.
func (j judge) mostlyInMemory(ctx context.Context) bool {
	if !j.Site.Has(j.all()) || j.Load(ctx) != nil { // the caller that answers finds out why
		return false
	}
	return !slices.ContainsFunc(j.parts, func(of *mergedPart) bool {
		versions := j.Versions(of)
		return 2*len(j.look(of, versions)) > len(rowsIn(versions))
	})
}

// rowsIn returns the versions of stretches with rows.
func rowsIn(versions []uint64) []uint64 {
	return slices.DeleteFunc(versions, func(version uint64) bool { return version == 0 })
}
