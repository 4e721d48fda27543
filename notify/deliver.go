package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/store"
)

// How messages are tried again: after pauses that double from the first to the longest, until they are too old.
const (
	firstPause   = 10 * time.Second
	longestPause = time.Hour
	giveUpAfter  = 24 * time.Hour
	mailTimeout  = 30 * time.Second

	maxSending = 16 // messages that are sent at once
	lookEvery  = time.Second
)

var (
	errNoMail   = errors.New("the operator has set no server for mail")
	errNoSender = errors.New("the host has no sender of its own")
	errRemoved  = fmt.Errorf("%w: the target was removed from the notice", ErrGone)
	errEnded    = fmt.Errorf("%w: the reader has ended this mail", ErrGone)
)

// deliver sends messages that are due until ctx ends.
func (s *Service) deliver(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		if err := s.deliverDue(ctx, &sending); err != nil && ctx.Err() == nil {
			s.failed("messages could not be read", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-s.wake:
		}
	}
}

// deliverDue begins to send the messages that are due, as many as may be sent at once. Nothing waits for a message: its
// place among the messages being sent is free again when its try is over.
func (s *Service) deliverDue(ctx context.Context, sending *sync.WaitGroup) error {
	leads, err := s.lead(ctx)
	if err != nil || !leads {
		return err
	}
	// A message that is being sent may be done before it is looked at below.
	s.mu.Lock()
	busy := maps.Clone(s.sending)
	s.mu.Unlock()
	due, err := s.cfg.Store.DueDeliveries(ctx, 4*maxSending)
	if err != nil {
		return err
	}
	for _, d := range due {
		if busy[d.ID] || !s.take(d.ID) {
			continue
		}
		//background:stop=ctx bound=maxSending fails="a message could not be delivered"
		sending.Go(func() {
			defer s.leave(d.ID)
			s.try(ctx, d)
		})
	}
	return nil
}

// take reports whether the message with an id may be sent now, by the caller alone.
func (s *Service) take(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sending[id] || len(s.sending) >= maxSending {
		return false
	}
	s.sending[id] = true
	return true
}

// leave ends what take began. The next message of the same notice may be due.
func (s *Service) leave(id string) {
	s.mu.Lock()
	delete(s.sending, id)
	s.mu.Unlock()
	s.poke()
}

// poke makes deliver look at once.
func (s *Service) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// try sends d once, and records the result. A server that stops records a message that has arrived, but not that one
// was cut off.
func (s *Service) try(ctx context.Context, d store.Delivery) {
	err := s.attempt(ctx, &d)
	if err != nil && ctx.Err() != nil {
		return
	}
	now := s.cfg.Now()
	d.Tries, d.Tried, d.Fault, d.Status = d.Tries+1, now, "", store.DeliveryDone
	if err != nil {
		d.Fault, d.Due = fault(err), now.Add(pause(d.Tries, err))
		d.Status = store.DeliveryPending
		if errors.Is(err, ErrGone) || d.Due.After(d.Created.Add(giveUpAfter)) {
			d.Status = store.DeliveryFailed
		}
	}
	s.counts.tried(d.Status, err)
	if err != nil {
		s.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "a message could not be delivered", slog.String("website", d.Website),
			slog.String("notice", d.Name), slog.String("to", d.Shown), slog.Int64("tries", d.Tries),
			slog.String("status", string(d.Status)), slog.String("error", d.Fault))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := s.cfg.Store.RecordDelivery(ctx, s.holder, d); err != nil {
		s.failed("the result of a delivery could not be stored, so the message is sent again", err)
	}
}

// attempt sends d to its target, as the notice has it now.
func (s *Service) attempt(ctx context.Context, d *store.Delivery) error {
	var m Message
	if err := json.Unmarshal(d.Message, &m); err != nil {
		return fmt.Errorf("%w: the message is damaged: %w", ErrGone, err)
	}
	t, ended, err := s.target(ctx, d)
	switch {
	case err != nil:
		return err
	case t == nil:
		return errRemoved
	case ended && m.Type != Test:
		return errEnded
	}
	return s.send(ctx, t, &m)
}

// target returns the target of d, or nil if its notice does not have it any more, and whether its reader ended it.
func (s *Service) target(ctx context.Context, d *store.Delivery) (t *notice.Target, ended bool, err error) {
	known, err := s.definitions(ctx)
	if err != nil {
		return nil, false, err
	}
	one := known.of[d.NoticeKey]
	if one == nil {
		return nil, false, nil
	}
	for i := range one.to {
		if one.to[i].Key() == d.Target {
			return &one.to[i], known.ended[store.MailEnd{NoticeKey: d.NoticeKey, Target: d.Target}], nil
		}
	}
	return nil, false, nil
}

// pause returns how long to wait after a number of tries.
func pause(tries int64, err error) time.Duration {
	wait := longestPause
	if tries < 10 {
		wait = min(firstPause<<(tries-1), longestPause)
	}
	if asked, ok := errors.AsType[*statusError](err); ok {
		wait = max(wait, min(asked.after, longestPause))
	}
	return wait
}

// fault returns what people see of an error: not the address, which may be a secret.
func fault(err error) string {
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	text := strings.TrimPrefix(oneLine(strings.ToValidUTF8(err.Error(), "")), "notify: ")
	for len(text) > store.MaxFault {
		text = string([]rune(text)[:len([]rune(text))-1])
	}
	return text
}
