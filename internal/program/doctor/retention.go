package doctor

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
)

// checkRetention counts the days whose rows are older than the retention of their website. A running server removes
// them within an hour.
func (d *doctor) checkRetention(ctx context.Context, events source, subjects []store.Subject) {
	lister, lists := events.(store.DayLister)
	if !lists || !d.recordsSound {
		return
	}
	records, err := install.OpenRecords(ctx, d.Data, d.Meta, auth.Pepper{}, slog.New(slog.DiscardHandler), d.Now)
	if err != nil {
		d.found(Warning, "retention", "check the records", "the retention of websites cannot be read: %v", err)
		return
	}
	defer func() { _ = records.Close(context.WithoutCancel(ctx)) }()
	limited, due := 0, 0
	for _, s := range subjects {
		if s.Kind != store.KindWebsite {
			continue
		}
		site, err := records.Website(ctx, s.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was removed, and its rows stay
		}
		from := time.Time{}
		if err == nil {
			from = site.Rules.KeepsFrom(d.Now())
		}
		if err == nil && from.IsZero() {
			continue
		}
		var days []store.Day
		if err == nil {
			days, err = lister.Days(ctx, s, time.UnixMilli(-1<<53), from)
		}
		if err != nil {
			d.found(Warning, "retention", "check the log of the server", "old days of website %q cannot be counted: %v",
				s.ID, err)
			return
		}
		limited++
		for _, day := range days {
			if day.Version != day.Expired {
				due++
			}
		}
	}
	if limited > 0 {
		d.found(OK, "retention", "",
			"rows of %d days are due to be removed, of the websites with a retention (%d); a server does so within an hour", due, limited)
	}
}
