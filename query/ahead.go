package query

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

const (
	aheadDays  = 90 // of which partials are computed ahead
	aheadShare = 4  // none are begun when this part of the memory for partials is taken
)

// quiet are the first of days: those whose seals stand whatever comes on the others.
func quiet(days []store.Day) []store.Day {
	changed := slices.IndexFunc(days, func(d store.Day) bool { return d.Version > d.Sealed })
	if changed < 0 {
		return days
	}
	end := days[changed].Start.AddDate(0, 0, -sessionsNeedAfter)
	return days[:slices.IndexFunc(days, func(d store.Day) bool { return !d.Start.Before(end) })]
}

// ahead computes the partials that questions about a website without filters are merged from, of the
// latest of days, which are quiet, and reports whether it has come to the end. It looks after every type
// whether it is time to stop. What fails is computed when it is asked for.
func (e *Engine) ahead(ctx context.Context, website store.Subject, days []store.Day, stop func() bool) (done bool, err error) {
	if e.partials == nil || len(days) == 0 {
		return true, nil
	}
	last := days[len(days)-1].Start
	req := Request{StartDate: last.AddDate(0, 0, 1-aheadDays).Format(time.DateOnly), EndDate: last.Format(time.DateOnly)}
	for _, of := range e.types.types {
		if e.partials.Size() > e.partials.MaxBytes()/aheadShare {
			return true, err
		}
		req.Parameters = []Parameter{{Name: of.Name}}
		found, mistakes := e.types.resolve(Access{Subject: website}, req, e.now())
		if len(mistakes) > 0 || found.parameters[0].err != nil {
			continue // it is of another kind of subject, or needs a filter
		}
		g := e.gathering(found.parameters[0].plan)
		if g == nil || !g.site.Fit(g.all()) {
			continue
		}
		failed := g.load(ctx)
		if failed == nil {
			_, failed = g.gather(ctx)
		}
		err = errors.Join(err, failed)
		if stop() {
			return false, err
		}
	}
	return true, err
}
