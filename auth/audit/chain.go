package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

const (
	// batchSize is the number of records that are appended at once.
	batchSize = 1024
	// tries bounds how often a conflict is met with another attempt.
	tries = 10
)

// chain is the chain that a writer makes, from its tip on. It is used by one goroutine
// at a time.
type chain struct {
	log    Log
	seal   *sealer
	now    func() time.Time
	logger *slog.Logger

	writer   string // empty before the first entry
	enrolled bool
	seq      int64 // of the tip
	mac      MAC   // of the tip
	pending  []Record
}

// link binds entries to the tip. Once bound a record does not change, so that it may be
// appended again when nobody knows whether it was.
func (c *chain) link(entries []auth.Entry) {
	if c.writer == "" && len(entries) > 0 {
		c.begin()
	}
	c.pending = slices.Grow(c.pending, len(entries))
	for _, e := range entries {
		clean(&e)
		c.pending = append(c.pending, Record{Entry: e})
		c.bind(&c.pending[len(c.pending)-1])
	}
}

func (c *chain) bind(r *Record) {
	c.seq++
	r.Writer, r.Seq = c.writer, c.seq
	r.MAC = c.seal.entry(r, c.mac)
	c.mac = r.MAC
}

// begin makes a new chain, which the log does not know yet. Names sort by their time.
func (c *chain) begin() {
	c.writer = c.now().UTC().Format("20060102T150405Z") + "-" + strings.ToLower(rand.Text()[:12])
	c.enrolled, c.seq, c.mac = false, 0, c.seal.first(c.writer)
}

// write appends what is pending, and tells done of each batch with its size and head.
func (c *chain) write(ctx context.Context, done func(int, Mark)) error {
	sent, restarted := 0, false
	defer func() { c.pending = slices.Delete(c.pending, 0, sent) }()
	for sent < len(c.pending) {
		batch := c.pending[sent:min(len(c.pending), sent+batchSize)]
		last := batch[len(batch)-1]
		head := c.seal.head(Mark{Writer: last.Writer, Seq: last.Seq, MAC: last.MAC})
		err := c.enrol(ctx)
		if err == nil {
			err = c.log.Append(ctx, head, batch)
		}
		if errors.Is(err, ErrConflict) && c.enrolled && !restarted {
			c.restart(ctx, c.pending[sent:], err)
			restarted = true
			continue
		}
		if err != nil {
			return fmt.Errorf("audit: appending to the log: %w", err)
		}
		sent += len(batch)
		done(len(batch), head)
	}
	return nil
}

// restart goes on with a new chain, since the log no longer takes the old one: it was
// pruned away, put back to an earlier state, or tampered with. What was appended stays
// as it is, for Verify to judge.
func (c *chain) restart(ctx context.Context, unsent []Record, why error) {
	old := c.writer
	c.begin()
	for i := range unsent {
		c.bind(&unsent[i])
	}
	c.logger.LogAttrs(ctx, slog.LevelWarn, "audit trail begins a new chain; verify it if nobody pruned it",
		slog.String("chain", c.writer), slog.String("before", old), slog.Any("error", why))
}

// enrol has the log know the chain. The seal of the roster is renewed only where it was
// good.
func (c *chain) enrol(ctx context.Context) error {
	if c.enrolled {
		return nil
	}
	for try := 1; ; try++ {
		state, err := c.log.State(ctx)
		if err == nil {
			err = c.seal.check(state)
		}
		if err != nil {
			return err
		}
		if _, err := state.index(c.writer); err == nil { // an earlier call did not fail after all
			c.enrolled = true
			return nil
		}
		r := c.seal.roster(Roster{
			Generation: state.Roster.Generation + 1,
			Writers:    append(slices.Clone(state.Roster.Writers), c.writer),
		})
		err = c.log.Enrol(ctx, r, c.seal.head(Mark{Writer: c.writer, MAC: c.seal.first(c.writer)}))
		if err == nil {
			c.enrolled = true
			return nil
		}
		if !errors.Is(err, ErrConflict) || try == tries {
			return err
		}
	}
}
