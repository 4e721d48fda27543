package audit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

var pepper, _ = auth.NewPepper([]byte("sixteen bytes or more"))

// troubled is a Memory whose appends a test can make fail.
type troubled struct {
	audit.Memory
	append func(next func() error) error // nil means that appends are not changed
}

func (l *troubled) Append(ctx context.Context, head audit.Checkpoint, records []audit.Record) error {
	next := func() error { return l.Memory.Append(ctx, head, records) }
	if l.append == nil {
		return next()
	}
	return l.append(next)
}

func newWriter(t testing.TB, cfg audit.Config) *audit.Writer {
	t.Helper()
	if cfg.Pepper.IsZero() {
		cfg.Pepper = pepper
	}
	w, err := audit.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func entry(i int) auth.Entry {
	return auth.Entry{Time: time.UnixMilli(int64(i)), RequestID: fmt.Sprint(i)}
}

func record(t testing.TB, w *audit.Writer, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := w.Record(t.Context(), entry(i)); err != nil {
			t.Fatalf("entry %d: %v", i, err)
		}
	}
}

func closeWriter(t testing.TB, w *audit.Writer) {
	t.Helper()
	if err := w.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// kept returns the request ids of all entries, after verifying the log.
func kept(t testing.TB, log audit.Trail) (ids []string) {
	t.Helper()
	if r := verify(t, log); r.Err() != nil {
		t.Fatalf("Verify: %v", r.Problems)
	}
	for r, err := range log.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.Entry.RequestID)
	}
	return ids
}

// expectKept checks that the log has the entries 0 to n-1, each once and in order.
func expectKept(t testing.TB, log audit.Trail, n int) {
	t.Helper()
	ids := kept(t, log)
	for i, id := range ids {
		if id != fmt.Sprint(i) {
			t.Fatalf("entry %d is %s in %v", i, id, ids)
		}
	}
	if len(ids) != n {
		t.Fatalf("%d entries, want %d", len(ids), n)
	}
}

func TestWriterFlushesEverySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &audit.Memory{}
		w := newWriter(t, audit.Config{Log: m})
		defer closeWriter(t, w)
		for s := range 3 {
			record(t, w, 10*s, 10*s+10)
			expectKept(t, m, 10*s) // not yet
			time.Sleep(time.Second + time.Millisecond)
			synctest.Wait()
			expectKept(t, m, 10*s+10)
		}
	})
}

func TestWriterFlushesEarlyWhenHalfFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &audit.Memory{}
		w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Buffer: 10, Every: time.Hour}})
		defer closeWriter(t, w)
		record(t, w, 0, 4)
		synctest.Wait()
		expectKept(t, m, 0)
		record(t, w, 4, 5)
		synctest.Wait()
		expectKept(t, m, 5)
	})
}

func TestWriterWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		m := &troubled{append: func(next func() error) error {
			<-gate
			return next()
		}}
		w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Buffer: 4}})
		record(t, w, 0, 4)
		short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		if err := w.Record(short, entry(99)); !errors.Is(err, audit.ErrFull) ||
			!errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("with a log that hangs, after %v: %v", time.Since(began), err)
		}
		done := make(chan error)
		go func() { done <- w.Record(t.Context(), entry(4)) }()
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("the fifth entry of a buffer of four: %v", err)
		default:
		}
		close(gate)
		if err := <-done; err != nil {
			t.Errorf("once there was room: %v", err)
		}
		closeWriter(t, w)
		expectKept(t, m, 5)
	})
}

func TestWriterRefusesWhenFullAndFailing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fire := errors.New("disk on fire")
		var out atomic.Bool
		m := &troubled{append: func(next func() error) error {
			if out.Load() {
				return next()
			}
			return fire
		}}
		w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Buffer: 4}})
		record(t, w, 0, 4)
		time.Sleep(1500 * time.Millisecond)
		began := time.Now()
		if err := w.Record(t.Context(), entry(4)); !errors.Is(err, audit.ErrFull) || !errors.Is(err, fire) ||
			!began.Equal(time.Now()) {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		out.Store(true)
		time.Sleep(time.Second)
		synctest.Wait()
		expectKept(t, m, 4)
		record(t, w, 4, 6)
		closeWriter(t, w)
		expectKept(t, m, 6)
	})
}

func TestAFailureRefusesWaitingCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		m := &troubled{append: func(next func() error) error {
			time.Sleep(5 * time.Second)
			if up.Load() {
				return next()
			}
			return io.ErrUnexpectedEOF
		}}
		w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Buffer: 2}})
		record(t, w, 0, 2)
		began := time.Now()
		bounded, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := w.Record(bounded, entry(2))
		if waited := time.Since(began); !errors.Is(err, io.ErrUnexpectedEOF) || waited != 5*time.Second {
			t.Errorf("after %v: %v", waited, err)
		}
		up.Store(true)
		closeWriter(t, w)
		expectKept(t, m, 2)
	})
}

func TestWriterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		down.Store(true)
		m := &troubled{append: func(next func() error) error {
			if down.Load() {
				return io.ErrUnexpectedEOF
			}
			return next()
		}}
		w := newWriter(t, audit.Config{Log: m})
		record(t, w, 0, 3)
		time.AfterFunc(5*time.Second, func() { down.Store(false) })
		closeWriter(t, w) // retries until it succeeds
		expectKept(t, m, 3)
		closeWriter(t, w)
		if err := w.Record(t.Context(), entry(3)); !errors.Is(err, audit.ErrClosed) {
			t.Errorf("Record after Close: %v", err)
		}

		down.Store(true)
		w = newWriter(t, audit.Config{Log: m})
		record(t, w, 3, 5)
		bounded, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Close(bounded); !errors.Is(err, io.ErrUnexpectedEOF) ||
			!strings.Contains(err.Error(), "2 entries") {
			t.Errorf("Close of a writer to a log that is down: %v", err)
		}
		expectKept(t, m, 3) // the other chain was never written
	})
}

func TestCloseWakesWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &troubled{append: func(next func() error) error {
			time.Sleep(time.Minute)
			return next()
		}}
		w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Buffer: 1}})
		record(t, w, 0, 1)
		done := make(chan error)
		go func() { done <- w.Record(t.Context(), entry(1)) }()
		synctest.Wait()
		go func() { done <- w.Close(t.Context()) }()
		if err := <-done; !errors.Is(err, audit.ErrClosed) {
			t.Errorf("Record while the writer was closed: %v", err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		expectKept(t, m, 1)
	})
}

// TestWriterKeepsEachEntryOnce makes appends fail at random, before and after they are done.
func TestWriterKeepsEachEntryOnce(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 2))
	m := &troubled{append: func(next func() error) error {
		switch dice.IntN(3) {
		case 0:
			return io.ErrUnexpectedEOF
		case 1:
			return errors.Join(next(), io.ErrUnexpectedEOF)
		}
		return next()
	}}
	w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Every: time.Hour}})
	const n = 5000 // several batches
	for i := range n {
		record(t, w, i, i+1)
		if dice.IntN(300) == 0 {
			_ = w.Flush(t.Context())
		}
	}
	closeWriter(t, w)
	expectKept(t, m, n)
	if chains, err := m.Chains(t.Context()); err != nil || len(chains) != 1 {
		t.Errorf("%d chains, %v", len(chains), err)
	}
}

// TestWriterBeginsAnotherChain makes the log refuse the chain, as after a restored backup.
func TestWriterBeginsAnotherChain(t *testing.T) {
	conflicts := 0
	m := &troubled{}
	var heads []audit.Checkpoint
	w := newWriter(t, audit.Config{Log: m,
		Options: audit.Options{Every: time.Hour, OnHead: func(h audit.Checkpoint) { heads = append(heads, h) }}})
	for step := range 3 {
		record(t, w, 2*step, 2*step+2)
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.append = func(next func() error) error {
			if conflicts++; conflicts == 1 {
				return audit.ErrConflict
			}
			return next()
		}
	}
	closeWriter(t, w)
	expectKept(t, m, 6)
	if len(heads) != 3 || heads[0].Writer == heads[1].Writer || heads[1].Seq != 2 ||
		heads[2].Writer != heads[1].Writer || heads[2].Seq != 4 {
		t.Errorf("heads %+v", heads)
	}
}

func TestManyRecorders(t *testing.T) {
	m := &audit.Memory{}
	w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Buffer: 16, Every: time.Millisecond}})
	const workers, each = 16, 200
	errs := make(chan error, workers)
	for g := range workers {
		go func() {
			var err error
			for i := range each {
				err = errors.Join(err, w.Record(t.Context(), entry(g*each+i)))
			}
			errs <- err
		}()
	}
	for range workers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	closeWriter(t, w)
	seen := map[string]int{}
	for _, id := range kept(t, m) {
		seen[id]++
	}
	for i := range workers * each {
		if seen[fmt.Sprint(i)] != 1 {
			t.Fatalf("entry %d is stored %d times", i, seen[fmt.Sprint(i)])
		}
	}
}

func TestWriterRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &audit.Memory{}
		w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Retention: 36 * time.Hour, Every: time.Minute}})
		for day, want := range []int{1, 2, 2, 2} {
			e := entry(day)
			e.Time = time.Now()
			if err := w.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if ids := kept(t, m); len(ids) != want {
				t.Errorf("on day %d: %v", day, ids)
			}
			time.Sleep(24*time.Hour - 2*time.Minute)
			synctest.Wait()
		}
		closeWriter(t, w)
	})
}

func TestVerifyNeedsAPepper(t *testing.T) {
	if _, err := audit.Verify(t.Context(), &audit.Memory{}, auth.Pepper{}); err == nil {
		t.Error("Verify accepts an empty pepper")
	}
}

func TestTextsAreCleaned(t *testing.T) {
	long := strings.Repeat("ä", 600)
	for _, c := range []struct{ says, given, want, agent string }{
		{"valid UTF-8 does not change", "ü🙂", "ü🙂", "ü🙂"},
		{"invalid UTF-8 is replaced", "a\xff\xfeb", "a\uFFFDb", "a\uFFFDb"},
		{"NUL is replaced", "a\x00b", "a\uFFFDb", "a\uFFFDb"},
		{"a long text is cut between characters", "x" + long, "x" + long[:1022], "x" + long[:254]},
		{"a text that becomes too long is cut", strings.Repeat("\xffa", 500), strings.Repeat("\uFFFDa", 256),
			strings.Repeat("a", 128)},
	} {
		m := &audit.Memory{}
		w := newWriter(t, audit.Config{Log: m})
		if err := w.Record(t.Context(),
			auth.Entry{Route: c.given, UserAgent: c.given,
				Time: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}); err != nil {
			t.Fatal(err)
		}
		closeWriter(t, w)
		kept(t, m)
		for r := range m.Scan(t.Context()) {
			if r.Entry.Route != c.want || r.Entry.UserAgent != c.agent || r.Entry.Time.Year() != 1970 {
				t.Errorf("%s: %q and %q of %q, in %d", c.says, r.Entry.Route, r.Entry.UserAgent, c.given,
					r.Entry.Time.Year())
			}
		}
	}
}

func TestParsePosition(t *testing.T) {
	p := audit.Position{Time: time.UnixMilli(-5).UTC(), Writer: "a.b", Seq: 7}
	if got, err := audit.ParsePosition(p.String()); err != nil || got != p {
		t.Errorf("%s: %+v, %v", p, got, err)
	}
	for _, text := range []string{"", "1", "1.2", "x.1.w", "1.x.w", "+1.1.w", "1.01.w"} {
		if _, err := audit.ParsePosition(text); !errors.Is(err, audit.ErrBadQuery) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
