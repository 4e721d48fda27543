package notify

import (
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Stats say what a Service did since it began.
type Stats struct {
	Leads     bool // this server evaluates and delivers
	Notices   int  // notices and reports of the last evaluation, with those of all websites once for each
	Rounds    int64
	Seconds   float64 // of all rounds
	Failures  int64   // of work in the background, which is tried again
	Told      int64   // changes that were told
	Delivered int64
	Refused   int64 // tries that failed
	GivenUp   int64 // messages that are not tried any more
}

// Stats returns the numbers of now.
func (s *Service) Stats() Stats {
	s.counts.mu.Lock()
	all := s.counts.Stats
	s.counts.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	all.Leads = s.leads
	return all
}

type counts struct {
	mu sync.Mutex
	Stats
}

func (c *counts) add(change func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.Stats)
}

func (c *counts) failed() { c.add(func(s *Stats) { s.Failures++ }) }

func (c *counts) tried(status store.DeliveryStatus, err error) {
	c.add(func(s *Stats) {
		if err != nil {
			s.Refused++
		}
		switch status {
		case store.DeliveryDone:
			s.Delivered++
		case store.DeliveryFailed:
			s.GivenUp++
		}
	})
}

func (c *counts) round(took time.Duration, notices int) {
	c.add(func(s *Stats) {
		s.Rounds++
		s.Seconds += took.Seconds()
		s.Notices = notices
	})
}
