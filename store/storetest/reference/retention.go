package reference

import "fmt"

// retention has a row for each cohort and period.
func (a *evaluation) retention() *table {
	start, back := a.names.deed(a.q.Start), a.names.deed(a.q.Return)
	buckets := len(a.period.labels)
	sizes, returned := make([]int, buckets), make([][]int, buckets)
	for i := range returned {
		returned[i] = make([]int, buckets)
	}
	for visitor, rows := range a.site.byVisitor {
		if visitor == "" {
			continue
		}
		first := (*row)(nil)
		for _, r := range rows {
			if a.passes(r) && a.names.is(start, r) && (first == nil || r.at < first.at) {
				first = r
			}
		}
		if first == nil {
			continue
		}
		cohort, came := a.period.bucket(first.at), map[int]bool{}
		for _, r := range rows {
			if a.passes(r) && a.names.is(back, r) && r.at >= first.at {
				came[a.period.bucket(r.at)-cohort] = true
			}
		}
		sizes[cohort]++
		latest := -1
		for n := range came {
			latest = max(latest, n)
		}
		for n := range buckets {
			if came[n] || a.q.Rolling && n <= latest {
				returned[cohort][n]++
			}
		}
	}
	t := a.table("date", "period")
	for i, size := range sizes {
		for n := 0; size > 0 && i+n < a.begun; n++ {
			t.rows = append(t.rows, []value{
				text(a.period.labels[i]), count(n), count(size), count(returned[i][n]), ratio(100*returned[i][n], size),
			})
		}
	}
	return t
}

// checkCohorts returns an error for a range of too many cohorts.
func (t *Type) checkCohorts(p *period) error {
	if t.Name == "retention" && len(p.labels) > mostCohorts {
		return fmt.Errorf("%w: %d buckets of retention", ErrRange, len(p.labels))
	}
	return nil
}
