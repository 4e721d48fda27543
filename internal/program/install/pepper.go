package install

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store/meta"
)

// ReadPepper reads the pepper from file or, if that is empty, from the data folder. Without a pepper its error wraps
// [os.ErrNotExist].
func ReadPepper(dir, file string) (auth.Pepper, error) {
	if file == "" {
		if err := CheckAccess(dir); err != nil {
			return auth.Pepper{}, err
		}
		file = filepath.Join(dir, PepperFile)
	}
	if _, err := os.Stat(file); err != nil {
		return auth.Pepper{}, ExplainAccess(fmt.Errorf("read the pepper: %w", err))
	}
	p, err := auth.PepperFile(file)
	return p, ExplainAccess(err)
}

// Pepper reads the pepper as [ReadPepper] does. If the data folder has none, it creates one, unless the records of the
// folder or the DSN belong to a pepper already: their keys would stop working, and their audit trail would look
// changed.
func Pepper(ctx context.Context, dir, dsn, file string, log *slog.Logger, now func() time.Time) (auth.Pepper, error) {
	p, err := ReadPepper(dir, file)
	if file != "" || !errors.Is(err, os.ErrNotExist) {
		return p, err
	}
	if err := needNoPepper(ctx, dir, dsn, log, now); err != nil {
		return auth.Pepper{}, err
	}
	if err := CreateFolder(dir); err != nil {
		return auth.Pepper{}, err
	}
	p, err = auth.PepperFile(filepath.Join(dir, PepperFile))
	return p, ExplainAccess(err)
}

// needNoPepper returns an error if a pepper belongs to the records, which need not exist.
func needNoPepper(ctx context.Context, dir, dsn string, log *slog.Logger, now func() time.Time) (err error) {
	if exists, err := Exists(dir, RecordsFile); err != nil || dsn == "" && !exists {
		return err
	}
	records, err := OpenRecords(ctx, dir, dsn, auth.Pepper{}, log, now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close(context.WithoutCancel(ctx))) }()
	needs, err := records.NeedsPepper(ctx)
	if needs {
		err = fmt.Errorf("%s does not exist, but the records belong to a pepper: put it back from your copy, or name the server's pepper with --pepper-file, or its folder with --data; if it is lost, see docs/security.md",
			filepath.Join(dir, PepperFile))
	}
	return err
}

// explainPepper returns err, or says what to do about the pepper of other records.
func explainPepper(where string, err error) error {
	if !errors.Is(err, meta.ErrOtherPepper) {
		return err
	}
	return otherPepperError{where}
}

// An otherPepperError is a [meta.ErrOtherPepper] of records.
type otherPepperError struct{ where string }

func (e otherPepperError) Error() string {
	return "this is not the pepper of these records (" + e.where +
		"): put the right one back from your copy, or name the server's pepper with --pepper-file; if it is lost, see docs/security.md"
}

func (otherPepperError) Unwrap() error { return meta.ErrOtherPepper }
