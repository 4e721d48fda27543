//go:build cgo

package e2e

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/track"
)

// An ingest is a tracking server on loopback, over a file that commits every batch before it answers.
type ingest struct {
	url   string
	file  string
	store *duckdb.Store
}

// oneKey authenticates a single key.
type oneKey struct{}

func (oneKey) Authenticate(_ context.Context, r *http.Request) (*auth.Principal, error) {
	if r.Header.Get("X-Api-Key") == "" {
		return nil, auth.ErrMissing
	}
	return &auth.Principal{Key: &auth.Key{ID: "k", Owner: "acme", Scopes: []auth.Scope{auth.TrackEvents}, All: true}},
		nil
}

type oneSalt struct{}

func (oneSalt) Salt(context.Context, time.Time) ([]byte, error) { return []byte("of today"), nil }

func newIngest(b *testing.B) *ingest {
	b.Helper()
	file := filepath.Join(b.TempDir(), "events.duckdb")
	s, err := duckdb.Open(b.Context(), duckdb.Config{Path: file})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close(context.Background()) })
	return &ingest{trackingHost(b, s), file, s}
}

// trackingHost starts a tracking server that writes to w, and returns its address.
func trackingHost(b *testing.B, w store.Writer) (url string) {
	b.Helper()
	sites := &store.MemoryDirectory{}
	if err := sites.AddWebsite(store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"}); err != nil {
		b.Fatal(err)
	}
	h, err := track.New(track.Config{Writer: w, Directory: sites, Auth: oneKey{}, Limiter: auth.Unlimited,
		Audit: auth.Discard, Salts: oneSalt{}, Usage: track.NoQuotas})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	return server.URL
}

// An ingestLoad generates requests of one kind.
type ingestLoad struct {
	name, target, key string
	connections       int
	events            int                         // in a request
	age               func(n int64) time.Duration // of the events of the n-th request; nil: no age
}

// body returns the body of the n-th request.
func (l *ingestLoad) body(n int64) string {
	var b strings.Builder
	if l.events > 1 {
		b.WriteByte('[')
	}
	at := time.Now()
	if l.age != nil {
		at = at.Add(-l.age(n))
	}
	now := at.UnixMilli()
	for i := range l.events {
		if i > 0 {
			b.WriteByte(',')
		}
		person := (n*int64(l.events) + int64(i)) / 3
		if l.key != "" {
			fmt.Fprintf(&b, `{"eventId":"c%d-%d","name":"bought","websiteId":"shop","anonymousId":"a%d","sessionId":"s%d","timestamp":%d,"properties":{"plan":"pro","n":%d}}`, n, i, person, person, now, i)
			continue
		}
		fmt.Fprintf(&b, `{"type":"track","eventId":"e%d-%d","name":"screen_view","path":"https://shop.example/page/%d","title":"A page of the shop","referrer":"https://www.google.com/","anonymousId":"a%d","sessionId":"s%d","timestamp":%d,"screen_resolution":"1920x1080","language":"de-DE","timezone":"Europe/Berlin","load_time":420}`,
			n, i, n%4000, person, person, now)
	}
	if l.events > 1 {
		b.WriteByte(']')
	}
	return b.String()
}

// send sends the n-th request, and returns the time of its answer.
func (l *ingestLoad) send(ctx context.Context, c *http.Client, url string, n int64) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+l.target, strings.NewReader(l.body(n)))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"+
			strconv.FormatInt(100+n%30, 10)+".0.0.0 Safari/537.36")
	if l.key != "" {
		r.Header.Set("X-Api-Key", l.key)
	}
	began := time.Now()
	answer, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, answer.Body) // so that the connection is reused
	took := time.Since(began)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return 0, err
	}
	if answer.StatusCode != http.StatusOK {
		return 0, errors.New(answer.Status)
	}
	return took, nil
}

// run sends requests over all connections until stop returns true.
func (l *ingestLoad) run(ctx context.Context, url string, more func() (int64, bool)) (took []time.Duration, err error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: l.connections}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var sending sync.WaitGroup
	for range l.connections {
		sending.Go(func() {
			var mine []time.Duration
			var fault error
			for n, ok := more(); ok && fault == nil; n, ok = more() {
				var one time.Duration
				one, fault = l.send(ctx, client, url, n)
				mine = append(mine, one)
			}
			mu.Lock()
			defer mu.Unlock()
			took, err = append(took, mine...), cmp.Or(err, fault)
		})
	}
	sending.Wait()
	slices.Sort(took)
	return took, err
}

// paced sends requests at a fixed rate over all connections until ctx ends. Requests that are due while all connections
// wait are sent later, not dropped.
func paced(ctx context.Context, every time.Duration, next *atomic.Int64) (more func() (int64, bool)) {
	began, first := time.Now(), next.Load()
	return func() (int64, bool) {
		n := next.Add(1)
		due := time.NewTimer(time.Until(began.Add(time.Duration(n-first) * every)))
		defer due.Stop()
		select {
		case <-due.C:
			return n, true
		case <-ctx.Done():
			return 0, false
		}
	}
}

// BenchmarkIngest measures ingest through HTTP on loopback, with a durable commit before each answer. The sender runs
// in the same process, so its time is part of cpu-µs/event.
func BenchmarkIngest(b *testing.B) {
	for _, l := range []ingestLoad{
		{"single", "/?client_id=shop", "", 64, 1, nil},
		{"batch of 100", "/batch?client_id=shop", "", 16, 100, nil},
		{"track of 100", "/track", "sl_any", 16, 100, nil},
	} {
		b.Run(l.name, func(b *testing.B) {
			in := newIngest(b)
			events := l.measure(b, in.url)
			b.ReportMetric(float64(in.size(b))/events, "bytes/event")
		})
	}
}

// BenchmarkIngestForLong measures ingest of rows of six days, with and without sealing at the same time. It reports the
// rates of the first, the last and the slowest twentieth. Use -benchtime 200000x for 20 million events.
func BenchmarkIngestForLong(b *testing.B) {
	for _, sealing := range []bool{true, false} {
		b.Run(fmt.Sprintf("sealing %v", sealing), func(b *testing.B) {
			l := ingestLoad{"", "/batch?client_id=shop", "", 16, 100, nil}
			l.age = func(n int64) time.Duration {
				return time.Duration(int64(b.N)-n) * (6 * 24 * time.Hour / time.Duration(b.N))
			}
			in := newIngest(b)
			e, err := query.New(query.Config{Store: in.store})
			if err != nil {
				b.Fatal(err)
			}
			sealer := query.NewSealer(e)
			ctx, stop := context.WithCancel(b.Context())
			var upkeep sync.WaitGroup
			if sealing {
				upkeep.Go(func() { sealer.Run(ctx, func(err error) { b.Error(err) }) })
			}
			l.measureParts(b, in.url, 20)
			stop()
			upkeep.Wait()
			b.ReportMetric(float64(in.size(b))/float64(b.N*l.events), "bytes/event")
		})
	}
}

// measureParts sends b.N requests, and reports the rates of the first, the last and the slowest part.
func (l *ingestLoad) measureParts(b *testing.B, url string, parts int) {
	b.Helper()
	var next atomic.Int64
	rates := make([]float64, parts)
	b.ResetTimer()
	for i := range parts {
		began, from := time.Now(), next.Load()
		to := int64(b.N * (i + 1) / parts)
		if _, err := l.run(b.Context(), url, func() (int64, bool) {
			n := next.Add(1)
			return n, n <= to
		}); err != nil {
			b.Fatal(err)
		}
		next.Store(to)
		rates[i] = float64((to-from)*int64(l.events)) / time.Since(began).Seconds()
	}
	b.StopTimer()
	b.ReportMetric(rates[0], "first-events/s")
	b.ReportMetric(rates[parts-1], "last-events/s")
	b.ReportMetric(slices.Min(rates), "least-events/s")
	b.ReportMetric(float64(b.N*l.events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkIngestOnClickHouse is BenchmarkIngest with a ClickHouse server on this machine. It writes into empty tables,
// and into tables that received 7 million events in the last week, or 70 times SIGHTLINE_BENCH_EVENTS.
func BenchmarkIngestOnClickHouse(b *testing.B) {
	for _, l := range []ingestLoad{
		{"single", "/?client_id=shop", "", 64, 1, nil},
		{"batch of 72", "/batch?client_id=shop", "", 64, 72, nil},
	} {
		for _, earlier := range []int{0, 70 * storetest.Number(b, "SIGHTLINE_BENCH_EVENTS", 100_000)} {
			b.Run(fmt.Sprintf("%s/after %d", l.name, earlier), func(b *testing.B) {
				l.measure(b, trackingHost(b, clickHouseAfter(b, earlier)))
			})
		}
	}
}

// clickHouseAfter returns a store in a new database with receipts of 7 days. Each day is one file, as on a server an
// hour after midnight.
func clickHouseAfter(b *testing.B, receipts int) *clickhouse.Store {
	b.Helper()
	dsn := chtest.Database(b, chtest.Address(b, "CLICKHOUSE_DSN"))
	s, err := clickhouse.Open(b.Context(), clickhouse.Config{DSN: dsn})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	conn := chtest.Connect(b, dsn)
	for day := range 7 {
		chtest.Exec(b, conn, "INSERT INTO receipts (id, time, receipt, received)"+
			" SELECT sipHash64({day:UInt8}, n.number), 0, intDiv(n.number, 1000), now() - toIntervalDay({day:UInt8}) FROM numbers({receipts:UInt64}) AS n"+
			" SETTINGS max_block_size = 1000000, min_insert_block_size_rows = 1000000, min_insert_block_size_bytes = 0",
			driver.Named("day", day), driver.Named("receipts", receipts/7))
	}
	return s
}

// measure sends b.N requests, and reports the rate and the number of events.
func (l *ingestLoad) measure(b *testing.B, url string) (events float64) {
	b.Helper()
	var next atomic.Int64
	before := cpuTime(b)
	b.ResetTimer()
	took, err := l.run(b.Context(), url, func() (int64, bool) {
		n := next.Add(1)
		return n, n <= int64(b.N)
	})
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	events = float64(b.N * l.events)
	b.ReportMetric(events/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/events, "cpu-µs/event")
	return events
}

// size returns the size of the file with its log.
func (in *ingest) size(b *testing.B) (total int64) {
	for _, name := range []string{in.file, in.file + ".wal"} {
		info, err := os.Stat(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			b.Fatal(err)
		}
		total += info.Size()
	}
	return total
}

// cpuTime returns the processor time of the process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
