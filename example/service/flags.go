//go:build cgo

package service

import (
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/flags/redisbus"
	"github.com/sightline-analytics/sightline/httpapi"
)

// flags returns the flags of the records. With Redis, processes notify each other of changes; without it each
// process checks for changes.
func (a *app) flags() (*httpapi.Flags, error) {
	store := a.records.Flags()
	evaluator, err := flags.NewEvaluator(flags.EvaluatorConfig{Store: store, Now: a.now, Logger: a.log})
	if err != nil {
		return nil, err
	}
	a.onClose(evaluator.Close)
	notify := []flags.Invalidator{evaluator}
	if a.redis != nil {
		bus, err := redisbus.New(redisbus.Config{Client: a.redis, To: evaluator, Logger: a.log})
		if err != nil {
			return nil, err
		}
		a.onClose(bus.Close)
		notify = append(notify, bus)
	}
	editor, err := flags.NewEditor(flags.EditorConfig{Store: store, Notify: notify, Now: a.now})
	if err != nil {
		return nil, err
	}
	return &httpapi.Flags{Editor: editor, Evaluator: evaluator}, nil
}
