package sightline

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// How often the stores are maintained. Maintenance of events moves rows together, so that answers about them are fast soon.
const (
	recordsEvery = time.Hour
	eventsEvery  = 5 * time.Minute
)

// backlogAge is the age from which an unsealed day is reported at info level.
const backlogAge = 72 * time.Hour

// maintain runs the maintenance of a store until ctx ends.
func (s *Service) maintain(ctx context.Context, m store.Maintainer, every time.Duration) {
	due := time.NewTicker(every)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-due.C:
		}
		if err := m.Maintain(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Logger.Error("maintenance failed", "error", err)
		}
	}
}
