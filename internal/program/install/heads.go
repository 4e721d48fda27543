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
	"github.com/sightline-analytics/sightline/internal/atomicfile"
)

// headsEvery is the shortest time between two writes of the heads.
const headsEvery = time.Second

// headsSlack is the longest delay between the newest entry and its head, which occurs while the database of the trail
// cannot be written.
const headsSlack = time.Hour

// Heads is the content of the file of heads: the newest head of each chain that servers of this folder wrote. It shows
// when an old trail was restored.
type Heads struct {
	Keep  time.Duration `json:"keep"` // retention of entries; 0: for ever
	Heads []Head        `json:"heads"`
}

// A Head is the newest checkpoint of a chain.
type Head struct {
	audit.Checkpoint

	At time.Time `json:"at"` // time of the report
}

// ReadHeads reads a file of heads. Without a file its error wraps fs.ErrNotExist.
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

// Live returns the heads with chains that must exist at the instant now. Retention may have deleted all entries of
// other chains.
func (n *Heads) Live(now time.Time) []Head {
	var live []Head
	for _, h := range n.Heads {
		if n.Keep == 0 || h.At.Add(headsSlack).After(now.Add(-n.Keep)) {
			live = append(live, h)
		}
	}
	return live
}

// add adds a head, unless n has a newer head of its chain.
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

// A HeadStore stores the newest heads of the audit trail in a file.
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

// OpenHeads reads the heads of file, which need not exist. keep is the retention of the trail; 0 means for ever.
func OpenHeads(file string, keep time.Duration, now func() time.Time, log *slog.Logger) (*HeadStore, error) {
	all, err := ReadHeads(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; verify the trail, then move the file away", err)
	}
	all.Keep = keep
	all.Heads = all.Live(now())
	ctx, end := context.WithCancel(context.Background())
	h := &HeadStore{file: file, now: now, log: log, all: all, wake: make(chan struct{}, 1), end: end}
	//background:stop=Close bound=headsEvery fails="heads of the audit trail were not kept"
	h.done.Go(func() { h.run(ctx) })
	return h, nil
}

// Keep stores a new head later. It does not wait for the disk.
func (h *HeadStore) Keep(m audit.Checkpoint) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
	h.all.add(Head{m, h.now().UTC()})
}

// run writes the file after new heads.
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

// write adds the new heads to the file and preserves heads of other servers, which may use the folder with ClickHouse.
// If two servers write at the same moment, a head can be missing until the next write.
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
	return atomicfile.Replace(h.file, append(text, '\n'))
}

// Close writes the last heads. Close the writer of the trail before.
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
