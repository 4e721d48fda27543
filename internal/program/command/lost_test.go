//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/internal/program/install"
)

// refuses starts a server that must not start.
func (in installed) refuses(t *testing.T, says, want string, flags ...string) {
	t.Helper()
	_, errs, code := in.try(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--demo=false"}, flags...)...)
	if code != 1 || !strings.Contains(errs, want) {
		t.Errorf("%s: exit code %d, want 1 and %q: %s", says, code, want, errs)
	}
}

// track sends an event that must be stored.
func (p *process) track(t *testing.T, website, id string) {
	t.Helper()
	status, body := p.send(t, "POST", "/ingest/track", "",
		fmt.Sprintf(`{"websiteId":%q,"name":"hello","eventId":%q}`, website, id))
	if status != 200 || !strings.Contains(body, "success") {
		t.Fatalf("status %d: %s", status, body)
	}
}

// A server does not start without events that its records know, or with records that know nothing of its events.
func TestLostStores(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, in installed) {
		in.do(t, "websites", "add", "--id", "w", "--domain", "one.example")
		p := in.serve(t)
		p.track(t, "w", "1")
		p.stop(t)
		in.serve(t).stop(t)

		// an empty database of records
		other := in
		other.dsn = pgtest.Schema(t)
		other.refuses(t, "an empty database of records", "--new-records")
		if out, _, code := other.try(t, "doctor"); code != 1 || !strings.Contains(out,
			"has no websites of these events") {
			t.Errorf("doctor with an empty database of records: %d, %s", code, out)
		}
		other.do(t, "websites", "add", "--id", "x", "--domain", "two.example")
		other.refuses(t, "records of another installation", "--new-records")
		other.serve(t, "--new-records").stop(t)
		other.serve(t).stop(t)

		// a missing file of events
		file := filepath.Join(in.dir, install.EventsFile)
		if err := os.Rename(file, file+"-away"); err != nil {
			t.Fatal(err)
		}
		in.refuses(t, "a missing file of events", "--new-events")
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the server created the file: %v", err)
		}
		if out, _, code := in.try(t, "doctor"); code != 1 || !strings.Contains(out, "the records say that events") {
			t.Errorf("doctor without the file of events: %d, %s", code, out)
		}
		in.serve(t, "--new-events").stop(t)
		in.serve(t).stop(t)
	})
}

// A log that was cut, to nothing or between two commits, is not taken for a shorter one.
func TestACutLogIsRefused(t *testing.T) {
	t.Parallel()
	for _, events := range []int{0, 1} {
		in := installed{dir: t.TempDir()}
		in.do(t, "websites", "add", "--id", "w", "--domain", "one.example")
		p := in.serve(t)
		var size int64
		log := filepath.Join(in.dir, install.EventsFile+".wal")
		for i := range 3 {
			if i == events {
				size = 0
				if info, err := os.Stat(log); err == nil {
					size = info.Size()
				}
			}
			p.track(t, "w", fmt.Sprint(i))
		}
		copied := installed{dir: filepath.Join(t.TempDir(), "copy")} // as a killed server leaves it
		in.waitForMark(t)
		if err := os.Mkdir(copied.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{install.EventsFile, install.EventsFile + ".wal", install.RecordsFile,
			install.RecordsFile + "-wal", install.PepperFile} {
			copied.secretFile(t, filepath.Join(copied.dir, name), read(t, filepath.Join(in.dir, name)))
		}
		p.stop(t)
		log = filepath.Join(copied.dir, install.EventsFile+".wal")
		if err := os.Truncate(log, size); err != nil {
			t.Fatal(err)
		}
		copied.refuses(t, fmt.Sprintf("a log with %d events", events), "--new-events")
		if out, _, code := copied.try(t, "doctor"); code != 1 || !strings.Contains(out, "the records say that events") {
			t.Errorf("doctor with a log with %d events: %d, %s", events, code, out)
		}
		copied.serve(t, "--new-events").stop(t)
		copied.serve(t).stop(t)
	}
}

// waitForMark waits until the records have the mark of the newest events.
func (in installed) waitForMark(t *testing.T) {
	t.Helper()
	for ctx := t.Context(); ; {
		m, err := install.OpenRecords(ctx, in.dir, in.dsn, auth.Pepper{}, slog.New(slog.DiscardHandler), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		mark, err := m.Fact(ctx, "install:events")
		if err := errors.Join(err, m.Close(context.Background())); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(mark, `"website":"w"`) {
			return
		}
	}
}

// No command takes another pepper for the one of the records, and none creates one beside them.
func TestPepperOfTheRecords(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, in installed) {
		in.do(t, "websites", "add", "--id", "w", "--domain", "one.example")
		p := in.serve(t)
		key := in.secret(t, "keys", "add", "--id", "k", "--all")
		p.wants(t, "the key", "w", key, 200)
		p.stop(t)
		pepper := filepath.Join(in.dir, install.PepperFile)
		right := read(t, pepper)
		commands := [][]string{{"audit", "verify"}, {"keys", "add", "--id", "k2", "--all"}, {"keys", "rotate", "k"},
			{"keys", "token", "k"}, {"import", "--website", "w", in.file(t, "time,path\n")}}
		for _, state := range []struct{ says, text, want, doctor string }{
			{"another pepper", "another pepper of some length\n", "this is not the pepper of these records",
				"this is not the pepper"},
			{"no pepper", "", "does not exist, but the records belong to a pepper", "pepper is missing"},
		} {
			if err := os.Remove(pepper); err != nil {
				t.Fatal(err)
			}
			if state.text != "" {
				if err := os.WriteFile(pepper, []byte(state.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			in.refuses(t, state.says, state.want)
			for _, command := range commands {
				out, errs, code := in.try(t, command...)
				if code != 1 || !strings.Contains(errs, state.want) || strings.Contains(out+errs, "damage") {
					t.Errorf("%s: %v: exit code %d, %s%s; want %q", state.says, command, code, out, errs, state.want)
				}
			}
			if out, _, code := in.try(t, "doctor"); code != 1 || !strings.Contains(out, state.doctor) {
				t.Errorf("%s: doctor: %d, %s", state.says, code, out)
			}
			if state.text == "" {
				if _, err := os.Stat(pepper); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("a pepper was created beside the records: %v", err)
				}
				if err := os.WriteFile(pepper, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		// a leaked key can be revoked without the pepper
		in.secretFile(t, pepper, "another pepper of some length\n")
		if _, errs, code := in.try(t, "keys", "revoke", "k"); code != 1 || !strings.Contains(errs,
			"was made but could not be recorded") {
			t.Errorf("revoking with another pepper: %d, %s", code, errs)
		}
		// the right one, with a new line above it
		in.secretFile(t, pepper, "a new pepper of some length\n"+right)
		in.serve(t).stop(t)
		in.do(t, "audit", "verify")
		in.secretFile(t, pepper, right)
		in.serve(t).stop(t) // a server that has not got the new line yet
		// a lost one
		in.secretFile(t, pepper, "a third pepper of some length\n")
		in.refuses(t, "a third pepper", "this is not the pepper")
		in.serve(t, "--new-pepper").stop(t)
		fresh := in.secret(t, "keys", "add", "--id", "k3", "--all")
		p = in.serve(t, "--new-pepper") // has nothing to do any more
		p.wants(t, "a key of the new pepper", "w", fresh, 200)
		p.stop(t)
		if v, code := in.verify(t); code != 0 || v.Entries == 0 {
			t.Errorf("the trail since the new pepper: %d, %+v", code, v)
		}
	})
}

// secretFile replaces a file.
func (in installed) secretFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
