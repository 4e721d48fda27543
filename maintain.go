package sightline

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// How often the stores are maintained. Maintenance of events moves rows together, so that answers about them are fast
// soon.
const (
	recordsEvery = time.Hour
	eventsEvery  = 5 * time.Minute
)

// backlogAge is the age from which an unsealed day is reported at info level.
const backlogAge = 72 * time.Hour

// A task is work that Run does in the background.
type task struct {
	name string // in the log of its failures
	// run returns soon after ctx ends, when the work has ended. It calls failed with each failure, and tries again.
	run func(ctx context.Context, failed func(error))
}

// tasks returns everything that Run does. Other parts of the service also work in the background, until Close closes
// them.
func (s *Service) tasks() []task {
	var all []task
	if s.sealer != nil {
		all = append(all, task{"sealing days", s.sealer.Run})
	}
	if s.notices != nil {
		all = append(all, task{"notices", func(ctx context.Context, _ func(error)) { s.notices.Run(ctx) }})
	}
	for _, part := range []struct {
		name  string
		value any
		every time.Duration
	}{
		{"maintenance of events", s.cfg.Events, eventsEvery},
		{"maintenance of records", s.cfg.Records, recordsEvery},
		{"maintenance of salts", s.cfg.Salts, recordsEvery},
	} {
		if m, ok := part.value.(store.Maintainer); ok {
			all = append(all, task{part.name, repeat(part.every, false, m.Maintain)})
		}
	}
	if keys, ok := any(s.cfg.Records).(KeyPruner); ok && s.cfg.Trail.Retention > 0 {
		prune := func(ctx context.Context) error { return keys.PruneKeys(ctx, s.cfg.Now().Add(-s.cfg.Trail.Retention)) }
		all = append(all, task{"removing keys that ended", repeat(recordsEvery, true, prune)})
	}
	if websites, ok := s.expiring(); ok {
		expire := func(ctx context.Context) error { return s.expireOnce(ctx, websites) }
		all = append(all, task{"removing the rows of old days", repeat(expireEvery, true, expire)})
	}
	return all
}

// repeat calls work at every interval, and at once if now is set. One call runs at a time.
func repeat(every time.Duration, now bool, work func(context.Context) error) func(context.Context, func(error)) {
	return func(ctx context.Context, failed func(error)) {
		due := time.NewTicker(every)
		defer due.Stop()
		for run := now; ; run = true {
			if run {
				if err := work(ctx); err != nil && ctx.Err() == nil {
					failed(err)
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-due.C:
			}
		}
	}
}
