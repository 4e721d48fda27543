package clickhouse_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// writerEnv has the address that this program is to write to, in place of running tests.
const writerEnv = "SIGHTLINE_TEST_WRITER"

func TestMain(m *testing.M) {
	if dsn := os.Getenv(writerEnv); dsn != "" {
		if err := writeFor(dsn, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// An order is what a writing process is told: batches that it writes at the same time.
type order struct{ Batches []store.Batch }

// A report is what became of an order.
type report struct {
	Written store.Written // the sum
	Errors  []string
}

// writeFor writes what it is told, an order per line, and reports after each.
func writeFor(dsn string, orders io.Reader, reports io.Writer) (err error) {
	ctx := context.Background()
	s, err := clickhouse.Open(ctx, clickhouse.Options{DSN: dsn, BatchDelay: -1, WriteTimeout: 2 * time.Minute})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	in, out := json.NewDecoder(orders), json.NewEncoder(reports)
	for {
		var o order
		switch err := in.Decode(&o); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := out.Encode(writeAll(ctx, s, o.Batches)); err != nil {
			return err
		}
	}
}

// writeAll writes batches at the same time.
func writeAll(ctx context.Context, s *clickhouse.Store, batches []store.Batch) report {
	var r report
	var mu sync.Mutex
	var writers sync.WaitGroup
	for i := range batches {
		writers.Go(func() {
			got, err := s.Write(ctx, &batches[i])
			mu.Lock()
			defer mu.Unlock()
			r.Written.Stored += got.Stored
			r.Written.Repeated += got.Repeated
			if err != nil {
				r.Errors = append(r.Errors, err.Error())
			}
		})
	}
	writers.Wait()
	return r
}

// A process is another process that writes to the same tables.
type process struct {
	t       *testing.T
	orders  *json.Encoder
	reports *json.Decoder
	cmd     *exec.Cmd
	in      io.Closer
	end     func() error // waits; once
}

// newProcess starts one. It ends with the test.
func newProcess(t *testing.T, dsn string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+dsn)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t, json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out)), cmd, in, sync.OnceValue(cmd.Wait)}
	t.Cleanup(p.close)
	return p
}

// close has the process close its store and end.
func (p *process) close() {
	_ = p.in.Close()
	if err := p.end(); err != nil && p.cmd.ProcessState.Exited() {
		p.t.Errorf("the writing process: %v", err)
	}
}

// kill ends the process whatever it is doing.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.end()
}

// write has batches written at the same time.
func (p *process) write(batches ...store.Batch) store.Written {
	p.t.Helper()
	r, err := p.tell(batches)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *process) tell(batches []store.Batch) (store.Written, error) {
	var r report
	if err := errors.Join(p.orders.Encode(order{batches}), p.reports.Decode(&r)); err != nil {
		return r.Written, err
	}
	if len(r.Errors) > 0 {
		return r.Written, fmt.Errorf("%d writes failed: %s", len(r.Errors), r.Errors[0])
	}
	return r.Written, nil
}

// together has several processes write at the same time, and reports whether all could.
func together(t *testing.T, orders map[*process][]store.Batch) bool {
	t.Helper()
	var failed atomic.Bool
	var all sync.WaitGroup
	for p, batches := range orders {
		all.Go(func() {
			if _, err := p.tell(batches); err != nil {
				t.Error(err)
				failed.Store(true)
			}
		})
	}
	all.Wait()
	return !failed.Load()
}
