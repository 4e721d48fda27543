package codec

import (
	"sync"
	"sync/atomic"

	"github.com/sightline-analytics/sightline/internal/failure"
)

// Parallel calls what with each number below n, some at once. Its error is the first panic, with its stack. After a
// panic, others may not have been called, and the caller computes their results.
func Parallel(some, n int, what func(int)) error {
	var next atomic.Int64
	var first atomic.Pointer[error]
	var all sync.WaitGroup
	for range min(some, n) {
		all.Go(func() {
			err := failure.Try(func() error {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					what(i)
				}
				return nil
			})
			if err != nil {
				first.CompareAndSwap(nil, &err)
			}
		})
	}
	all.Wait()
	if err := first.Load(); err != nil {
		return *err
	}
	return nil
}
