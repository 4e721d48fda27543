package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/meta"
)

// A trail records changes of keys by commands in the audit trail.
type trail struct {
	e      environment
	writer *audit.Writer
	heads  *install.HeadStore // nil without a data folder
}

// openTrail continues the trail of m. It fails if the records belong to another pepper, because the servers would not
// accept secrets that commands create with this pepper.
func (r *records) openTrail(ctx context.Context, e environment, m *meta.Store, pepper auth.Pepper) (*trail, error) {
	if err := m.CheckPepper(ctx, pepper); err != nil {
		return nil, err
	}
	t := &trail{e: e}
	cfg := audit.Config{Log: m.Audit(), Pepper: pepper, Now: e.now}
	if _, err := os.Stat(r.Data); !errors.Is(err, fs.ErrNotExist) {
		if err := install.CheckAccess(r.Data); err != nil {
			return nil, err
		}
		file, log := filepath.Join(r.Data, install.HeadsFile), slog.New(slog.NewTextHandler(e.errs, nil))
		stored, err := install.ReadHeads(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if t.heads, err = install.OpenHeads(file, stored.Keep, e.now, log); err != nil {
			return nil, err
		}
		cfg.OnHead = t.heads.Keep
	}
	var err error
	if t.writer, err = audit.New(ctx, cfg); err == nil {
		return t, nil
	}
	if errors.Is(err, audit.ErrTampered) {
		err = errors.New("the audit trail was changed by someone else; run audit verify")
	}
	return nil, errors.Join(err, t.closeHeads())
}

// record adds an entry about a command on a key. If it is unknown whether the change was made, the entry says
// failed.
func (t *trail) record(ctx context.Context, command string, k auth.Key, failed error) error {
	if failed != nil && !errors.Is(failed, meta.ErrInDoubt) {
		return nil
	}
	entry := auth.Entry{
		Time: t.e.now(), RequestID: rand.Text(), KeyID: k.ID, Start: k.Start, Owner: k.Owner, Method: "COMMAND",
		Route: command, Outcome: "allowed",
	}
	if failed != nil {
		entry.Outcome = "failed"
	}
	if err := t.writer.Record(ctx, entry); err != nil {
		return notRecorded(err)
	}
	return nil
}

// close waits until all entries are stored.
func (t *trail) close(ctx context.Context) error {
	err := t.writer.Close(ctx)
	if err != nil {
		err = notRecorded(err)
	}
	return errors.Join(err, t.closeHeads())
}

func (t *trail) closeHeads() error {
	if t.heads == nil {
		return nil
	}
	return t.heads.Close()
}

// notRecorded wraps err to say that the command still made its change.
func notRecorded(err error) error {
	return fmt.Errorf("the change was made but could not be recorded in the audit trail: %w", err)
}
