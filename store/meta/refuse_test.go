package meta

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// filled creates a file with enough records for tests of damage.
func filled(t *testing.T, cfg Config) Config {
	t.Helper()
	s := mustOpen(t, cfg)
	err := s.update(t.Context(), "fill", func(ctx context.Context, db querier) error {
		var sites []store.Website
		for i := range 200 {
			sites = append(sites, store.Website{ID: fmt.Sprintf("w%03d", i), Owner: "acme",
				Name: fmt.Sprint("Website ", i), Domain: "a.example", CreatedAt: noon})
		}
		_, err := change(ctx, db, websites.insert(s, sites...))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// later returns the migrations of a newer program.
func later(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(migrations(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(migrations(), path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files["9000_later.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nALTER TABLE websites ADD COLUMN color TEXT NOT NULL DEFAULT 'blue';\n")}
	return files
}

func TestRejectedFilesAreNotChanged(t *testing.T) {
	for _, c := range []struct {
		says  string
		spoil func(t *testing.T, cfg Config)
		want  error
	}{
		{"a file of a newer program", func(t *testing.T, cfg Config) {
			s, err := open(t.Context(), cfg, later(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
		}, store.ErrNewerSchema},
		{"a text file", rewrite(func([]byte) []byte { return []byte("to: the database\nfrom: an editor\n") }),
			store.ErrCorrupt},
		{"a file of a few bytes", rewrite(func([]byte) []byte { return []byte("SQLite") }), store.ErrCorrupt},
		{"a file cut in half", rewrite(func(b []byte) []byte { return b[:len(b)/2] }), store.ErrCorrupt},
		{"a file cut within its first page", rewrite(func(b []byte) []byte { return b[:1000] }), store.ErrCorrupt},
		{"a file with a page of noise", rewrite(func(b []byte) []byte {
			copy(b[len(b)-4096:], bytes.Repeat([]byte{0xa5}, 4096)) // the last page has websites
			return b
		}), store.ErrCorrupt},
		{"a file whose table of contents is noise", rewrite(func(b []byte) []byte {
			copy(b[100:4096], bytes.Repeat([]byte{0xa5}, 4096))
			return b
		}), store.ErrCorrupt},
		{"a database of another program", func(t *testing.T, cfg Config) {
			if err := os.Remove(cfg.Path); err != nil {
				t.Fatal(err)
			}
			raw(t, cfg, "CREATE TABLE cookies (id INTEGER PRIMARY KEY)", "INSERT INTO cookies VALUES (1)")
		}, store.ErrCorrupt},
	} {
		t.Run(c.says, func(t *testing.T) {
			cfg := filled(t, config(t))
			c.spoil(t, cfg)
			before, err := os.ReadFile(cfg.Path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), cfg)
			if !errors.Is(err, c.want) || s != nil {
				t.Errorf("Open = %v, %v; want %v", s, err, c.want)
			}
			if log, err := os.ReadFile(cfg.Path + "-wal"); len(log) > 0 {
				t.Errorf("the write-ahead log has %d bytes, want none; %v", len(log), err)
			}
			after, err := os.ReadFile(cfg.Path)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file changed: %d bytes before, %d after, %v", len(before), len(after), err)
			}
		})
	}
}

func rewrite(f func([]byte) []byte) func(*testing.T, Config) {
	return func(t *testing.T, cfg Config) {
		t.Helper()
		content, err := os.ReadFile(cfg.Path)
		if err == nil {
			err = os.WriteFile(cfg.Path, f(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNewerFileWithALogIsNotChanged(t *testing.T) {
	cfg := filled(t, config(t))
	if err := mustOpen(t, cfg).migrate(t.Context(), later(t)); err != nil {
		t.Fatal(err)
	}
	// A crash of the newer program leaves the file and a write-ahead log.
	crashed := cfg
	crashed.Path = filepath.Join(t.TempDir(), "meta.sqlite")
	before := map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(cfg.Path + suffix)
		if err == nil {
			err = os.WriteFile(crashed.Path+suffix, content, 0o600)
		}
		if err != nil || len(content) == 0 {
			t.Fatalf("%s: %d bytes, %v", suffix, len(content), err)
		}
		before[suffix] = content
	}
	if s, err := Open(t.Context(), crashed); !errors.Is(err, store.ErrNewerSchema) || s != nil {
		t.Errorf("Open = %v, %v", s, err)
	}
	for suffix, want := range before {
		if got, err := os.ReadFile(crashed.Path + suffix); err != nil || !bytes.Equal(got, want) {
			t.Errorf("meta.sqlite%s changed: %d bytes before, %d after, %v", suffix, len(want), len(got), err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	dir := t.TempDir()
	for says, path := range map[string]string{
		"a folder that does not exist": filepath.Join(dir, "none", "meta.sqlite"),
		"a folder instead of a file":   dir,
	} {
		cfg := config(t)
		cfg.Path = path
		if s, err := Open(t.Context(), cfg); !errors.Is(err, store.ErrUnavailable) || s != nil {
			t.Errorf("%s: %v, %v", says, s, err)
		}
	}
}

// TestLockedByAnotherProcess opens a transaction in another store. SQLite allows one writer at a time, and
// PostgreSQL locks rows.
func TestLockedByAnotherProcess(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		cfg.Wait = 50 * time.Millisecond
		s, other := mustOpen(t, cfg), mustOpen(t, cfg)
		key, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
		if err != nil {
			t.Fatal(err)
		}
		tx, err := other.write.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), "SELECT id FROM api_keys "+s.lang.forUpdate); err != nil {
			t.Fatal(err)
		}
		if err := s.RevokeKey(t.Context(), key.ID, nil); !errors.Is(err, store.ErrUnavailable) ||
			errors.Is(err, auth.ErrNotFound) {
			t.Errorf("a revocation while another process writes: %v", err)
		}
		if _, err := s.KeyByDigest(t.Context(), secret.Digest(pepper)); err != nil {
			t.Errorf("a read while another process writes: %v", err)
		}
		if third, err := Open(t.Context(), cfg); err != nil {
			t.Errorf("opening while another process writes: %v", err)
		} else if err := third.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		if err := s.RevokeKey(t.Context(), key.ID, nil); err != nil {
			t.Errorf("a revocation after the other transaction ended: %v", err)
		}
	})
}

func TestLockedFile(t *testing.T) {
	cfg := filled(t, config(t))
	cfg.Wait = 50 * time.Millisecond
	// Without write-ahead mode, one process can prevent all others from reading, too.
	db, err := sql.Open("sqlite", cfg.Path+"?_txlock=exclusive")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "PRAGMA journal_mode = DELETE"); err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), cfg); !errors.Is(err, store.ErrUnavailable) || s != nil {
		t.Errorf("Open of a locked file = %v, %v", s, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, cfg)
}

// TestFailedCommit runs a transaction that only fails when it is committed.
func TestFailedCommit(t *testing.T) {
	s := mustOpen(t, config(t))
	err := s.update(t.Context(), "try", func(ctx context.Context, db querier) error {
		if _, err := db.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		_, err := change(ctx, db,
			monitors.insert(s, Monitor{ID: "m", Owner: "acme", WebsiteID: "no such website", CreatedAt: noon}))
		return err
	})
	if !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "commit") {
		t.Errorf("the failed commit: %v", err)
	}
	if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
		t.Errorf("a write after the failed commit: %v", err)
	}
	if found, err := s.Monitors(t.Context(), "acme"); err != nil || len(found) > 0 {
		t.Errorf("records of the failed commit were stored: %v, %v", found, err)
	}
}
