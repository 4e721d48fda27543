//go:build cgo

package command

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/backup"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// sentBatch is one request with events, named Name-0, Name-1 and so on.
type sentBatch struct {
	name         string
	began, ended time.Time // ended is zero if it was not acknowledged
}

const (
	batchEvents = 25
	senders     = 4
	eventRate   = 1000 // events a second, of all senders
)

// sendEvents sends events at eventRate until ctx ends, and returns what was sent.
func (p *process) sendEvents(ctx context.Context, t *testing.T, website, key string) []sentBatch {
	t.Helper()
	var mu sync.Mutex
	var all []sentBatch
	var work sync.WaitGroup
	for sender := range senders {
		work.Go(func() {
			tick := time.NewTicker(time.Second * batchEvents * senders / eventRate)
			defer tick.Stop()
			for i := 0; ctx.Err() == nil; i++ {
				one := sentBatch{name: fmt.Sprint(sender, "-", i), began: time.Now()}
				var items []string
				for n := range batchEvents {
					items = append(items, fmt.Sprintf(`{"websiteId":%q,"name":"%s-%d","eventId":"%[2]s-%[3]d"}`,
						website, one.name, n))
				}
				status, body := p.send(t, http.MethodPost, "/ingest/track", key, "["+strings.Join(items, ",")+"]")
				if status == http.StatusOK && strings.Count(body, `"success"`) > 0 {
					one.ended = time.Now()
				} else {
					t.Errorf("status %d: %.300s", status, body)
				}
				mu.Lock()
				all = append(all, one)
				mu.Unlock()
				<-tick.C
			}
		})
	}
	work.Wait()
	return all
}

// TestBackupUnderLoad makes backups of a server that receives 1 000 events a second, and restores them elsewhere. Each
// has every event that was acknowledged before its moment, and none that was sent later. SIGHTLINE_FOR is the duration.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	in, to := installed{dir: t.TempDir()}, t.TempDir()
	p := in.serve(t, "--limits", "off")
	in.do(t, "websites", "add", "--id", "w", "--domain", "one.example")
	key := in.secret(t, "keys", "add", "--id", "k", "--all", "--scope", "track:events")
	lasts := 3 * time.Second
	if text := os.Getenv("SIGHTLINE_FOR"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), lasts)
	defer stop()
	sent := make(chan []sentBatch, 1)
	go func() { sent <- p.sendEvents(ctx, t, "w", key) }()
	var made []backupView
	for ctx.Err() == nil || len(made) < 2 {
		time.Sleep(600 * time.Millisecond)
		var v backupView
		if err := json.Unmarshal([]byte(in.do(t, "backup", "--json", "--keep", "20", to)), &v); err != nil {
			t.Fatal(err)
		}
		made = append(made, v)
		time.Sleep(400 * time.Millisecond) // names of backups have whole seconds
	}
	all := <-sent
	p.stop(t)
	inside := 0
	for _, v := range made[max(0, len(made)-20):] {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, install.PepperFile),
			[]byte(read(t, filepath.Join(in.dir, install.PepperFile))), 0o600); err != nil {
			t.Fatal(err)
		}
		elsewhere := installed{dir: folder}
		elsewhere.do(t, "restore", v.Path)
		found := batchesIn(t, folder)
		for _, b := range all {
			n := found[b.name]
			delete(found, b.name)
			switch {
			case n != 0 && n != batchEvents:
				t.Errorf("%s has %d of %d events of batch %s", v.Path, n, batchEvents, b.name)
			case n == 0 && !b.ended.IsZero() && b.ended.Before(v.Moment):
				t.Errorf("%s of %v lacks batch %s, which was acknowledged at %v", v.Path, v.Moment, b.name, b.ended)
			case n > 0 && b.began.After(v.Moment):
				t.Errorf("%s of %v has batch %s, which was sent at %v", v.Path, v.Moment, b.name, b.began)
			case n > 0:
				inside++
			}
		}
		if len(found) > 0 {
			t.Errorf("%s has events that nobody sent: %v", v.Path, found)
		}
		t.Logf("backup of %v: %d bytes in %d ms, writes waited %d µs", v.Moment, v.Bytes, v.Milliseconds,
			v.StalledMicros)
	}
	if len(made) < 2 || inside == 0 {
		t.Errorf("%d backups with %d batches show nothing", len(made), inside)
	}
	last := all[len(all)-1].ended.Sub(all[0].began).Seconds()
	t.Logf("%d events in %.1f s", len(all)*batchEvents, last)

	// The last one serves: its keys and its audit trail are whole.
	elsewhere := installed{dir: filepath.Join(t.TempDir(), "last")}
	if out := elsewhere.do(t, "restore", to); !strings.Contains(out, "put the pepper into") {
		t.Errorf("restore does not ask for the pepper: %s", out)
	}
	pepper := filepath.Join(in.dir, install.PepperFile)
	elsewhere.do(t, "audit", "verify", "--pepper-file", pepper)
	again := elsewhere.serve(t, "--pepper-file", pepper)
	if status, body := again.send(t, http.MethodPost, "/ingest/track", key,
		`{"websiteId":"w","name":"0-0-0","eventId":"0-0-0"}`); status != 200 || !strings.Contains(body, "success") {
		t.Errorf("the restored server: status %d, %s", status, body)
	}
	again.stop(t)
	if n := batchesIn(t, elsewhere.dir)["0-0"]; n != batchEvents {
		t.Errorf("after an event was sent again there are %d events of its batch, want %d", n, batchEvents)
	}
}

// batchesIn counts the events of a folder by the names of their batches.
func batchesIn(t *testing.T, folder string) map[string]int {
	t.Helper()
	s, err := install.OpenFile(t.Context(), folder, embedded.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	rows, err := s.Query(t.Context(),
		store.Statement{Label: "names", SQL: "SELECT t.name AS name FROM events AS t",
			Kinds: []dialect.Kind{dialect.Text}})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, name := range rows.Columns[0].Texts {
		found[name[:strings.LastIndexByte(name, '-')]]++
	}
	return found
}

// startProgram starts a command in another process. It is killed when the test ends.
func (in installed) startProgram(t *testing.T, command ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], in.args(command...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// killWhen kills a process as soon as a file matches the pattern, and reports whether it found one, or came too late
// for a process that succeeded.
func killWhen(t *testing.T, cmd *exec.Cmd, pattern string) bool {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			_ = cmd.Process.Kill()
			<-ended
			return true
		}
		select {
		case err := <-ended:
			return err == nil
		default:
		}
	}
	return false
}

// TestKilledBackups kills backup and restore while they work. What they leave is never taken for complete, and the next
// call removes it. SIGHTLINE_LONG is the number of kills of each.
func TestKilledBackups(t *testing.T) {
	in, _ := withDataset(t)
	in.do(t, "owners", "add", "--id", "acme") // creates the records
	want, _ := in.export(t, 0, "--website", "site-1")
	for i := range storetest.Number(t, "SIGHTLINE_LONG", 2) {
		to := t.TempDir()
		if !killWhen(t, in.startProgram(t, "backup", to), filepath.Join(to, "*.partial")) {
			t.Fatal("the backup did not begin")
		}
		complete, incomplete, err := backup.List(to)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("kill %d: %d complete, %d incomplete", i, len(complete), len(incomplete))
		time.Sleep(time.Second) // names of backups have whole seconds
		in.do(t, "backup", to)
		if _, incomplete, err := backup.List(to); len(incomplete) > 0 || err != nil {
			t.Errorf("the next backup left %v, %v", incomplete, err)
		}
		elsewhere := installed{dir: filepath.Join(t.TempDir(), "new")}
		if !killWhen(t, elsewhere.startProgram(t, "restore", to), filepath.Join(elsewhere.dir, install.RestoreFile)) {
			t.Fatal("the restore did not begin")
		}
		if install.CheckRestored(elsewhere.dir) != nil { // else the kill came too late
			if _, errs, code := elsewhere.try(t, "serve", "--addr", "127.0.0.1:0", "--demo=false"); code != 1 ||
				!strings.Contains(errs, "run restore again") {
				t.Errorf("serve on a half restored folder: exit code %d, %s", code, errs)
			}
			elsewhere.do(t, "restore", to)
		}
		if got, _ := elsewhere.export(t, 0, "--website", "site-1"); got != want {
			t.Error("the restored events differ")
		}
	}
}

// A server makes regular backups. While they fail, GET /health names that, and still answers 200.
func TestRegularBackups(t *testing.T) {
	t.Parallel()
	in, to := installed{dir: t.TempDir()}, filepath.Join(t.TempDir(), "to")
	p := in.serve(t, "--backup-to", to)
	until(t, "a first backup", func() bool {
		all, _, err := backup.List(to)
		return len(all) == 1 && err == nil
	})
	if status, body := p.get(t, "/health", ""); status != 200 || strings.Contains(body, "backup") {
		t.Errorf("after a backup: status %d, %s", status, body)
	}
	p.stop(t)
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p = in.serve(t, "--backup-to", to)
	until(t, "a report of the failure", func() bool {
		status, body := p.get(t, "/health", "")
		return status == 200 && strings.Contains(body, `"checks":{"backup":false}`)
	})
	if !strings.Contains(p.errs.String(), "backup failed") {
		t.Errorf("the log does not have the failure: %s", p.errs)
	}
	out, _, code := in.try(t, "doctor")
	if code != 1 || !strings.Contains(out, "the last backup failed") {
		t.Errorf("doctor: exit code %d, %s", code, out)
	}
	p.stop(t)
	if _, errs, code := in.try(t, "serve", "--backup-to", to, "--clickhouse", "clickhouse://h/d"); code != 2 ||
		!strings.Contains(errs, "--backup-to is for events in the data folder") {
		t.Errorf("with ClickHouse: exit code %d, %s", code, errs)
	}
}

// until waits for at most a minute until done returns true.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there is not %s", what)
		}
	}
}
