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
	"github.com/sightline-analytics/sightline/track"
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
		Track:   track.Config{Salts: &upkeepRecords{maintain: work("maintenance of salts")}},
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
