package transfer

import (
	"context"
	"math"
	"time"

	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
)

// Known remembers which days a call of [Copy] or [Verify] found equal, and their versions in the source. With it, the
// next call compares only days whose rows changed in the source since, so it takes as long as these days need. It needs
// a source that is a [store.DayLister]; without one, every call compares all days. It does not see changes of the
// target by others.
//
// The zero value knows nothing. Use it for one pair of stores, and in one goroutine at a time.
type Known struct {
	subjects map[store.Subject]map[int64]equalDay
}

// An equalDay is a day of a subject with the same rows in both stores.
type equalDay struct {
	version uint64 // in the source
	tables  int    // with rows
	rows    int64
}

// A window has the days of a subject that a comparison reads. It excludes equal days that are known.
type window struct {
	spans    []scan.Stretch
	versions map[int64]uint64   // of the days in the spans; nil if the source has none
	equal    map[int64]equalDay // excluded days
}

// window reads the versions of the subject's days, before a comparison reads rows. So rows that arrive in between are
// compared again by the next call.
func (o *Options) window(ctx context.Context, from store.Store, subject store.Subject) (window, error) {
	all := scan.Always(subject)
	if !o.Before.IsZero() {
		all.To = scan.Edge{Time: o.Before.UTC().Truncate(24 * time.Hour).UnixMilli()}
	}
	lister, ok := from.(store.DayLister)
	if o.Known == nil || !ok {
		return window{spans: []scan.Stretch{all}}, nil
	}
	days, err := lister.Days(ctx, subject, time.UnixMilli(all.From.Time), time.UnixMilli(all.To.Time))
	if err != nil {
		return window{}, err
	}
	known := o.Known.subjects[subject]
	w := window{versions: map[int64]uint64{}, equal: map[int64]equalDay{}}
	if len(known) == 0 {
		w.spans = []scan.Stretch{all} // also finds rows of the target on other days
	}
	next := int64(math.MinInt64) // the day that continues the last span
	for _, d := range days {
		day := d.Start.UnixMilli() / scan.DayMillis
		if e, ok := known[day]; ok && e.version == d.Version {
			w.equal[day], next = e, math.MinInt64
			continue
		}
		w.versions[day] = d.Version
		switch {
		case len(known) == 0:
		case day == next:
			w.spans[len(w.spans)-1].To = scan.Day(subject, day).To
		default:
			w.spans = append(w.spans, scan.Day(subject, day))
		}
		next = day + 1
	}
	return w, nil
}

// note remembers the days of a comparison that are equal in all tables.
func (k *Known) note(subject store.Subject, w window, compared []pairOfDays) {
	if k == nil || w.versions == nil {
		return
	}
	found := map[int64]equalDay{}
	for day, version := range w.versions {
		found[day] = equalDay{version: version}
	}
	for _, d := range compared {
		_, listed := w.versions[d.day]
		e, equal := found[d.day]
		switch {
		case d.source == d.target && equal:
			found[d.day] = equalDay{e.version, e.tables + 1, e.rows + d.source.rows}
		case d.source != d.target && listed:
			delete(found, d.day)
		case d.source != d.target: // a day of the target alone: the next call must report it, too
			delete(k.subjects, subject)
			return
		}
	}
	for day, e := range w.equal {
		found[day] = e
	}
	if k.subjects == nil {
		k.subjects = map[store.Subject]map[int64]equalDay{}
	}
	k.subjects[subject] = found
}
