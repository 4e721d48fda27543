package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

const (
	// flushTimeout is the maximum duration of a flush in the background.
	flushTimeout = 10 * time.Second
	// closeRetry is the time that Close waits after a failed flush.
	closeRetry = 100 * time.Millisecond
	// keepEvery is the time between prunings of a writer with a Retention.
	keepEvery = 24 * time.Hour
	// sizeEvery is the time between size checks of a writer with a WarnSize.
	sizeEvery = time.Hour
)

// Config configures a [Writer].
type Config struct {
	Log    Log              // required
	Pepper auth.Pepper      // required; the pepper of the keys. Older peppers verify chains made with them
	Now    func() time.Time // the clock for names of chains and for Retention; nil means time.Now
	Logger *slog.Logger     // logs failures, recoveries and prunings; nil means no log

	Options
}

// Options set when a [Writer] writes and how many entries it keeps in memory. The zero value has the defaults.
type Options struct {
	Buffer int           // maximum number of buffered entries; 0 means 8192
	Every  time.Duration // time between flushes; 0 means one second
	// older entries are pruned at start and daily; needs a Log that is a Pruner; 0 disables pruning
	Retention time.Duration
	// bytes; warns if the log reaches a multiple of it; needs a Log that is a Sizer; 0 means never
	WarnSize int64
	// OnHead is called with each new head after it is in the log. Calls do not overlap, and each should return
	// soon. Store the last head of each chain where nobody with write access to the log can change it. With
	// these heads [Verify] detects removed chains. It may be nil.
	OnHead func(Checkpoint)
}

// A Writer is an [auth.Sink] that appends entries to its own chain. It is safe for concurrent use.
type Writer struct {
	cfg  Config
	wake chan struct{} // a flush is needed before the next tick
	end  context.CancelFunc
	stop chan struct{} // closed by Close
	work sync.WaitGroup

	mu     sync.Mutex
	buffer []auth.Entry
	sums   map[auth.Entry]int // by use, the index in buffer of the entry that counts it
	spare  []auth.Entry       // memory for the next buffer
	held   int                // entries in buffer and in chain.pending
	room   chan struct{}      // closed when held shrinks, a flush fails or the writer is closed
	failed error              // error of the last flush
	closed bool

	turn  chan struct{} // held by the goroutine that uses chain
	chain *chain
}

// New starts a Writer; [Writer.Close] stops it. Its error joins all problems of cfg, or says why the heads of
// a Log that is a Trail cannot be read. The error wraps [ErrTampered] if a head is not signed with this
// pepper.
func New(ctx context.Context, cfg Config) (*Writer, error) {
	signs, err := cfg.check()
	if err != nil {
		return nil, err
	}
	if trail, ok := cfg.Log.(Trail); ok {
		chains, err := trail.Chains(ctx)
		if err == nil {
			err = signs.check(chains)
		}
		if err != nil {
			return nil, fmt.Errorf("audit: opening the log: %w", err)
		}
	}
	background, end := context.WithCancel(context.Background())
	w := &Writer{
		cfg: cfg, end: end,
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
		sums: map[auth.Entry]int{},
		room: make(chan struct{}), turn: make(chan struct{}, 1),
		chain: &chain{log: cfg.Log, sign: signs[0], now: cfg.Now, logger: cfg.Logger},
	}
	//background:stop=Close bound=Buffer fails="audit trail cannot be written"
	w.work.Go(func() { w.run(background) })
	if log, ok := cfg.Log.(Sizer); ok && cfg.WarnSize > 0 {
		//background:stop=Close bound=sizeEvery fails="size of the audit trail is unknown"
		w.work.Go(func() { w.watchSize(background, log) })
	}
	if log, ok := cfg.Log.(Pruner); ok && cfg.Retention > 0 {
		//background:stop=Close bound=keepEvery fails="audit trail was not pruned"
		w.work.Go(func() { w.retain(background, log) })
	}
	return w, nil
}

// check validates c and sets the defaults.
func (c *Config) check() (signers, error) {
	var faults []error
	if c.Log == nil {
		faults = append(faults, errors.New("audit: Config.Log is required"))
	} else if _, ok := c.Log.(Pruner); !ok && c.Retention > 0 {
		faults = append(faults, fmt.Errorf("audit: Retention is %v, but entries cannot be removed from a %T",
			c.Retention, c.Log))
	}
	if _, ok := c.Log.(Sizer); c.Log != nil && !ok && c.WarnSize > 0 {
		faults = append(faults, fmt.Errorf("audit: WarnSize is set, but a %T cannot report its size", c.Log))
	}
	signs, err := newSigners(c.Pepper)
	if err != nil {
		faults = append(faults, err)
	}
	if c.Buffer < 0 || c.Every < 0 || c.Retention < 0 || c.WarnSize < 0 {
		faults = append(faults, fmt.Errorf("audit: Buffer (%d), Every (%v), Retention (%v) and WarnSize (%d) must not be negative", c.Buffer, c.Every, c.Retention, c.WarnSize))
	}
	if c.Buffer == 0 {
		c.Buffer = 8192
	}
	if c.Every == 0 {
		c.Every = time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return signs, errors.Join(faults...)
}

// Record implements [auth.Sink]. It adds e to the buffer. It cuts texts after 1024 bytes and user agents after
// 256. An entry with a Network is merged with an equal one of the same second that is still in the
// buffer: see [auth.Entry]. If the buffer is full, Record waits for space until ctx ends, or fails at once if the
// last flush failed. Either error wraps [ErrFull]. After Close, Record returns [ErrClosed]. An accepted entry
// can only be lost in a crash: see the package documentation.
func (w *Writer) Record(ctx context.Context, e auth.Entry) error {
	shorten(&e)
	for {
		room, err := w.add(&e)
		if !errors.Is(err, errWait) {
			return err
		}
		w.hurry()
		select {
		case <-room:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrFull, ctx.Err())
		}
	}
}

// errWait means that the buffer is full but the last flush succeeded.
var errWait = errors.New("audit: wait")

// add adds e to the buffer or returns an error. After errWait, the caller retries once room is closed.
func (w *Writer) add(e *auth.Entry) (room <-chan struct{}, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return w.room, ErrClosed
	case w.sum(e):
		return w.room, nil
	case w.held < w.cfg.Buffer:
		w.buffer = append(w.buffer, *e)
		w.held++
		if len(w.buffer) == (w.cfg.Buffer+1)/2 {
			w.hurry()
		}
		return w.room, nil
	case w.failed != nil:
		return w.room, fmt.Errorf("%w: %w", ErrFull, w.failed)
	}
	return w.room, errWait
}

// sum counts e with an equal use in the buffer and returns true. Without an equal use it returns false, and
// the caller appends e.
func (w *Writer) sum(e *auth.Entry) bool {
	if e.Network == "" {
		return false
	}
	use := *e
	use.Time, use.RequestID, use.IP, use.UserAgent, use.Count = time.Unix(e.Time.Unix(), 0), "", "", "", 0
	i, known := w.sums[use]
	if !known {
		if w.held < w.cfg.Buffer {
			w.sums[use] = len(w.buffer)
		}
		return false
	}
	all := &w.buffer[i]
	all.Count = max(all.Count, 1) + max(e.Count, 1)
	if all.IP != e.IP {
		all.IP = e.Network
	}
	return true
}

// hurry requests a flush now. It does nothing if one is already requested.
func (w *Writer) hurry() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Close stops accepting entries and flushes the buffer, with retries until ctx ends. Its error says how many
// entries are lost. Further calls do nothing. Close does not close the Log.
func (w *Writer) Close(ctx context.Context) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.room)
	w.room = make(chan struct{})
	w.mu.Unlock()

	close(w.stop)
	interrupt := context.AfterFunc(ctx, w.end)
	defer interrupt()
	defer w.work.Wait()
	defer w.end()
	var err error
	for ctx.Err() == nil {
		if err = w.Flush(ctx); err == nil {
			return nil
		}
		select {
		case <-time.After(closeRetry):
		case <-ctx.Done():
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == 0 {
		return nil
	}
	return fmt.Errorf("audit: %d entries were not written: %w", w.held, errors.Join(err, ctx.Err()))
}

// retain prunes the log regularly until Close.
func (w *Writer) retain(ctx context.Context, log Pruner) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		before := w.cfg.Now().Add(-w.cfg.Retention)
		pruned, err := Prune(ctx, log, w.cfg.Pepper, before)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.cfg.Logger.LogAttrs(ctx, slog.LevelError, "audit trail was not pruned", slog.Any("error", err))
		case pruned.Entries > 0:
			w.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "audit trail pruned", slog.Time("before", before),
				slog.Int64("entries", pruned.Entries), slog.Any("chains", pruned.Chains))
		}
		select {
		case <-tick.C:
		case <-w.stop:
			return
		}
	}
}

// watchSize logs a warning if the log is large, until Close.
func (w *Writer) watchSize(ctx context.Context, log Sizer) {
	tick := time.NewTicker(sizeEvery)
	defer tick.Stop()
	for warned := int64(0); ; {
		bytes, err := log.Size(ctx)
		switch steps := bytes / w.cfg.WarnSize; {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "size of the audit trail is unknown", slog.Any("error", err))
		case steps > warned:
			w.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "audit trail is large", slog.Int64("bytes", bytes),
				slog.Int64("warnSize", w.cfg.WarnSize))
			warned = steps
		default:
			warned = steps // smaller after entries were pruned
		}
		select {
		case <-tick.C:
		case <-w.stop:
			return
		}
	}
}
