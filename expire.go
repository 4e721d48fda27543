package sightline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// expireEvery is how often the service looks for days whose rows have to be removed.
const expireEvery = time.Hour

// expireOnce removes the rows of days that are older than [store.Rules.RetentionDays] allows now. websites lists the
// websites that have rows. Failures about one website do not keep it from the others.
func (s *Service) expireOnce(ctx context.Context, websites store.Deriver) error {
	known, err := websites.Websites(ctx)
	if err != nil {
		return err
	}
	all := make([]store.Subject, 0, len(known))
	for of := range known {
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b store.Subject) int { return strings.Compare(a.ID, b.ID) })
	var faults []error
	for _, of := range all {
		site, err := s.directory.Website(ctx, of.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was removed, and its rows stay
		}
		from := site.Rules.KeepsFrom(s.cfg.Now())
		if err == nil && from.IsZero() {
			continue
		}
		days := 0
		if err == nil {
			days, err = s.engine.Expire(ctx, of, from, site.Rules.KeepTotals)
		}
		if days > 0 {
			s.cfg.Logger.Info("removed the rows of old days", "website", of.ID, "days", days, "before",
				from.Format(time.DateOnly), "totals", site.Rules.KeepTotals)
		}
		if err != nil {
			faults = append(faults, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(faults...)
}

// expiring returns the store of events, if rows of old days can be removed from it.
func (s *Service) expiring() (websites store.Deriver, ok bool) {
	websites, lists := any(s.cfg.Events).(store.Deriver)
	_, expires := any(s.cfg.Events).(store.Expirer)
	return websites, lists && expires
}
