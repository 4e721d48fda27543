//go:build cgo

package install

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

// headsSlack is how long after its newest entry a head may be reported: while the trail's
// database cannot be written to.
const headsSlack = time.Hour

// Heads is what the file beside the audit trail holds: the newest head of each chain that
// this folder's servers wrote, so that a trail that was put back as a whole shows.
type Heads struct {
	Keep  time.Duration `json:"keep"` // of entries; 0: for ever
	Heads []Head        `json:"heads"`
}

// A Head is the newest checkpoint of a chain.
type Head struct {
	audit.Checkpoint

	At time.Time `json:"at"` // when the trail's writer reported it
}

// ReadHeads reads a file of heads. Its error wraps fs.ErrNotExist when there is none.
func ReadHeads(file string) (Heads, error) {
	var n Heads
	text, err := os.ReadFile(file)
	if err != nil {
		return n, fmt.Errorf("heads of the audit trail: %w", err)
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("heads of the audit trail: %s is damaged: %w", file, err)
	}
	return n, nil
}

// Live are the heads whose chains must be there at the instant now. A chain whose
// entries are all older than what is kept may be gone.
func (n *Heads) Live(now time.Time) []Head {
	var live []Head
	for _, h := range n.Heads {
		if n.Keep == 0 || h.At.Add(headsSlack).After(now.Add(-n.Keep)) {
			live = append(live, h)
		}
	}
	return live
}

// add takes a head, unless a newer one of its chain is there.
func (n *Heads) add(head Head) {
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

// A HeadStore keeps the newest heads of the audit trail in a file, apart from the trail.
type HeadStore struct {
	file string
	now  func() time.Time
	log  *slog.Logger

	mu   sync.Mutex
	all  Heads
	wake chan struct{}
	end  context.CancelFunc
	done sync.WaitGroup
}

// OpenHeads goes on with the heads of file, which may not be there yet. keep is for how long
// entries of the trail are kept; 0 means for ever.
func OpenHeads(file string, keep time.Duration, now func() time.Time, log *slog.Logger) (*HeadStore, error) {
	all, err := ReadHeads(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; verify the trail, then move the file away", err)
	}
	all.Keep = keep
	all.Heads = all.Live(now())
	ctx, end := context.WithCancel(context.Background())
	h := &HeadStore{file: file, now: now, log: log, all: all, wake: make(chan struct{}, 1), end: end}
	h.done.Go(func() { h.run(ctx) })
	return h, nil
}

// Keep takes a new head. It does not wait for the disk.
func (h *HeadStore) Keep(m audit.Checkpoint) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
	h.all.add(Head{m, h.now().UTC()})
}

// run writes the file when there is something new.
func (h *HeadStore) run(ctx context.Context) {
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
func (h *HeadStore) write() error {
	others, err := ReadHeads(h.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	h.mu.Lock()
	for _, head := range others.Heads {
		h.all.add(head)
	}
	h.all.Heads = h.all.Live(h.now())
	text, err := json.Marshal(h.all)
	h.mu.Unlock()
	if err != nil {
		return err
	}
	return Replace(h.file, append(text, '\n'))
}

// Close writes what is new. The trail's writer must have ended before.
func (h *HeadStore) Close() error {
	h.end()
	h.done.Wait()
	h.mu.Lock()
	none := len(h.all.Heads) == 0
	h.mu.Unlock()
	if none {
		return nil
	}
	return h.write()
}
