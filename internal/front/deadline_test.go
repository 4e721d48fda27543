package front

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestADeadlineIsAContext compares a deadline with a context of the standard library.
func TestADeadlineIsAContext(t *testing.T) {
	type key struct{}
	for name, end := range map[string]func(parent, own context.CancelFunc){
		"still open":  func(_, _ context.CancelFunc) {},
		"its time":    func(_, _ context.CancelFunc) { time.Sleep(2 * time.Second) },
		"cancelled":   func(_, own context.CancelFunc) { own() },
		"its parent":  func(parent, _ context.CancelFunc) { parent() },
		"both":        func(parent, own context.CancelFunc) { own(); parent() },
		"twice":       func(_, own context.CancelFunc) { own(); own() },
		"time passed": func(_, own context.CancelFunc) { time.Sleep(2 * time.Second); own() },
	} {
		for _, waited := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				tell := func(make func(context.Context, time.Duration) (context.Context, context.CancelFunc)) (told [3]error) {
					parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, name))
					defer cancel()
					ctx, own := make(parent, time.Second)
					defer own()
					if waited {
						_ = ctx.Done()
					}
					child, stop := context.WithCancel(ctx)
					defer stop()
					if end(cancel, own); ctx.Value(key{}) != name {
						t.Errorf("%s: value from the parent = %v", name, ctx.Value(key{}))
					}
					synctest.Wait()
					return [3]error{ctx.Err(), context.Cause(ctx), child.Err()}
				}
				if got, want := tell(lazily), tell(context.WithTimeout); got != want {
					t.Errorf("%s, waited %t: %v, want %v", name, waited, got, want)
				}
			})
		}
	}
}

// lazily is within with the signature of the standard library.
func lazily(parent context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	d := within(parent, timeout)
	return d, d.cancel
}

// TestADeadlineWithoutWaiters checks that a deadline ends although no caller waited, and that later callers see it.
func TestADeadlineWithoutWaiters(t *testing.T) {
	for name, row := range map[string]struct {
		end  func(own context.CancelFunc)
		want error
	}{
		"open":      {func(context.CancelFunc) {}, nil},
		"its time":  {func(context.CancelFunc) { time.Sleep(time.Second) }, context.DeadlineExceeded},
		"cancelled": {func(own context.CancelFunc) { own() }, context.Canceled},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx := within(t.Context(), time.Second)
			defer ctx.cancel()
			row.end(ctx.cancel)
			if err := ctx.Err(); !errors.Is(err, row.want) || (err == nil) != (row.want == nil) {
				t.Errorf("%s: %v", name, err)
			}
			select {
			case <-ctx.Done():
				if row.want == nil {
					t.Errorf("%s: Done is closed", name)
				}
			default:
				if row.want != nil {
					t.Errorf("%s: Done is not closed", name)
				}
			}
		})
	}
}

// TestADeadlineInsideAnother checks that the earlier of two deadlines applies, and that derived contexts start no goroutines.
func TestADeadlineInsideAnother(t *testing.T) {
	parent, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	want, _ := parent.Deadline()
	long := within(parent, time.Hour)
	defer long.cancel()
	if at, ok := long.Deadline(); at != want || !ok {
		t.Errorf("ends at %v, want the end of its parent at %v", at, want)
	}
	short := within(parent, time.Second)
	defer short.cancel()
	if at, ok := short.Deadline(); !at.Before(want) || !ok {
		t.Errorf("ends at %v, want before its parent at %v", at, want)
	}
	// Goroutines of other tests may start and end, but so many would be noticed.
	const children = 200
	before := runtime.NumGoroutine()
	for range children {
		child, stopChild := context.WithCancel(short)
		defer stopChild()
		if child.Err() != nil {
			t.Fatal(child.Err())
		}
	}
	if more := runtime.NumGoroutine() - before; more > children/2 {
		t.Errorf("%d derived contexts started %d goroutines", children, more)
	}
}
