package store

import (
	"context"
	"sync/atomic"
	"time"
)

// A Meter adds up the rows and the time that the event stores use for one request. It is safe for concurrent
// use. A nil *Meter counts nothing.
type Meter struct{ rows, nanoseconds atomic.Int64 }

type meterKey struct{}

// WithMeter returns a context that carries a new Meter. The query engine and the handlers add to it; stores do
// not.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{}
	return context.WithValue(ctx, meterKey{}, m), m
}

// MeterOf returns the Meter that ctx carries, or nil.
func MeterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// Add adds rows and time. The times of concurrent queries are added up, too.
func (m *Meter) Add(rows int, took time.Duration) {
	if m != nil {
		m.rows.Add(int64(rows))
		m.nanoseconds.Add(int64(took))
	}
}

// Rows returns the number of rows returned or written.
func (m *Meter) Rows() int { return int(m.rows.Load()) }

// Time returns the time that stores took.
func (m *Meter) Time() time.Duration { return time.Duration(m.nanoseconds.Load()) }
