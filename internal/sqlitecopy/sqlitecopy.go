// Package sqlitecopy copies SQLite databases that are in use:
//
//	err := sqlitecopy.Pin(ctx, connection)             // from now on the connection reads one state
//	err = sqlitecopy.Copy(ctx, connection, "copy.db")  // others may write meanwhile
//	err = sqlitecopy.Unpin(connection)
//
// A connection is one of the driver modernc.org/sqlite. Only one goroutine at a time may use it.
package sqlitecopy

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// copier is what a connection of the driver implements.
type copier interface {
	driver.ExecerContext
	NewBackup(destination string) (*sqlite.Backup, error)
}

// stepPages is the number of pages to copy before the next look at the context.
const stepPages = 1000

// Pin begins a transaction on connection that reads the current state of the database until Unpin. Meanwhile the log of
// the database grows with every write of other connections.
func Pin(ctx context.Context, connection any) error {
	c, err := of(connection)
	if err != nil {
		return err
	}
	// a transaction begins to read with its first query
	_, err = c.ExecContext(ctx, "BEGIN; SELECT count(*) FROM sqlite_schema", nil)
	if err != nil {
		return errors.Join(err, Unpin(connection))
	}
	return nil
}

// Unpin ends the transaction of Pin.
func Unpin(connection any) error {
	c, err := of(connection)
	if err != nil {
		return err
	}
	_, err = c.ExecContext(context.Background(), "ROLLBACK", nil)
	return err
}

// Copy copies the state that connection reads to the new file path, with mode 0600, and syncs it to disk. After an
// error it removes the file.
func Copy(ctx context.Context, connection any, path string) (err error) {
	c, err := of(connection)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil { // before SQLite locks the file: closing it later would release the lock
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(path)
		}
	}()
	if err := copyPages(ctx, c, path); err != nil {
		return err
	}
	if file, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

func copyPages(ctx context.Context, c copier, path string) error {
	to, err := name(path)
	if err != nil {
		return err
	}
	backup, err := c.NewBackup(to)
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = backup.Step(stepPages)
		}
	}
	return errors.Join(err, backup.Finish())
}

// name returns the driver's name of a file that nobody else uses. It needs no journal and no syncs, because Copy
// removes an incomplete file and syncs a complete one.
func name(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	u := url.URL{Scheme: "file", Path: path, OmitHost: true,
		RawQuery: url.Values{"_pragma": {"journal_mode(OFF)", "synchronous(OFF)"}}.Encode()}
	return u.String(), nil
}

func of(connection any) (copier, error) {
	c, ok := connection.(copier)
	if !ok {
		return nil, fmt.Errorf("sqlitecopy: a connection of type %T cannot be copied", connection)
	}
	return c, nil
}
