package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// TestEqualUsesAreCounted checks that uses of one second are merged if and only if they are equal.
func TestEqualUsesAreCounted(t *testing.T) {
	use := func(change func(*auth.Entry)) auth.Entry {
		e := auth.Entry{
			Time: time.UnixMilli(1_700_000_000_100).UTC(), RequestID: "r0", KeyID: "k", Owner: "o", Method: "POST",
			Route:   "/track",
			Outcome: "allowed", Status: 200, IP: "2001:db8::1", UserAgent: "a", Network: "2001:db8::/64",
		}
		if change != nil {
			change(&e)
		}
		return e
	}
	first := use(nil)
	for _, c := range []struct {
		says   string
		change func(*auth.Entry)
		count  int // count of the first entry; 0 if the second use has its own entry
		ip     string
	}{
		{"another request", func(e *auth.Entry) { e.RequestID, e.UserAgent = "r1", "b" }, 2, "2001:db8::1"},
		{"later in the second", func(e *auth.Entry) { e.Time = e.Time.Add(800 * time.Millisecond) }, 2, "2001:db8::1"},
		{"from another address of the network", func(e *auth.Entry) { e.IP = "2001:db8::2" }, 2, "2001:db8::/64"},
		{"another second", func(e *auth.Entry) { e.Time = e.Time.Add(900 * time.Millisecond) }, 0, ""},
		{"another network", func(e *auth.Entry) { e.IP, e.Network = "192.0.2.1", "192.0.2.1" }, 0, ""},
		{"another key", func(e *auth.Entry) { e.KeyID = "l" }, 0, ""},
		{"another secret of the key", func(e *auth.Entry) { e.Start = "sl_x" }, 0, ""},
		{"a panel token", func(e *auth.Entry) { e.Token = "t" }, 0, ""},
		{"another person", func(e *auth.Entry) { e.Subject = "ada" }, 0, ""},
		{"another route", func(e *auth.Entry) { e.Route = "/batch" }, 0, ""},
		{"another method", func(e *auth.Entry) { e.Method = "GET" }, 0, ""},
		{"another resource", func(e *auth.Entry) { e.Resource.ID = "w" }, 0, ""},
		{"another outcome", func(e *auth.Entry) { e.Outcome, e.Status = "failed", 503 }, 0, ""},
		{"a change", func(e *auth.Entry) { e.Network = "" }, 0, ""},
	} {
		m := &audit.Memory{}
		w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Every: time.Hour}})
		other := use(c.change)
		if err := errors.Join(w.Record(t.Context(), first), w.Record(t.Context(), other)); err != nil {
			t.Fatal(err)
		}
		// a flushed entry is not changed any more
		if err := errors.Join(w.Flush(t.Context()), w.Record(t.Context(), first)); err != nil {
			t.Fatal(err)
		}
		closeWriter(t, w)
		var want []auth.Entry
		one := first
		one.Network = ""
		if c.count > 0 {
			sum := one
			sum.Count, sum.IP = c.count, c.ip
			want = []auth.Entry{sum, one}
		} else {
			other.Network = ""
			want = []auth.Entry{one, other, one}
		}
		var got []auth.Entry
		kept(t, m)
		for r := range m.Scan(t.Context()) {
			got = append(got, r.Entry)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: stored\n%+v\nwant\n%+v", c.says, got, want)
		}
	}
}

// TestEqualChangesAreNotCounted checks that every entry without a Network is stored.
func TestEqualChangesAreNotCounted(t *testing.T) {
	m := &audit.Memory{}
	w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Every: time.Hour}})
	for range 3 {
		if err := w.Record(t.Context(),
			auth.Entry{Time: time.UnixMilli(1), KeyID: "k", Route: "keys rotate"}); err != nil {
			t.Fatal(err)
		}
	}
	closeWriter(t, w)
	if ids := kept(t, m); len(ids) != 3 {
		t.Errorf("%d entries, want 3", len(ids))
	}
}

// TestUsesOfManyCallersAtOnce checks that each use is counted once, also during concurrent flushes and with a
// full buffer.
func TestUsesOfManyCallersAtOnce(t *testing.T) {
	m := &audit.Memory{}
	w := newWriter(t, audit.Config{Log: m, Options: audit.Options{Buffer: 8, Every: time.Millisecond}})
	const callers, each = 8, 500
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for i := range each {
				e := auth.Entry{Time: time.UnixMilli(int64(i) * 100), KeyID: fmt.Sprint("k", i%3), IP: "192.0.2.1",
					Network: "192.0.2.1"}
				if err := w.Record(t.Context(), e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	closeWriter(t, w)
	kept(t, m)
	uses := 0
	for r := range m.Scan(t.Context()) {
		uses += max(r.Entry.Count, 1)
	}
	if uses != callers*each {
		t.Errorf("%d uses counted, want %d", uses, callers*each)
	}
}

// sized is a Memory with a size that the test sets.
type sized struct {
	audit.Memory
	bytes atomic.Int64
}

func (s *sized) Size(context.Context) (int64, error) { return s.bytes.Load(), nil }

func TestWriterWarnsOfALargeLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, m := &bytes.Buffer{}, &sized{}
		w := newWriter(t, audit.Config{Log: m, Logger: slog.New(slog.NewTextHandler(log, nil)),
			Options: audit.Options{WarnSize: 100}})
		for _, c := range []struct {
			bytes int64
			warn  bool
		}{{99, false}, {100, true}, {150, false}, {350, true}, {399, false}, {90, false}, {120, true}} {
			log.Reset()
			m.bytes.Store(c.bytes)
			time.Sleep(time.Hour)
			synctest.Wait()
			if warned := strings.Contains(log.String(), "audit trail is large"); warned != c.warn {
				t.Errorf("at %d bytes: %q", c.bytes, log)
			}
		}
		closeWriter(t, w)
	})
	if _, err := audit.New(t.Context(), audit.Config{Log: &audit.Memory{}, Pepper: pepper,
		Options: audit.Options{WarnSize: 1}}); err == nil {
		t.Error("New accepts WarnSize for a log that is not a Sizer")
	}
}
