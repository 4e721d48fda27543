//go:build cgo

package duckdb

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// specimen returns the file of a store with rows. If logged is true, it also returns its log with more rows.
func specimen(t *testing.T, logged bool) (file, log []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a", 500))
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if logged {
		s = open(t, Config{Path: path})
		mustWrite(t, s, batch("b", 500))
		mustWrite(t, s, batch("c", 500))
		log = read(t, path+".wal")
	}
	return read(t, path), log
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// spoil returns a copy of data with n inverted bytes.
func spoil(data []byte, at, n int) []byte {
	data = bytes.Clone(data)
	for i := at; i < at+n; i++ {
		data[i] ^= 0xff
	}
	return data
}

// foreign returns a DuckDB file that was not created by this package.
func foreign(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foreign.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE t AS SELECT range FROM range(10)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return read(t, path)
}

func TestDamagedAndForeignFiles(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	for _, c := range []struct {
		name      string
		file, log []byte
	}{
		{"half of a file", file[:len(file)/2], nil},
		{"ten kilobytes of a file", file[:10_000], nil},
		{"five bytes of a file", file[:5], nil},
		{"an empty file", []byte{}, nil},
		{"a text", []byte(strings.Repeat("These are not the rows.\n", 1000)), nil},
		{"a SQLite database", append([]byte("SQLite format 3\x00"), make([]byte, 8176)...), nil},
		{"a damaged head", spoil(file, 20, 4), nil},
		{"a damaged header", spoil(file, 4096, 8), nil},
		{"a damaged log", file, spoil(log, 2, 8)},
		{"a log with a damaged row", file, spoil(log, len(log)/4, 1)},
		{"the log of another file", foreign(t), log},
		{"a database of another program", foreign(t), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.duckdb")
			put(t, path, c.file)
			if c.log != nil {
				put(t, path+".wal", c.log)
			}
			refuse(t, path, store.ErrCorrupt)
		})
	}
	t.Run("a log without its file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s.duckdb")
		put(t, path+".wal", log)
		refuse(t, path, store.ErrCorrupt)
	})
	t.Run("the undamaged specimen", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s.duckdb")
		put(t, path, file)
		put(t, path+".wal", log)
		countEvents(t, open(t, Config{Path: path}), 1500)
	})
}

func TestTruncatedLogLosesOnlyItsLastCommit(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	path := filepath.Join(t.TempDir(), "s.duckdb")
	put(t, path, file)
	put(t, path+".wal", log[:len(log)-100])
	s := open(t, Config{Path: path})
	countEvents(t, s, 1000)
	if got, want := mustWrite(t, s, batch("c", 500)), (store.Written{Stored: 500}); got != want {
		t.Errorf("Write of the lost batch = %+v, want %+v", got, want)
	}
}

func TestDamagedBlockFailsQueries(t *testing.T) {
	t.Parallel()
	file, _ := specimen(t, false)
	path := filepath.Join(t.TempDir(), "s.duckdb")
	var reported int
	const block, head = 256 << 10, 12 << 10
	for at := head + 64; at+8 < len(file); at += block {
		put(t, path, spoil(file, at, 8))
		s, err := Open(context.Background(), Config{Path: path})
		if err == nil {
			_, err = s.Query(context.Background(), store.Statement{
				SQL:   "SELECT max(path), max(event_id), max(session_id), max(anonymous_id), max(time) FROM events",
				Kinds: []dialect.Kind{dialect.Text, dialect.Text, dialect.Text, dialect.Text, dialect.Int},
			})
			_ = s.Close(context.Background())
		}
		if err == nil {
			continue // the block has other columns
		}
		reported++
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("damage at byte %d: %v, want ErrCorrupt", at, err)
		}
	}
	if reported == 0 {
		t.Error("no damage was reported")
	}
}

func countEvents(t *testing.T, s *Store, want int64) {
	t.Helper()
	got := ask(t, s, "SELECT count(*), count(DISTINCT event_id) FROM events", []dialect.Kind{dialect.Int, dialect.Int})
	rows, ids := got.Columns[0].Ints[0], got.Columns[1].Ints[0]
	if rows != want || ids != want {
		t.Errorf("%d rows with %d ids, want %d of each", rows, ids, want)
	}
}
