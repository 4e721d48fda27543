package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// resting is how long an address that failed is asked only after all others.
const resting = 10 * time.Second

// addresses chooses among the addresses of a DSN for every new connection.
type addresses struct {
	now func() time.Time // the one that deadlines are of

	mu     sync.Mutex
	failed map[string]time.Time // since when
}

// open is the driver's DialStrategy: it connects to the first address that answers. Each
// has its share of the time that is left, so that one which swallows packets does not
// keep the next from being tried.
func (a *addresses) open(ctx context.Context, id int, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
	var faults []error
	order := a.order(id, o)
	for i, addr := range order {
		share, cancel := context.WithDeadline(ctx, a.share(ctx, o, len(order)-i))
		r, err := dialOne(share, addr, o, dial)
		cancel()
		a.note(addr, err)
		if err == nil {
			return r, nil
		}
		faults = append(faults, fmt.Errorf("%s: %w", addr, withoutAddress(err)))
		if ctx.Err() != nil {
			break
		}
	}
	if len(faults) == 0 {
		return driver.DialResult{}, driver.ErrAcquireConnNoAddress
	}
	return driver.DialResult{}, errors.Join(faults...)
}

// share is until when one of n addresses may be tried.
func (a *addresses) share(ctx context.Context, o *driver.Options, n int) time.Time {
	began := a.now()
	end := began.Add(o.DialTimeout)
	if at, ok := ctx.Deadline(); ok && at.Before(end) {
		end = at
	}
	if at, ok := hiddenDeadline(ctx); ok && at.Before(end) {
		end = at
	}
	return began.Add(end.Sub(began) / time.Duration(n))
}

// dialOne connects to addr, or gives up when ctx ends.
func dialOne(ctx context.Context, addr string, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
	if o.Protocol == driver.HTTP {
		return dial(ctx, addr, o)
	}
	// The native handshake knows nothing of ctx, and leaves its connection open when it
	// fails.
	var conn net.Conn
	stop := func() bool { return true }
	try := *o
	try.DialContext = func(ctx context.Context, addr string) (net.Conn, error) {
		c, err := o.DialContext(ctx, addr)
		if err == nil {
			conn = c
			stop = context.AfterFunc(ctx, func() { _ = c.Close() })
		}
		return c, err
	}
	r, err := dial(ctx, addr, &try)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil && conn != nil {
		_ = conn.Close()
	}
	return r, err
}

// order lists the addresses as they are to be tried.
func (a *addresses) order(id int, o *driver.Options) []string {
	first := 0
	switch o.ConnOpenStrategy {
	case driver.ConnOpenRoundRobin:
		first = id % len(o.Addr)
	case driver.ConnOpenRandom:
		first = rand.IntN(len(o.Addr)) //nolint:gosec // no secret
	case driver.ConnOpenInOrder:
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	var well, ill []string
	for i := range o.Addr {
		addr := o.Addr[(first+i)%len(o.Addr)]
		if since, ok := a.failed[addr]; ok && now.Sub(since) < resting {
			ill = append(ill, addr)
			continue
		}
		well = append(well, addr)
	}
	return append(well, ill...)
}

// note keeps in mind how addr did.
func (a *addresses) note(addr string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed == nil {
		a.failed = map[string]time.Time{}
	}
	if err == nil {
		delete(a.failed, addr)
		return
	}
	a.failed[addr] = a.now()
}
