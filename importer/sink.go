package importer

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// sender is the name of imports among the senders of a store, so that they take turns with visitors.
const sender = "import"

// A sink stores rows in batches, in a goroutine of its own, one batch at a time. The journal is used by this goroutine
// alone while a batch is stored.
type sink struct {
	target   Target
	profiles Profiles
	journal  *journal
	size     int

	batch             store.Batch
	marks             map[*place]mark // of the records of the batch, and of sources that ended since the last one
	people            []store.Profile // the profiles of the batch
	doubted           bool            // the batch has rows that this import may have stored
	known             bool            // the batch has rows that others may have stored
	note              func() error    // called before the first batch is stored
	noted             bool
	written           store.Written
	restored, refused int64    // profiles that were stored, and those that exceed a limit
	plan              *planner // nil unless nothing is stored

	ctx     context.Context //nolint:containedctx // of the one call that the sink belongs to
	running chan error      // result of the batch that is being stored; nil if there is none
}

func newSink(ctx context.Context, cfg *Config, j *journal) *sink {
	s := &sink{target: cfg.Target, profiles: cfg.Profiles, journal: j, size: cfg.Rows, ctx: ctx,
		marks: map[*place]mark{}}
	if cfg.DryRun {
		s.plan = newPlanner()
	}
	return s
}

// add adds the rows of a record. doubted says that they may be stored since an import was killed, and known that they
// may be stored since another import, or tracking.
func (s *sink) add(rows *store.Batch, of *place, at mark, doubted, known bool) error {
	s.batch.Append(rows)
	s.doubted, s.known = s.doubted || doubted, s.known || known
	s.marks[of] = at
	if s.batch.Len() < s.size {
		return nil
	}
	return s.flush()
}

// end notes that a source was read to its end.
func (s *sink) end(of *place, at mark) { s.marks[of] = at }

// flush waits until the batch before is stored, and begins to store this one.
func (s *sink) flush() error {
	if err := s.wait(); err != nil {
		return err
	}
	b, people, marks, doubted, known := s.batch, s.people, s.marks, s.doubted, s.known
	s.batch, s.people, s.doubted, s.known = store.Batch{Events: make([]store.Event, 0, s.size)}, nil, false, false
	s.marks = map[*place]mark{}
	b.Sender = sender
	s.running = make(chan error, 1)
	//background:stop=wait bound=one fails=caller
	go func() { s.running <- s.store(&b, people, marks, doubted, known) }()
	return nil
}

func (s *sink) wait() error {
	if s.running == nil {
		return nil
	}
	err := <-s.running
	s.running = nil
	return err
}

func (s *sink) store(b *store.Batch, people []store.Profile, marks map[*place]mark, doubted, known bool) error {
	for _, t := range schema.Tables() {
		for item := range t.Len(b) {
			t.SetImports(schema.Row{Batch: b, Item: item}, s.journal.Import)
		}
	}
	if !s.noted && s.plan == nil && b.Len() > 0 {
		if err := s.note(); err != nil {
			return err
		}
		s.noted = true
	}
	if doubted || known {
		if err := s.leaveOut(b, doubted); err != nil {
			return err
		}
	}
	if s.plan != nil {
		s.plan.add(b, len(people))
		return nil
	}
	if err := s.journal.doubt(marks); err != nil {
		return fmt.Errorf("importer: progress: %w", err)
	}
	if b.Len() > 0 {
		written, err := s.target.Write(s.ctx, b)
		if err != nil {
			return fmt.Errorf("importer: storing %d rows: %w", b.Len(), err)
		}
		s.written.Stored += written.Stored
		s.written.Repeated += written.Repeated
	}
	if err := s.storeProfiles(people); err != nil {
		return err
	}
	s.journal.commit(marks)
	return nil
}

// leaveOut removes the rows of b that are stored. They belong to this import, too, if they belong to others.
func (s *sink) leaveOut(b *store.Batch, doubted bool) error {
	stored, err := leaveOutStored(s.ctx, s.target, b)
	if err != nil {
		return fmt.Errorf("importer: looking for stored rows: %w", err)
	}
	if stored.Len() == 0 || s.plan != nil {
		return nil
	}
	if !doubted { // else the call before this one counted some of them
		s.written.Repeated += stored.Len()
	}
	remover, ok := s.target.(store.Remover)
	if !ok {
		return nil
	}
	if err := remover.Claim(s.ctx, stored); err != nil {
		return fmt.Errorf("importer: noting %d stored rows: %w", stored.Len(), err)
	}
	return nil
}

// close stores the last batch, unless an earlier one failed or the import was stopped, and waits for it.
func (s *sink) close() error {
	if err := s.wait(); err != nil || s.ctx.Err() != nil {
		return err
	}
	if s.batch.Len() == 0 && len(s.people) == 0 {
		s.journal.commit(s.marks)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.wait()
}
