//go:build cgo

package service

import (
	"context"

	"github.com/sightline-analytics/sightline/flags"
)

// flags returns the flags of the records. With Redis, processes notify each other of changes; without it each
// process checks for changes.
func (a *app) flags() (*flags.Service, error) {
	cfg := flags.Config{Store: a.records.Flags(), Now: a.now, Logger: a.log}
	if a.bus != nil { // a nil *Bus in an interface would not be nil
		cfg.Bus = a.bus
	}
	service, err := flags.New(cfg)
	if err != nil {
		return nil, err
	}
	a.onClose(func() error { return service.Close(context.Background()) })
	return service, nil
}
