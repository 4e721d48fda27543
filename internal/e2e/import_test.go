//go:build cgo

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/accesslog"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestImport imports a generated access log, is killed twice on the way, and continues. Then the API must show the
// totals of the generator. SIGHTLINE_IMPORT_LINES is the number of lines.
func TestImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := empty(t, dir)
	p.stop(t)
	log := writeLog(t)
	importKilled(t, log, dir, "--website", p.WebsiteID)
	p = p.restart(t, dir)
	log.check(t, p.ready)
	p.stop(t)
}

// TestImportIntoAServer is TestImport with a server that runs on the data folder.
func TestImportIntoAServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := empty(t, dir)
	log := writeLog(t)
	importKilled(t, log, dir, "--website", p.WebsiteID)
	log.check(t, p.ready)
	p.stop(t)
}

// TestImportIntoClickHouse is TestImport with events in ClickHouse.
func TestImportIntoClickHouse(t *testing.T) {
	t.Parallel()
	dsn, _ := emptyClickHouse(t)
	dir := t.TempDir()
	p := empty(t, dir, "--clickhouse", dsn)
	log := writeLog(t)
	importKilled(t, log, dir, "--website", p.WebsiteID, "--clickhouse", dsn)
	log.check(t, p.ready)
	p.stop(t)
}

// A generatedLog is the file of an access log with its totals.
type generatedLog struct {
	file string
	size int64
	accesslog.Totals
}

func writeLog(t *testing.T) generatedLog {
	t.Helper()
	g := generatedLog{file: filepath.Join(t.TempDir(), "access.log")}
	f, err := os.Create(g.file)
	if err != nil {
		t.Fatal(err)
	}
	lines := storetest.Number(t, "SIGHTLINE_IMPORT_LINES", 20_000)
	g.Totals, err = accesslog.Write(f, accesslog.Options{
		Lines: lines, Seed: 3, From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Days: min(20, 2+lines/100_000),
	})
	if err == nil {
		g.size, err = f.Seek(0, 2)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// importKilled imports the log, and is killed when a quarter and when half of it is stored.
func importKilled(t *testing.T, log generatedLog, dir string, args ...string) {
	t.Helper()
	args = append([]string{"import", log.file, "--data", dir, "--rows",
		strconv.Itoa(max(200, min(10_000, int(log.Lines)/50)))}, args...)
	for _, share := range []int64{4, 2} {
		cmd := command(args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for storedOf(dir) < log.size/share {
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Fatal("the import ended before it was killed")
		}
	}
	began := time.Now()
	out, errs, code := runWithin(t, 30*time.Minute, args...)
	t.Logf("the last part took %s:\n%s", time.Since(began).Round(time.Millisecond), out)
	want := fmt.Sprintf("taken: %d of %d records, as %[1]d rows\n", log.Pageviews, log.Lines)
	if code != 4 || !strings.Contains(out, want) { // damaged lines
		t.Fatalf("exit code %d, want %q\n%s%s", code, want, out, errs)
	}
	for reason, n := range map[string]int64{"could not be read": log.Damaged, "robots and programs": log.Robots,
		"not GET requests": log.Methods, "redirects and errors": log.Errors} {
		if want := fmt.Sprintf("skipped: %d %s\n", n, reason); n == 0 || !strings.Contains(out, want) {
			t.Errorf("want %q in the report", want)
		}
	}
	if out, errs, code := run(t, args...); code != 0 || !strings.Contains(out, "imported before") {
		t.Errorf("again: exit code %d\n%s%s", code, out, errs)
	}
}

// storedOf returns how far the only import in a folder is stored, in bytes.
func storedOf(dir string) int64 {
	files, _ := filepath.Glob(filepath.Join(dir, "import-*.json"))
	var progress struct{ Sources []struct{ Done int64 } }
	for _, file := range files {
		text, _ := os.ReadFile(file)
		_ = json.Unmarshal(text, &progress) // an incomplete file has no sources
	}
	if len(progress.Sources) == 0 {
		return -1
	}
	return progress.Sources[0].Done
}

// check compares answers of the API with the totals.
func (g *generatedLog) check(t *testing.T, r ready) {
	t.Helper()
	all := object{"startDate": "2026-11-01", "endDate": "2026-11-20", "preset": nil}
	total := ask(t, r, websiteOf(r), "summary_metrics", all)[0]
	for column, want := range map[string]int64{"pageviews": g.Pageviews, "visitors": g.Visitors,
		"sessions": g.Sessions} {
		if total[column] != float64(want) {
			t.Errorf("%s = %v, want %d (%v)", column, total[column], want, total)
		}
	}
	for _, c := range []struct {
		parameter, name, count string
		want                   map[string]int64
	}{{"pages", "path", "pageviews", g.Pages}, {"browser_name", "name", "pageviews", g.Browsers},
		{"events_by_date", "date", "pageviews", g.Days}} {
		rows := ask(t, r, websiteOf(r), c.parameter,
			object{"startDate": "2026-11-01", "endDate": "2026-11-20", "preset": nil, "limit": 1000})
		if c.parameter != "events_by_date" && len(rows) != len(c.want) { // a series also has days without events
			t.Errorf("%s: %d rows, want %d", c.parameter, len(rows), len(c.want))
		}
		for _, row := range rows {
			if want := float64(c.want[fmt.Sprint(row[c.name])]); row[c.count] != want {
				t.Errorf("%s: %v, want %v", c.parameter, row, want)
			}
		}
	}
}
