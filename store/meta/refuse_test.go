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
	"testing"
	"testing/fstest"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// filled makes a file with enough in it that damage has something to hit.
func filled(t *testing.T, cfg Config) Config {
	t.Helper()
	s := mustOpen(t, cfg)
	err := s.update(t.Context(), "fill", func(ctx context.Context, db querier) error {
		q := s.sql.Insert("websites").Columns(websiteColumns...)
		for i := range 200 {
			q = q.Values(fmt.Sprintf("w%03d", i), "acme", fmt.Sprint("Website ", i), "a.example", false, i)
		}
		_, err := change(ctx, db, q)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// later is the migrations of a program that is newer than this one.
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

func TestRefusedFilesAreNotTouched(t *testing.T) {
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
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}, store.ErrNewerSchema},
		{"a file that is no database", rewrite(func([]byte) []byte { return []byte("to: the database\nfrom: an editor\n") }), store.ErrCorrupt},
		{"a file of a few bytes", rewrite(func([]byte) []byte { return []byte("SQLite") }), store.ErrCorrupt},
		{"a file cut in half", rewrite(func(b []byte) []byte { return b[:len(b)/2] }), store.ErrCorrupt},
		{"a file cut within its first page", rewrite(func(b []byte) []byte { return b[:1000] }), store.ErrCorrupt},
		{"a file with a page of noise", rewrite(func(b []byte) []byte {
			copy(b[len(b)-4096:], bytes.Repeat([]byte{0xa5}, 4096)) // of websites, which came last
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
				t.Errorf("a log of %d bytes waits to be moved into the file, %v", len(log), err)
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

func TestNewerFileWithALogIsNotTouched(t *testing.T) {
	cfg := filled(t, config(t))
	if err := mustOpen(t, cfg).migrate(t.Context(), later(t)); err != nil {
		t.Fatal(err)
	}
	// What a crash of the newer program leaves: the file, and a log that was not moved into it.
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
		"a folder that is not there": filepath.Join(dir, "none", "meta.sqlite"),
		"a folder instead of a file": dir,
	} {
		cfg := config(t)
		cfg.Path = path
		if s, err := Open(t.Context(), cfg); !errors.Is(err, store.ErrUnavailable) || s != nil {
			t.Errorf("%s: %v, %v", says, s, err)
		}
	}
}

func TestLockedByAnotherProcess(t *testing.T) {
	cfg := config(t)
	cfg.Wait = 50 * time.Millisecond
	s := mustOpen(t, cfg)
	key, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
	if err != nil {
		t.Fatal(err)
	}
	other := mustOpen(t, cfg)
	tx, err := other.write.BeginTx(t.Context(), nil) // immediate: it holds the write lock
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a write while another process writes: %v", err)
	}
	if err := s.RevokeKey(t.Context(), key.ID); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, auth.ErrNotFound) {
		t.Errorf("a revocation while another process writes: %v", err)
	}
	if _, err := s.KeyByDigest(t.Context(), secret.Digest(pepper)); err != nil {
		t.Errorf("a read while another process writes: %v", err)
	}
	if third, err := Open(t.Context(), cfg); err != nil {
		t.Errorf("opening while another process writes: %v", err)
	} else if err := third.Close(); err != nil {
		t.Error(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
		t.Errorf("a write after the other is done: %v", err)
	}
}

func TestLockedWhole(t *testing.T) {
	cfg := filled(t, config(t))
	cfg.Wait = 50 * time.Millisecond
	// Out of write-ahead mode one process can keep all others from reading too.
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

func TestEndedContext(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.CreateWebsite(ctx, store.Website{Owner: "acme", Domain: "a.example"}); !errors.Is(err, context.Canceled) {
			t.Errorf("CreateWebsite: %v", err)
		}
		if _, err := Open(ctx, cfg); !errors.Is(err, context.Canceled) {
			t.Errorf("Open: %v", err)
		}
		if sites, err := s.Websites(t.Context(), "acme"); err != nil || len(sites) != 0 {
			t.Errorf("Websites = %v, %v", sites, err)
		}
	})
}
