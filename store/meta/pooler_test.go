package meta

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestSessionAttributes opens records with every value of target_session_attrs: each leads to the server that
// accepts changes.
func TestSessionAttributes(t *testing.T) {
	for _, value := range []string{"any", "read-write", "read-only", "primary", "standby", "prefer-standby"} {
		s := mustOpen(t, with(t, configPostgres(t), param("target_session_attrs", value)))
		if _, err := s.Salt(t.Context(), noon); err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// TestPooler uses records through PgBouncer with its default settings, in transaction mode, with fewer connections
// to PostgreSQL than the stores have. No store leaves a trace in a session that another one would find.
func TestPooler(t *testing.T) {
	cfg := patient()
	cfg.DSN = pooled(t)
	var stores []*Store
	var opening sync.WaitGroup
	var mu sync.Mutex
	for range 3 { // they migrate at the same time
		opening.Go(func() {
			s, err := Open(t.Context(), cfg)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			stores = append(stores, s)
		})
	}
	opening.Wait()
	for _, s := range stores {
		t.Cleanup(func() { _ = s.Close(context.Background()) })
	}
	if t.Failed() {
		return
	}
	if _, err := stores[0].EnsureOwner(t.Context(), Owner{ID: "acme"}); err != nil {
		t.Fatal(err)
	}
	var working sync.WaitGroup
	for i, s := range stores {
		for range 4 {
			working.Go(func() {
				for range 20 {
					k, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
					if err == nil {
						_, err = stores[(i+1)%len(stores)].Key(t.Context(), k.ID)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	working.Wait()
	if keys, err := stores[0].Keys(t.Context(), "acme"); err != nil || len(keys) != 240 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
}

// pooled starts PgBouncer before a new database, and returns the address of the database through it.
func pooled(t *testing.T) (dsn string) {
	t.Helper()
	db := pgtest.Open(t)
	program := testenv.Program(t, "pgbouncer")
	name := "pooled_" + strings.ToLower(t.Name()) + fmt.Sprint(time.Now().UnixNano())
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(os.Getenv("POSTGRES_DSN"))
	if err != nil {
		t.Fatal("POSTGRES_DSN is not a valid address") // the error would show the password
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().(*net.TCPAddr)
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	password, _ := to.User.Password()
	dir := t.TempDir()
	files := map[string]string{
		"users": fmt.Sprintf("%q %q\n", to.User.Username(), password),
		"ini": fmt.Sprintf("[databases]\n* = host=%s port=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = trust\n"+
			"auth_file = %s\npool_mode = transaction\ndefault_pool_size = 4\nserver_tls_sslmode = disable\n",
			to.Hostname(), to.Port(), at.Port, filepath.Join(dir, "users")),
	}
	for file, text := range files {
		// PgBouncer runs as another user.
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{filepath.Join(dir, "ini")}
	if os.Getuid() == 0 { // PgBouncer refuses to run as root
		for folder := dir; folder != os.TempDir() && len(folder) > 1; folder = filepath.Dir(folder) {
			if err := os.Chmod(folder, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		args = append([]string{"-u", "nobody"}, args...)
	}
	pooler := exec.Command(program, args...)
	var log strings.Builder
	pooler.Stderr = &log
	if err := pooler.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pooler.Process.Kill()
		_ = pooler.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
		if _, err := pgtest.Open(t).Exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	for try := 0; ; try++ {
		c, err := net.Dial("tcp", at.String())
		if err == nil {
			_ = c.Close()
			break
		}
		if try == 200 {
			t.Fatal("pgbouncer does not listen")
		}
		time.Sleep(50 * time.Millisecond)
	}
	to.Host, to.Path, to.RawQuery = at.String(), "/"+name, "sslmode=disable"
	return to.String()
}
