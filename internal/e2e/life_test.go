//go:build cgo

package e2e

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// empty starts the program without a demo, and creates a website and a key for everything.
func empty(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := start(t, dir, append(args, "--demo=false")...)
	p.equip(t, dir)
	return p
}

// equip creates a website and a key for everything.
func (p *process) equip(t *testing.T, dir string) {
	t.Helper()
	p.WebsiteID, p.Key = addWebsite(t, dir, "Shop", "shop.example"), createKey(t, dir)
}

// restart starts the program again on the data of empty, with the same website and key.
func (p *process) restart(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	again := start(t, dir, append(args, "--demo=false")...)
	again.WebsiteID, again.Key = p.WebsiteID, p.Key
	return again
}

// createKey creates a key with the scopes and limits of the demo key, for everything or for the resources in opens.
func createKey(t *testing.T, dir string, opens ...string) string {
	t.Helper()
	if len(opens) == 0 {
		opens = []string{"--all"}
	}
	args := append([]string{"keys", "add", "--data", dir, "--limit", "60000"}, opens...)
	for _, scope := range auth.Scopes() {
		args = append(args, "--scope", string(scope))
	}
	out, errs, code := run(t, args...)
	if code != 0 {
		t.Fatalf("keys add: exit code %d, %q", code, errs)
	}
	return strings.TrimSpace(out)
}

// addWebsite runs websites add, with or without a running server.
func addWebsite(t *testing.T, dir, name, domain string) string {
	t.Helper()
	out, errs, code := run(t, "websites", "add", "--data", dir, "--name", name, "--domain", domain, "--json")
	var added struct{ ID string }
	if err := json.Unmarshal([]byte(out), &added); code != 0 || err != nil || added.ID == "" {
		t.Fatalf("websites add: exit code %d, %q, %q, %v", code, out, errs, err)
	}
	return added.ID
}

func TestAnEmptyInstall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := empty(t, dir)
	t.Run("no key is made but by the command", func(t *testing.T) {
		out, _, code := run(t, "keys", "list", "--data", dir, "--json")
		if code != 0 || strings.Count(out, `"state"`) != 1 || strings.Contains(p.line, `"key":"sl_`) {
			t.Errorf("exit code %d, %s; it printed %s", code, out, p.line)
		}
	})
	t.Run("a website added beside the server takes events", func(t *testing.T) {
		mustTrack(t, p.ready, "/", object{"name": "screen_view", "eventId": "1", "path": "https://shop.example/hello"})
		rows := ask(t, p.ready, "website_id="+p.WebsiteID, "pages", nil)
		if len(rows) != 1 || rows[0]["path"] != "/hello" {
			t.Errorf("want the one page /hello, got %v", rows)
		}
	})
	t.Run("the list of websites holds it alone", func(t *testing.T) {
		out, _, code := run(t, "websites", "list", "--data", dir, "--json")
		if code != 0 || strings.Count(out, p.WebsiteID) != 1 || strings.Count(out, `"domain"`) != 1 {
			t.Errorf("exit code %d, %s", code, out)
		}
	})
	p.stop(t)
	t.Run("a clean end keeps the data and the key", func(t *testing.T) {
		again := p.restart(t, dir)
		rows := ask(t, again.ready, websiteOf(again.ready), "pages", nil)
		if len(rows) != 1 || rows[0]["path"] != "/hello" {
			t.Errorf("after a restart: %v, want the one page /hello", rows)
		}
		again.stop(t)
	})
}

// TestTrackAddress serves tracking on a separate address, and there nothing else.
func TestTrackAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := empty(t, dir, "--track-addr", "127.0.0.1:0")
	if strings.HasPrefix(p.TrackAddress, p.Address) {
		t.Fatalf("tracking at %s, the API at %s: want two addresses", p.TrackAddress, p.Address)
	}
	mustTrack(t, p.ready, "/", object{"name": "screen_view", "eventId": "1", "path": "https://shop.example/a"})
	beside := p.ready
	beside.TrackAddress = p.Address + "/ingest"
	mustTrack(t, beside, "/", object{"name": "screen_view", "eventId": "2", "path": "https://shop.example/b"})
	if rows := ask(t, p.ready, "website_id="+p.WebsiteID, "pages", nil); len(rows) != 2 {
		t.Errorf("want two pages, got %v", rows)
	}
	p.stop(t)
}

// TestErrorsAreOneLine makes mistakes of operators. Each error must be one line.
func TestErrorsAreOneLine(t *testing.T) {
	t.Parallel()
	free := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	held := t.TempDir()
	holder := start(t, held, "--demo=false")
	folder := func(name, content string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	serve := func(data string, more ...string) []string {
		return append([]string{"serve", "--demo=false", "--addr", "127.0.0.1:0", "--data", data}, more...)
	}
	nonsense := strings.Repeat("this is no database. ", 500)
	for _, row := range []struct {
		name string
		args []string
		want string // part of the line
		code int
	}{
		{"an unknown command", []string{"server"}, "unknown command", 2},
		{"an unknown flag", serve(free, "--adress", "x"), "-adress", 2},
		{"an argument too many", serve(free, "now"), "unexpected argument now", 2},
		{"an address that is none", serve(free, "--addr", "nowhere"), "--addr", 2},
		{"a port that is none", serve(free, "--track-addr", "127.0.0.1:99999"), "--track-addr", 2},
		{"a network that is none", serve(free, "--trusted-proxy", "10.0.0.0/99"), "trusted-proxy", 2},
		{"an origin that is none", serve(free, "--cors-origin", "panel"), "cors-origin", 2},
		{"limits by a factor that is none", serve(free, "--limits", "fast"), "factor", 2},
		{"limits by a factor of nothing", serve(free, "--limits", "0"), "factor", 2},
		{"a cache in part", serve(free, "--result-cache", "some"), "--result-cache must be", 2},
		{"a website without a domain", []string{"websites", "add", "--data", free, "--name", "x"}, "--domain", 2},
		{"an address in use", serve(free, "--addr", taken.Addr().String()), "in use", 1},
		{"a data folder in use", serve(held), "another process", 1},
		{"a data folder that is a file", serve(filepath.Join(folder("file", ""), "file")), "data folder", 1},
		{"a corrupt analytics file", serve(folder("analytics.duckdb", nonsense)), "analytics.duckdb", 1},
		{"a corrupt relational file", serve(folder("meta.sqlite", nonsense)), "meta.sqlite", 1},
		{"a GeoIP file that is not there", serve(free, "--geoip", filepath.Join(free, "none.mmdb")), "geoip", 1},
		{"a GeoIP file that is none", serve(free, "--geoip", filepath.Join(folder("x.mmdb", nonsense), "x.mmdb")),
			"geoip", 1},
		{"a pepper that is too short", serve(free, "--pepper-file", filepath.Join(folder("p", "short"), "p")), "pepper",
			1},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, errs, code := run(t, row.args...)
			if code != row.code || out != "" {
				t.Errorf("exit code %d, stdout %q; want %d and nothing", code, out, row.code)
			}
			line := strings.TrimSuffix(errs, "\n")
			if strings.Contains(line, "\n") || !strings.HasPrefix(line, "sightline: ") ||
				!strings.Contains(line, row.want) {
				t.Errorf("want one line with %q, got:\n%s", row.want, errs)
			}
		})
	}
	t.Run("whoever held the folder is not disturbed", func(t *testing.T) {
		holder.WebsiteID = addWebsite(t, held, "Shop", "shop.example")
		mustTrack(t, holder.ready, "/", object{"name": "screen_view", "eventId": "1", "path": "https://shop.example/"})
		holder.stop(t)
	})
}

// TestDemoIsMadeOnce kills the program repeatedly while it generates the demo, and compares the result with an
// undisturbed demo. SIGHTLINE_LONG is the number of kills. The tests TestFill… in example cover the filler.
func TestDemoIsMadeOnce(t *testing.T) {
	t.Parallel()
	testenv.Night(t, "demo")
	kills := storetest.Number(t, "SIGHTLINE_LONG", 3)
	troubled, calm := t.TempDir(), t.TempDir()
	for range kills {
		p := launch(t, troubled, "--json")
		time.Sleep(700 * time.Millisecond)
		p.kill(t)
	}
	start(t, troubled).stop(t)
	one, other := start(t, troubled), start(t, calm)
	for _, q := range []struct{ subject, parameter string }{
		{"website_id=" + one.WebsiteID, "summary"},
		{"website_id=" + one.WebsiteID, "custom_events"},
		{"website_id=" + one.WebsiteID, "performance"},
		{"website_id=" + one.WebsiteID, "errors"},
		{"link_id=" + one.LinkID, "link_clicks_by_day"},
		{"schedule_id=" + one.ScheduleID, "uptime_time_series"},
	} {
		t.Run(q.parameter, func(t *testing.T) {
			days := object{"preset": nil, "startDate": day(-85), "endDate": day(-2)}
			got, want := ask(t, one.ready, q.subject, q.parameter, days),
				ask(t, other.ready, q.subject, q.parameter, days)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("undisturbed demo (-) and killed demo (+) differ:\n%s", diff)
			}
			if len(got) < 5 {
				t.Errorf("only %d rows", len(got))
			}
		})
	}
	one.stop(t)
	other.stop(t)
}

// day returns a UTC date relative to today.
func day(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
