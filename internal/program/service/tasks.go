package service

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/demo/site"
	"github.com/sightline-analytics/sightline/internal/program/install"
)

// A task is work that the program does in the background while it serves.
type task struct {
	name string // in the log
	// run returns soon after ctx ends, when the work has ended. It calls failed with errors that it does not log
	// itself.
	run func(ctx context.Context, failed func(error))
}

// tasks returns everything that the program does in the background. The stores and other parts also work in the
// background, until they are closed.
func (a *app) tasks() []task {
	all := []task{{"maintenance of the data", func(ctx context.Context, failed func(error)) {
		// the server may stop before this begins
		if err := a.service.Run(ctx); err != nil && !errors.Is(err, sightline.ErrClosed) {
			failed(err)
		}
	}}}
	all = append(all, task{"marking of stored events", a.markEvents})
	if a.backups != nil {
		all = append(all, task{"regular backups", func(ctx context.Context, _ func(error)) { a.backups.Run(ctx) }})
	}
	if a.settings.Demo && a.settings.DemoEvery != 0 {
		all = append(all, task{"traffic of the demo", func(ctx context.Context, failed func(error)) {
			site.Continue(ctx, a.demo(io.Discard), a.settings.DemoEvery, failed)
		}})
	}
	if a.geo != nil {
		all = append(all, task{"reading of the GeoIP file", a.reloadGeo})
	}
	return all
}

// The records learn which events are stored: soon after the first one, then regularly, and when the server stops.
const (
	firstMark = time.Second
	markEvery = time.Minute
)

// markEvents tells the records which events are stored, so that a start without these events is refused.
func (a *app) markEvents(ctx context.Context, failed func(error)) {
	wait := firstMark
	for {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		isMarked, err := install.Mark(within, a.events, a.records)
		cancel()
		switch {
		case err != nil:
			failed(err)
			wait = markEvery
		case isMarked:
			wait = markEvery
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// geoCheck is how often the server looks whether the GeoIP file has changed.
const geoCheck = 30 * time.Second

// reloadGeo reads the GeoIP file again when it changes and when a hangup arrives.
func (a *app) reloadGeo(ctx context.Context, failed func(error)) {
	check := time.NewTicker(geoCheck)
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.settings.Hangups:
		case <-check.C:
		}
		switch changed, err := a.geo.Reload(); {
		case err != nil:
			failed(err) // the locations stay
		case changed:
			a.log.Info("the GeoIP file was read again", "built", a.geo.Built().UTC().Format(time.DateOnly))
		}
	}
}

// startTasks starts all tasks. stop ends them, and waits for them for at most closeTimeout.
func (a *app) startTasks(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	all := a.tasks()
	ended := make([]chan struct{}, len(all))
	for i, t := range all {
		ended[i] = make(chan struct{})
		//background:stop=startTasks bound=tasks fails="background work failed"
		go func() {
			defer close(ended[i])
			t.run(ctx, func(err error) { a.log.Error("background work failed", "work", t.name, "error", err) })
		}()
	}
	return func() {
		cancel()
		late := time.After(closeTimeout)
		for i, done := range ended {
			select {
			case <-done:
			case <-late:
				a.log.Warn("background work did not end in time", "work", all[i].name, "after", closeTimeout)
				return
			}
		}
	}
}
