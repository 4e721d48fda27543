package sightline

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

var errPlanned = errors.New("planned")

// upkeepEvents is a store of events without rows.
type upkeepEvents struct {
	missing

	list, maintain func() error
}

func (e *upkeepEvents) Maintain(context.Context) error { return e.maintain() }

func (e *upkeepEvents) Websites(context.Context) (map[store.Subject]uint64, error) {
	return nil, e.list()
}

func (*upkeepEvents) Days(context.Context, store.Subject, time.Time, time.Time) ([]store.Day, error) {
	return nil, errPlanned
}

func (*upkeepEvents) Seal(context.Context, store.Derivation) error { return errPlanned }

func (*upkeepEvents) Expire(context.Context, store.Subject, time.Time, []int64) (int64, error) {
	return 0, errPlanned
}

// upkeepRecords are records that are only maintained.
type upkeepRecords struct {
	Records

	maintain func() error
}

func (r *upkeepRecords) Maintain(context.Context) error { return r.maintain() }

// prunedRecords are records whose keys are only removed.
type prunedRecords struct {
	Records

	asked chan time.Time
}

func (r *prunedRecords) PruneKeys(_ context.Context, before time.Time) error {
	r.asked <- before
	return nil
}

// TestEndedKeysAreRemoved removes keys when the audit trail no longer has their uses, and never without an end of it.
func TestEndedKeysAreRemoved(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	records := &prunedRecords{asked: make(chan time.Time, 1)}
	s := &Service{cfg: Config{Records: records, Now: func() time.Time { return now }}}
	if tasks := s.tasks(); len(tasks) != 0 {
		t.Errorf("without an end of the trail: %+v", tasks)
	}
	s.cfg.Trail.Retention = 48 * time.Hour
	tasks := s.tasks()
	if len(tasks) != 1 {
		t.Fatalf("%d tasks, want 1", len(tasks))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tasks[0].run(ctx, func(err error) { t.Error(err) })
	}()
	if before := <-records.asked; !before.Equal(now.Add(-48 * time.Hour)) {
		t.Errorf("keys are removed that ended before %v, want two days ago", before)
	}
	cancel()
	<-ended
}

// upkeep returns a service with every task. work returns what a task does.
func upkeep(t *testing.T, log *slog.Logger, work func(task string) func() error) *Service {
	t.Helper()
	engine, err := query.New(query.Config{Store: &upkeepEvents{list: work("sealing days")}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return &Service{sealer: query.NewSealer(engine), cfg: Config{
		Events:  &upkeepEvents{list: work("removing the rows of old days"), maintain: work("maintenance of events")},
		Records: &upkeepRecords{maintain: work("maintenance of records")},
		Salts:   &upkeepRecords{maintain: work("maintenance of salts")},
		Logger:  log,
		Now:     time.Now,
	}}
}

// TestEveryTaskReportsAndEnds walks the tasks of Run. The first call of each fails, which the log has to show. The
// second one ignores the end of its context, and Close has to wait for it.
func TestEveryTaskReportsAndEnds(t *testing.T) {
	idle := func(string) func() error { return func() error { return nil } }
	for _, one := range upkeep(t, slog.New(slog.DiscardHandler), idle).tasks() {
		t.Run(one.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkTask(t, one.name) })
		})
	}
}

func checkTask(t *testing.T, name string) {
	var log bytes.Buffer
	stuck, release := make(chan struct{}), make(chan struct{})
	calls := 0
	s := upkeep(t, slog.New(slog.NewTextHandler(&log, nil)), func(task string) func() error {
		return func() error {
			if task != name {
				return nil
			}
			if calls++; calls == 2 {
				close(stuck)
				<-release
			}
			return errPlanned
		}
	})
	ran := make(chan error)
	go func() { ran <- s.Run(t.Context()) }()
	select {
	case <-stuck:
	case <-time.After(7 * 24 * time.Hour):
		t.Fatal("it did not run twice in a week: upkeep needs a part for it")
	}
	if text := log.String(); !strings.Contains(text, name) || !strings.Contains(text, errPlanned.Error()) {
		t.Errorf("the log does not have its failure: %s", text)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close(t.Context()) }()
	synctest.Wait()
	select {
	case <-closed:
		t.Error("Close does not wait for it")
	default:
	}
	close(release)
	if err := errors.Join(<-ran, <-closed); err != nil {
		t.Error(err)
	}
}
