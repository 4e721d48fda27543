//go:build cgo

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// headsEvery is how often the heads are written at most.
const headsEvery = time.Second

// headsSlack is how long after its newest entry a head may be handed out: a log that
// cannot be written to for a while.
const headsSlack = time.Hour

// A headsNote is what the file beside the audit trail holds: the newest head of each
// chain that this folder's servers wrote, so that a trail that was put back shows.
type headsNote struct {
	Keep  time.Duration `json:"keep"` // 0: entries are kept for ever
	Heads []headNote    `json:"heads"`
}

type headNote struct {
	audit.Mark
	At time.Time `json:"at"` // when it was handed out
}

// readHeads reads a file of heads. Its error wraps fs.ErrNotExist when there is none.
func readHeads(file string) (headsNote, error) {
	var n headsNote
	text, err := os.ReadFile(file)
	if err != nil {
		return n, fmt.Errorf("heads of the audit trail: %w", err)
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("heads of the audit trail: %s is damaged: %w", file, err)
	}
	return n, nil
}

// live are the heads whose chains must be there at the instant now. A chain whose
// entries are all older than what is kept may be gone.
func (n headsNote) live(now time.Time) []headNote {
	var live []headNote
	for _, h := range n.Heads {
		if n.Keep == 0 || h.At.Add(headsSlack).After(now.Add(-n.Keep)) {
			live = append(live, h)
		}
	}
	return live
}

// add takes a head, unless a newer one of its chain is there.
func (n *headsNote) add(head headNote) {
	for i := range n.Heads {
		if n.Heads[i].Writer == head.Writer {
			if head.Seq >= n.Heads[i].Seq {
				n.Heads[i] = head
			}
			return
		}
	}
	n.Heads = append(n.Heads, head)
}

// heads keep the newest heads of the audit trail in a file, apart from the trail.
type heads struct {
	file string
	now  func() time.Time
	log  *slog.Logger

	mu   sync.Mutex
	note headsNote
	wake chan struct{}
	end  context.CancelFunc
	done sync.WaitGroup
}

// openHeads goes on with the heads of file, which may not be there yet.
func openHeads(file string, keep time.Duration, now func() time.Time, log *slog.Logger) (*heads, error) {
	note, err := readHeads(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; verify the trail, then move the file away", err)
	}
	note.Keep = keep
	note.Heads = note.live(now())
	ctx, end := context.WithCancel(context.Background())
	h := &heads{file: file, now: now, log: log, note: note, wake: make(chan struct{}, 1), end: end}
	h.done.Go(func() { h.run(ctx) })
	return h, nil
}

// keep takes a new head. It does not wait for the disk.
func (h *heads) keep(m audit.Mark) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
	h.note.add(headNote{m, h.now().UTC()})
}

// run writes the file when there is something new.
func (h *heads) run(ctx context.Context) {
	tick := time.NewTicker(headsEvery)
	defer tick.Stop()
	for {
		select {
		case <-h.wake:
		case <-ctx.Done():
			return
		}
		if err := h.write(); err != nil {
			h.log.Error("heads of the audit trail were not kept", "file", h.file, "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// write leaves what other servers of the folder wrote: with ClickHouse there may be several.
// Of two that write in the same moment, one's head may be lost until it writes again.
func (h *heads) write() error {
	others, err := readHeads(h.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	h.mu.Lock()
	for _, head := range others.Heads {
		h.note.add(head)
	}
	h.note.Heads = h.note.live(h.now())
	text, err := json.Marshal(h.note)
	h.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(h.file, append(text, '\n'))
}

// close writes what is new. The trail's writer must have ended before.
func (h *heads) close() error {
	h.end()
	h.done.Wait()
	h.mu.Lock()
	none := len(h.note.Heads) == 0
	h.mu.Unlock()
	if none {
		return nil
	}
	return h.write()
}
