//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// flushTimeout bounds the writing of the last entries when the program ends.
const flushTimeout = 10 * time.Second

// trail is the audit trail of a serving program.
type trail struct {
	*audit.Writer
	heads *heads
}

// openTrail begins to write the audit trail to the relational store.
func (a *app) openTrail(ctx context.Context) (*trail, error) {
	keep := a.settings.auditKeep
	h, err := openHeads(filepath.Join(a.settings.data, headsFile), keep, a.now, a.log)
	if err != nil {
		return nil, err
	}
	w, err := audit.New(ctx, audit.Config{
		Log: a.meta.Audit(), Pepper: a.pepper, Keep: keep, OnHead: h.keep, Now: a.now, Logger: a.log,
	})
	if errors.Is(err, audit.ErrTampered) {
		err = fmt.Errorf("%w; was another pepper used here (--pepper-file)? Else see audit verify", err)
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return &trail{w, h}, nil
}

// close writes the entries that are held still.
func (t *trail) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	return errors.Join(t.Close(ctx), t.heads.close())
}
