package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/demo/site"
	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// The bounds of one connection.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	// for small answers; large answers get deadlines that move with the client's progress
	writeTimeout = 60 * time.Second
	idleTimeout  = 2 * time.Minute
	maxHeader    = 64 << 10
	drainTimeout = 30 * time.Second // the default of Settings.Drain
)

// Serve opens the data, serves until ctx ends, and closes the data. When it is ready, it writes its addresses to out;
// the log goes to errs. Serve listens on its addresses first, so that it fails before it changes anything if an
// address is in use.
func Serve(ctx context.Context, s Settings, out, errs io.Writer, now func() time.Time) (err error) {
	log := s.logger(errs)
	for _, name := range slices.Sorted(maps.Keys(s.Misspelled)) {
		log.Warn("no option reads this environment variable", "name", name, "probably", s.Misspelled[name])
	}
	defer s.divide().limitHeap(log)()
	limit, err := connectionLimit(log)
	if err != nil {
		return err
	}
	servers, r, err := listen(ctx, s, log, newGate(limit, log, now))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.stop()) }()
	a, err := open(ctx, s, log, now)
	if err != nil {
		return err
	}
	// Requests end before the data is closed.
	defer func() { err = errors.Join(err, servers.stop(), a.close()) }()
	if err := a.prepare(ctx, &r, errs); err != nil {
		if ctx.Err() != nil {
			return nil // stopped while generating traffic; the next start continues
		}
		return err
	}
	if err := servers.start(ctx, a); err != nil {
		return err
	}
	if err := a.announce(r, out); err != nil {
		return err
	}
	a.tell(ctx, isReady)
	defer a.startTasks(ctx)()
	defer a.tell(ctx, isStopping)
	return servers.wait(ctx)
}

func (a *app) demo(progress io.Writer) site.Config {
	cfg := site.Config{
		Events: a.events, Records: a.records, Folder: a.settings.Data, Days: a.settings.DemoDays,
		Now: a.now, Progress: progress, SharedRecords: a.settings.Meta != "",
	}
	if a.settings.ClickHouse.DSN != "" {
		// ClickHouse needs few and large writes
		cfg.ProgressFile, cfg.Step = install.ClickHouseProgressFile, 5*24*time.Hour
	}
	return cfg
}

// prepare creates the demo and its key, unless the settings say otherwise.
func (a *app) prepare(ctx context.Context, r *site.Ready, progress io.Writer) error {
	if !a.settings.Demo {
		return nil
	}
	created, err := site.Create(ctx, a.demo(progress))
	if err != nil {
		return err
	}
	created.Address, created.TrackAddress, created.MetricsAddress = r.Address, r.TrackAddress, r.MetricsAddress
	*r = created
	return nil
}

func (a *app) announce(r site.Ready, to io.Writer) error {
	events := embedded.Database
	if a.settings.ClickHouse.DSN != "" {
		events = "ClickHouse"
	}
	a.log.Info("serving", "events", events, "address", r.Address, "tracking", r.TrackAddress, "metrics",
		r.MetricsAddress)
	if a.settings.JSON {
		return json.NewEncoder(to).Encode(r)
	}
	if a.settings.LogJSON && !site.IsTerminal(to) { // both often end in one journal, and the log has the addresses
		return nil
	}
	r.Program = a.settings.Program
	return r.Text(to, a.settings.Data, site.IsTerminal(to))
}

// servers has the listeners of the program.
type servers struct {
	main, track, metrics net.Listener // track and metrics are nil without a separate address
	running              []*http.Server
	serving              sync.WaitGroup // calls of Serve of running
	gate                 *gate          // of all connections from outside
	drain                time.Duration  // how long stop waits for running requests
	failed               chan error
	log                  *slog.Logger
}

// listen opens the listeners and returns their URLs.
func listen(ctx context.Context, s Settings, log *slog.Logger, g *gate) (*servers, site.Ready, error) {
	var l net.ListenConfig
	main, err := l.Listen(ctx, "tcp", s.Addr)
	if err != nil {
		return nil, site.Ready{}, fmt.Errorf("--addr: %w", err)
	}
	r := site.Ready{Address: address(main), TrackAddress: address(main) + trackPrefix}
	all := &servers{main: main, failed: make(chan error, 4), log: log, gate: g, drain: cmp.Or(s.Drain, drainTimeout)}
	if s.TrackAddr != "" {
		all.track, err = l.Listen(ctx, "tcp", s.TrackAddr)
		if err != nil {
			return nil, site.Ready{}, errors.Join(fmt.Errorf("--track-addr: %w", err), all.stop())
		}
		r.TrackAddress = address(all.track)
	}
	if s.MetricsAddr != "" {
		all.metrics, err = l.Listen(ctx, "tcp", onLoopback(s.MetricsAddr))
		if err != nil {
			return nil, site.Ready{}, errors.Join(fmt.Errorf("--metrics-addr: %w", err), all.stop())
		}
		r.MetricsAddress = address(all.metrics) + "/metrics"
	}
	return all, r, nil
}

// onLoopback adds the loopback host to an address without a host, because metrics need no key.
func onLoopback(addr string) string {
	if host, port, err := net.SplitHostPort(addr); err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}

// address returns the URL of l on this machine.
func address(l net.Listener) string {
	tcp, ok := l.Addr().(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + l.Addr().String()
}

// start serves on all addresses, and on the control socket for commands.
func (s *servers) start(ctx context.Context, a *app) error {
	mounts, err := a.mounts()
	if err != nil {
		return err
	}
	a.metrics.watch(a.service)
	for _, at := range []struct {
		net.Listener

		on listener
	}{{s.metrics, onMetrics}, {s.main, onMain}, {s.track, onTrack}} {
		if at.Listener != nil {
			s.serve(at.Listener, a.handler(mounts, at.on))
		}
	}
	commands := a.handler(mounts, onSocket)
	if commands == nil {
		return nil
	}
	socket, err := control.Listen(ctx, filepath.Join(a.settings.Data, install.SocketFile))
	if err != nil {
		s.log.Warn("commands cannot read the data while this server runs", "error", err)
		return nil
	}
	// It has no deadline, because answers may take long.
	s.run(socket, &http.Server{Handler: commands, ReadHeaderTimeout: headerTimeout})
	return nil
}

func (s *servers) serve(l net.Listener, h http.Handler) {
	s.run(s.gate.limit(l), &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	})
}

// run serves l until stop.
func (s *servers) run(l net.Listener, server *http.Server) {
	s.running = append(s.running, server)
	//background:stop=stop bound=failed fails=caller
	s.serving.Go(func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
}

// wait returns when ctx ends or a listener fails.
func (s *servers) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		s.log.Info("stopping after open requests")
		return nil
	case err := <-s.failed:
		return err
	}
}

// stop closes the listeners at once and waits for requests in progress. After drain it closes connections that are
// still open: a client that reads slowly must not delay a restart. Calling stop again does nothing.
func (s *servers) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	faults := make([]error, len(s.running))
	var ending sync.WaitGroup
	for i, server := range s.running {
		ending.Go(func() {
			faults[i] = server.Shutdown(ctx)
			if errors.Is(faults[i], context.DeadlineExceeded) {
				s.log.Warn("closing connections of requests that did not finish in time", "after", s.drain)
				faults[i] = server.Close()
			}
		})
	}
	ending.Wait()
	s.serving.Wait()
	s.running = nil
	for _, l := range []net.Listener{s.main, s.track, s.metrics} {
		if l != nil {
			_ = l.Close() // already closed if its server ran
		}
	}
	return errors.Join(faults...)
}
