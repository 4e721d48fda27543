package clickhouse

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"
)

// Options say which servers a store uses and what it may ask of them.
type Options struct {
	// DSN is where the servers are, required by Open: clickhouse://user:password@host:9000/database
	// for the native protocol, http:// or https:// for HTTP. Several hosts, separated by
	// commas, are tried in turn; one that failed is asked last for the next ten seconds.
	// Parameters are those of the driver, among them
	//
	//	compress=lz4              the default of the native protocol; zstd, none. Over HTTP
	//	                          none is the default; gzip, br
	//	secure=true               TLS on the native protocol; https:// implies it
	//	dial_timeout=5s           the default here, for all hosts together, until one is ready
	//	max_open_conns=64         the default here; more queries wait for dial_timeout
	//	max_idle_conns=16         the default here
	//	connection_open_strategy  in_order is the default; round_robin, random
	//
	// A parameter that the driver does not know is a setting of every query.
	DSN string
	// TLS is used when not nil, for an authority of the host's own or a client's
	// certificate. DSN must not say http:// then. Over HTTP a client's certificate without
	// a password asks the server to know the user by it.
	TLS *tls.Config
	// Cluster names a cluster of the servers' configuration. Then Migrate makes every
	// table Replicated on all of its servers, with a Distributed one in front.
	Cluster string
	// Retention is how long rows are kept, counted from their time, in whole days. Older
	// ones go when the server merges the files that hold them, and at the latest when all
	// of their month is older. 0 means for ever. Migrate applies a change.
	Retention time.Duration

	// MaxExecutionTime ends a query on the server. 0 means 60 s. A context that ends
	// earlier ends it then.
	MaxExecutionTime time.Duration
	// MaxMemory is how many bytes one query may use on a server; one that needs more
	// fails with ErrTooMuch. 0 means the server's own limit.
	MaxMemory int64
	// MaxRowsToRead is how many rows one query may read; one that needs more fails with
	// ErrTooMuch. 0 means any number.
	MaxRowsToRead int64
	// Settings are sent with every query, beside the store's own, which win.
	Settings map[string]any

	// BatchDelay is how long writes that come while others are stored wait for more to
	// join them: every insert makes files that the server has to merge. 0 means 200 ms,
	// negative means none.
	BatchDelay time.Duration
	// Buffer is how many rows may wait to be stored. More are refused with
	// store.ErrUnavailable. 0 means 100 000.
	Buffer int
	// WriteTimeout is how long a write is tried again while the servers are away, before it
	// fails with store.ErrUnavailable. 0 means 15 s.
	WriteTimeout time.Duration

	// Now is the clock that orders the receipt of rows. Nil means time.Now.
	Now func() time.Time
	// Logger hears of servers that are older than what is tested and of inserts that
	// are tried again. Nil means silent.
	Logger *slog.Logger
}

// resolve fills in the defaults of o and reports everything that is wrong with it.
func (o Options) resolve() (Options, error) {
	var faults []error
	for _, d := range []struct {
		name  string
		value int64
	}{
		{"Retention", int64(o.Retention)},
		{"MaxExecutionTime", int64(o.MaxExecutionTime)},
		{"MaxMemory", o.MaxMemory},
		{"MaxRowsToRead", o.MaxRowsToRead},
		{"Buffer", int64(o.Buffer)},
		{"WriteTimeout", int64(o.WriteTimeout)},
	} {
		if d.value < 0 {
			faults = append(faults, fmt.Errorf("clickhouse: %s must not be negative", d.name))
		}
	}
	if o.Retention%day != 0 {
		faults = append(faults, fmt.Errorf("clickhouse: Retention of %s is not in whole days", o.Retention))
	}
	if o.Retention > maxRetention {
		faults = append(faults, fmt.Errorf("clickhouse: Retention of %d days is more than %d; 0 keeps rows for ever", o.Retention/day, maxRetention/day))
	}
	o.MaxExecutionTime = orDefault(o.MaxExecutionTime, time.Minute)
	o.BatchDelay = max(orDefault(o.BatchDelay, 200*time.Millisecond), 0)
	o.Buffer = orDefault(o.Buffer, 100_000)
	o.WriteTimeout = orDefault(o.WriteTimeout, 15*time.Second)
	o.Settings = maps.Clone(o.Settings)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, errors.Join(faults...)
}

const (
	day          = 24 * time.Hour
	maxRetention = 14_000 * day // as far as ClickHouse can count from its last instant
)

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}
