//go:build cgo

package command

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"

	"github.com/sightline-analytics/sightline/internal/program/install"
)

// A pageOf is the output of audit list --json.
type pageOf struct {
	Entries []entryView
	Next    *string
}

// requests returns the number of requests that the entries of p stand for.
func (p pageOf) requests() (n int) {
	for _, e := range p.Entries {
		n += e.Requests
	}
	return n
}

func (in installed) audit(t *testing.T, flags ...string) (p pageOf) {
	t.Helper()
	if err := json.Unmarshal([]byte(in.do(t, append([]string{"audit", "list", "--json"}, flags...)...)),
		&p); err != nil {
		t.Fatal(err)
	}
	return p
}

// verify runs audit verify and returns its findings and exit status.
func (in installed) verify(t *testing.T, flags ...string) (v verdict, code int) {
	t.Helper()
	out, errs, code := in.try(t, append([]string{"audit", "verify", "--json"}, flags...)...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	if (code == 3) != strings.Contains(errs, "damaged") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
	return v, code
}

// TestAudit reads the entries of a server, page by page, and then damages the trail.
func TestAudit(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, in installed) {
		p := in.serve(t)
		in.do(t, "owners", "add", "--id", "north")
		in.do(t, "websites", "add", "--id", "w1", "--owner", "north", "--domain", "one.example")
		key := in.secret(t, "keys", "add", "--id", "k", "--owner", "north", "--resource", "website:w1")
		for range 5 {
			p.wants(t, "its own", "w1", key, 200)
		}
		p.wants(t, "another's", "w2", key, 403)
		if v, code := in.verify(t); code != 0 || !v.OK {
			t.Errorf("while the server runs: %d, %+v", code, v)
		}
		p.wants(t, "a bad one", "w1", "sl_wrong", 401)
		p.get(t, "/v1/query/websites", in.secret(t, "keys", "add", "--all"))
		p.stop(t)

		var outcomes []string
		flags := []string{"--key", "k", "--limit", "2"}
		for page := in.audit(t, flags...); ; page = in.audit(t, append(flags, "--after", *page.Next)...) {
			for _, e := range page.Entries {
				what := e.Route
				if e.Resource != nil {
					what = e.Resource.Kind + ":" + e.Resource.ID
				}
				for range e.Requests { // equal uses within a second share an entry
					outcomes = append(outcomes, fmt.Sprintf("%s %d %s", e.Outcome, e.Status, what))
				}
			}
			if page.Next == nil {
				break
			}
		}
		yes := "allowed 200 website:w1"
		if diff := cmp.Diff([]string{"refused 403 website:w2", yes, yes, yes, yes, yes, "allowed 0 keys add"},
			outcomes); diff != "" {
			t.Errorf("uses of the key, the newest first: %s", diff)
		}
		tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
		for _, row := range []struct {
			says  string
			flags []string
			want  int
		}{
			{"all", nil, 10},
			{"of an owner", []string{"--owner", "north"}, 7},
			{"of an owner without uses", []string{"--owner", "south"}, 0},
			{"of the last hour", []string{"--since", "1h"}, 10},
			{"from tomorrow on", []string{"--since", tomorrow}, 0},
			{"before tomorrow", []string{"--until", tomorrow}, 10},
			{"before the last hour", []string{"--until", "1h"}, 0},
		} {
			if got := in.audit(t, row.flags...).requests(); got != row.want {
				t.Errorf("%s: entries have %d requests, want %d", row.says, got, row.want)
			}
		}
		if v, code := in.verify(t); code != 0 || v.Entries != int64(len(in.audit(t).Entries)) || v.Heads != 3 {
			t.Errorf("after the server ended: %d, %+v", code, v)
		}
		in.damage(t)
	})
}

// damage changes the trail in several ways. Verification must find each.
func (in installed) damage(t *testing.T) {
	t.Helper()
	for _, row := range []struct {
		says       string
		statements []string
		finds      string
	}{
		{"an entry with another website",
			[]string{"UPDATE audit_pages SET entries = replace(entries, '\"w2\"', '\"w1\"')"}, "altered"},
		{"all entries deleted", []string{"DELETE FROM audit_pages", "DELETE FROM audit_uses"}, "removed"},
		{"everything deleted", []string{
			"DELETE FROM audit_pages", "DELETE FROM audit_uses", "DELETE FROM audit_chains",
		}, "the chain is missing"},
	} {
		in.change(t, row.statements...)
		v, code := in.verify(t)
		if code != 3 || v.OK || len(v.Problems) == 0 || !strings.Contains(fmt.Sprint(v.Problems), row.finds) {
			t.Errorf("%s: exit code %d, %+v", row.says, code, v)
		}
		out, _, code := in.try(t, "audit", "verify")
		if code != 3 || !strings.Contains(out, "damage: ") || strings.Contains(out, "verified") {
			t.Errorf("%s, without --json: exit code %d, %s", row.says, code, out)
		}
	}
	if v, code := in.verify(t, "--heads", in.file(t, `{"heads":[]}`)); code != 0 || v.Entries != 0 {
		t.Errorf("without heads, want no damage: %d, %+v", code, v)
	}
	if _, errs, code := in.try(t, "audit", "verify", "--heads", in.file(t, "{")); code != 1 ||
		!strings.Contains(errs, "is damaged") {
		t.Errorf("a damaged file of heads: %d, %s", code, errs)
	}
}

// file creates a file with a text.
func (in installed) file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// change runs statements on the relational store.
func (in installed) change(t *testing.T, statements ...string) {
	t.Helper()
	driver, source := "sqlite", filepath.Join(in.dir, install.RecordsFile)
	if in.dsn != "" {
		driver, source = "pgx", in.dsn
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// recordAt records a use at an instant, as a server would have done.
func (in installed) recordAt(t *testing.T, instant time.Time) {
	t.Helper()
	now, log := func() time.Time { return instant }, slog.New(slog.DiscardHandler)
	pepper, pepperErr := install.Pepper(t.Context(), in.dir, in.dsn, "", log, now)
	records, recordsErr := install.OpenRecords(t.Context(), in.dir, in.dsn, pepper, log, now)
	heads, headsErr := install.OpenHeads(filepath.Join(in.dir, install.HeadsFile), 0, now, log)
	if err := errors.Join(pepperErr, recordsErr, headsErr); err != nil {
		t.Fatal(err)
	}
	w, err := audit.New(t.Context(),
		audit.Config{Log: records.Audit(), Pepper: pepper, Now: now, Logger: log,
			Options: audit.Options{OnHead: heads.Keep}})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Record(t.Context(), auth.Entry{Time: instant, Status: 200})
	if err := errors.Join(err, w.Close(t.Context()), heads.Close(), records.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
}

// TestAuditRetention deletes entries older than --audit-keep and verifies the rest.
func TestAuditRetention(t *testing.T) {
	t.Parallel()
	in := installed{dir: t.TempDir()}
	in.recordAt(t, time.Now().Add(-100*oneDay))
	in.recordAt(t, time.Now().Add(-80*oneDay))
	if v, code := in.verify(t); code != 0 || v.Entries != 2 || v.Heads != 2 {
		t.Errorf("before: %d, %+v", code, v)
	}
	p := in.serve(t, "--audit-keep", "90d")
	p.get(t, "/v1/query/websites", in.secret(t, "keys", "add", "--all"))
	for began := time.Now(); len(in.audit(t, "--until", "90d").Entries) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("old entries were not deleted: %s", p.errs)
		}
	}
	p.stop(t)
	if v, code := in.verify(t); code != 0 || v.Entries != 3 || v.Heads != 3 {
		t.Errorf("after: %d, %+v", code, v)
	}
	for _, bad := range []string{"1h", "-1d", "90"} {
		if _, errs, code := in.try(t, "serve", "--audit-keep", bad); code != 2 ||
			!strings.Contains(errs, "audit-keep") {
			t.Errorf("--audit-keep %s: exit code %d, %s", bad, code, errs)
		}
	}
}

// A server does not overwrite a damaged file of heads.
func TestDamagedHeads(t *testing.T) {
	t.Parallel()
	in := installed{dir: t.TempDir()}
	file := filepath.Join(in.dir, install.HeadsFile)
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs, code := in.try(t, "serve", "--addr", "127.0.0.1:0", "--demo=false", "--new-records")
	if code != 1 || !strings.Contains(errs, "verify the trail, then move the file away") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if text := read(t, file); text != "x" {
		t.Errorf("the file was changed to %q", text)
	}
}
