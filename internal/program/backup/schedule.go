package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// retryAfter is the longest time between a failed backup and the next attempt.
const retryAfter = 10 * time.Minute

// lateBy is how late the newest backup may be before Probe fails: a backup takes time, and the server may have been
// stopped.
const lateBy = time.Hour

// A Schedule makes backups on demand and, with Run, regularly. Its fields must not change after the first call.
type Schedule struct {
	Source Source
	To     string        // folder of the regular backups; empty means none
	Every  time.Duration // time between the moments of two backups
	Keep   int           // number of complete backups to keep in To; 0 means all
	Log    *slog.Logger

	turn sync.Mutex // held while a backup is made

	mu     sync.Mutex
	status Status
}

// A Status describes the regular backups of a server.
type Status struct {
	To     string
	Every  time.Duration
	Newest time.Time // moment of the newest complete backup in To; zero means none
	Failed time.Time // time of the last attempt, if it failed
	Error  string    // of that attempt
}

// Create makes a backup in the folder to, and then prunes the folder to keep backups. 0 keeps all.
func (s *Schedule) Create(ctx context.Context, to string, keep int) (Made, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	made, err := s.Source.Create(ctx, to)
	if err != nil {
		return Made{}, err
	}
	if err := Prune(to, keep, made.Path); err != nil {
		return made, fmt.Errorf("the backup %s is complete, but older ones could not be removed: %w", made.Path, err)
	}
	return made, nil
}

// Run makes a backup whenever the newest one in To is older than Every, until ctx ends. It logs failures, and tries
// again.
func (s *Schedule) Run(ctx context.Context) {
	if s.To == "" {
		return
	}
	for ctx.Err() == nil {
		wait := s.attempt(ctx)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// attempt makes a backup if one is due, and returns the time until the next attempt.
func (s *Schedule) attempt(ctx context.Context) (wait time.Duration) {
	now := s.Source.Now()
	all, _, err := List(s.To)
	var newest time.Time
	if len(all) > 0 {
		newest = all[len(all)-1].Manifest.Moment
	}
	// A moment after now is of a clock that was wrong.
	if wait := newest.Add(s.Every).Sub(now); err == nil && wait > 0 && !newest.After(now) {
		s.note(newest, time.Time{}, nil)
		return wait
	}
	var made Made
	if err == nil {
		made, err = s.Create(ctx, s.To, s.Keep)
	}
	if made.Path != "" {
		newest = made.Manifest.Moment
		s.Log.Info("backup made", "path", made.Path, "moment", newest, "bytes", made.Manifest.Bytes(), "took",
			made.Took, "writes_waited", made.Stalled)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.Error("backup failed; it is tried again", "to", s.To, "newest", newest, "error", err)
		s.note(newest, now, err)
		return min(s.Every, retryAfter)
	}
	s.note(newest, time.Time{}, nil)
	return s.Every
}

func (s *Schedule) note(newest, failed time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Newest, s.status.Failed, s.status.Error = newest, failed, ""
	if err != nil {
		s.status.Error = err.Error()
	}
}

// Status returns the state of the regular backups after the latest attempt.
func (s *Schedule) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.status
	found.To, found.Every = s.To, s.Every
	return found
}

// Probe is a [health.Probe]: it returns an error if the last attempt failed, or if the newest backup is too old.
//
// [health.Probe]: https://pkg.go.dev/github.com/sightline-analytics/sightline/health#Probe
func (s *Schedule) Probe(context.Context) error {
	switch found := s.Status(); {
	case found.Error != "":
		return errors.New(found.Error)
	case !found.Newest.IsZero() && s.Source.Now().Sub(found.Newest) > s.Every+lateBy:
		return fmt.Errorf("the newest backup is of %s", found.Newest.Format(time.RFC3339))
	}
	return nil
}
