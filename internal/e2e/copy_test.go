//go:build cgo

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestCopy copies a DuckDB file to ClickHouse, is killed twice, continues and verifies. Then the verification must find
// a deleted row and a changed row. SIGHTLINE_COPY_EVENTS is the number of events.
func TestCopy(t *testing.T) {
	t.Parallel()
	dsn, conn := emptyClickHouse(t)
	dir := t.TempDir()
	events := storetest.Number(t, "SIGHTLINE_COPY_EVENTS", 4_000)
	rows := fillFile(t, dir, events)
	began := time.Now()
	var there int64
	for _, percent := range []int{15, 50} {
		killCopy(t, percent, "--data", dir, "--to", dsn, "--rows", strconv.Itoa(events/20))
		now := countRows(t, conn)
		if now <= there || now >= rows {
			t.Fatalf("killed after %d %%: %d rows of %d are stored, %d before", percent, now, rows, there)
		}
		there = now
		t.Logf("killed: %d rows of %d are stored", there, rows)
	}
	out, errs, code := runCopy(t, dir, dsn)
	if code != 0 || !strings.Contains(out, fmt.Sprintf("verified: %d rows of 3 websites", rows)) {
		t.Fatalf("exit code %d, %s\n%s", code, out, errs)
	}
	// A kill loses only rows in transit, not stored rows.
	if n := number(t, out, `copied now: (\d+) rows`); n > rows-there || n < 1 {
		t.Errorf("the last run copied %d rows, when %d of %d were stored", n, there, rows)
	}
	if got := countRows(t, conn); got != rows {
		t.Errorf("%d rows are stored, want %d", got, rows)
	}
	t.Logf("copied %d rows in %s, with two kills", rows, time.Since(began).Round(time.Second))
	t.Run("damage is found", func(t *testing.T) { testDamage(t, dir, dsn, conn) })
}

// testDamage removes a row of the target and changes another.
func testDamage(t *testing.T, dir, dsn string, conn driver.Conn) {
	exec := func(statement string) { chtest.Exec(t, conn, statement+" SETTINGS mutations_sync = 2") }
	day := func(table string) (id, day string) {
		t.Helper()
		row := conn.QueryRow(t.Context(),
			"SELECT event_id, toString(toDate(fromUnixTimestamp64Milli(time, 'UTC'))) FROM "+table+
				" ORDER BY event_id LIMIT 1")
		if err := row.Scan(&id, &day); err != nil {
			t.Fatal(err)
		}
		return id, day
	}
	removed, removedDay := day("events")
	changed, changedDay := day("spans")
	exec("ALTER TABLE events DELETE WHERE event_id = '" + removed + "'")
	exec("ALTER TABLE spans UPDATE clicks = clicks + 1 WHERE event_id = '" + changed + "'")
	for _, row := range []struct {
		name  string
		args  []string
		wants []string
		code  int
	}{
		{"both differences are reported", []string{"--verify"}, []string{
			`differs: events of website \S+ on ` + removedDay + `: \d+ rows here, \d+ there`,
			`differs: spans of website \S+ on ` + changedDay + `: \d+ rows on both sides, of different contents`,
		}, 1},
		{"a missing row is copied, a changed row is not", nil, []string{
			`copied now: \d+ rows`, `differs: spans of website \S+ on ` + changedDay,
		}, 1},
	} {
		out, errs, code := runCopy(t, dir, dsn, row.args...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if code != row.code || len(lines) != len(row.wants) {
			t.Fatalf("%s: exit code %d, %d lines, want %d:\n%s%s", row.name, code, len(lines), len(row.wants), out,
				errs)
		}
		for i, want := range row.wants {
			if !regexp.MustCompile(want).MatchString(lines[i]) {
				t.Errorf("%s: %q, want %q in it", row.name, lines[i], want)
			}
		}
	}
	exec("ALTER TABLE spans DELETE WHERE event_id = '" + changed + "'")
	if out, errs, code := runCopy(t, dir, dsn); code != 0 || !strings.Contains(out, "verified") {
		t.Errorf("after the changed row was deleted: exit code %d\n%s%s", code, out, errs)
	}
}

// TestCopyBesideAServer copies the data of a running server, and the rest after the server ended. Then a server on
// ClickHouse must give the same answers as the file.
func TestCopyBesideAServer(t *testing.T) {
	t.Parallel()
	dsn, _ := emptyClickHouse(t)
	dir := t.TempDir()
	p := empty(t, dir)
	send := func(prefix string, n int) {
		for i := range n {
			mustTrack(t, p.ready, "/track", object{"name": "moved", "eventId": prefix + strconv.Itoa(i)})
		}
	}
	copied := func(want int64) {
		t.Helper()
		out, errs, code := runCopy(t, dir, dsn)
		if code != 0 || number(t, out, `copied now: (\d+) rows`) != want {
			t.Fatalf("exit code %d, want %d rows carried over\n%s%s", code, want, out, errs)
		}
	}
	send("a", 5)
	copied(5)
	send("b", 3)
	p.stop(t)
	copied(3)
	if info, err := os.Stat(filepath.Join(dir, "control.sock")); err == nil {
		t.Errorf("a server that ended left its socket behind: %s", info.Mode())
	}
	p = p.restart(t, dir, "--clickhouse", dsn)
	send("a", 5) // sent again after the move: must still count as repeats
	send("c", 2)
	rows := ask(t, p.ready, websiteOf(p.ready), "custom_events", object{})
	if len(rows) != 1 || fmt.Sprint(rows[0]["total_events"]) != "10" {
		t.Errorf("after the move: %v, want 10 events", rows)
	}
	p.stop(t)
}

// fillFile creates a DuckDB file with events and other rows, some with repeated ids, and returns the number of rows.
func fillFile(t *testing.T, dir string, events int) int64 {
	t.Helper()
	s, err := duckdb.Open(t.Context(), duckdb.Config{Path: filepath.Join(dir, "analytics.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	traffic := demo.New(demo.Config{Seed: 5, Website: "site", Domain: "shop.example", Link: "link", Schedule: "monitor",
		PerDay: 2000})
	written := 0
	for at := time.Date(2026, 8, 29, 0, 0, 0, 0, time.UTC); written < events; at = at.Add(12 * time.Hour) {
		b := traffic.Batch(at, at.Add(12*time.Hour))
		written += len(b.Events)
		if _, err := s.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		again := b.Events[:10]
		for i := range again {
			again[i].Time = again[i].Time.Add(40 * 24 * time.Hour)
		}
		if err := s.Restore(t.Context(), "again", &store.Batch{Events: again}); err != nil {
			t.Fatal(err)
		}
	}
	report, err := transfer.Verify(t.Context(), s, s, transfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return report.Rows
}

func runCopy(t *testing.T, dir, dsn string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runWithin(t, 15*time.Minute, append([]string{"copy", "--data", dir, "--to", dsn}, args...)...)
}

// killCopy runs copy and kills it when its output reports a percentage.
func killCopy(t *testing.T, percent int, args ...string) {
	t.Helper()
	cmd := command(append([]string{"copy"}, args...)...)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // may have ended already
	said := bufio.NewScanner(pipe)
	said.Buffer(nil, 1<<20)
	shown := regexp.MustCompile(`^copying: +(\d+) %`)
	var last []string
	for said.Scan() {
		last = append(last, said.Text())
		if m := shown.FindStringSubmatch(said.Text()); m != nil {
			if n, _ := strconv.Atoi(m[1]); n >= percent {
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // the error says that it was killed
				return
			}
		}
	}
	t.Fatalf("copy ended before %d %%: %v\n%s", percent, cmd.Wait(), strings.Join(last, "\n"))
}

// number returns the number that pattern matches in text.
func number(t *testing.T, text, pattern string) int64 {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%q, want %q in it", text, pattern)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// countRows counts the rows of all tables with direct SQL.
func countRows(t *testing.T, conn driver.Conn) int64 {
	t.Helper()
	return int64(chtest.Number(t, conn,
		"SELECT (SELECT count() FROM events) + (SELECT count() FROM errors) + (SELECT count() FROM vitals)"+
			" + (SELECT count() FROM spans) + (SELECT count() FROM visits) + (SELECT count() FROM checks) + (SELECT count() FROM blocked)"))
}
