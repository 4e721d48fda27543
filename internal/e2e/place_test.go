//go:build cgo

package e2e

import (
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// placesFile is a GeoIP file with 203.0.113.0/24 in a city of a country.
func placesFile(t *testing.T, country, city string) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "GeoLite2-City", IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	_, network, err := net.ParseCIDR("203.0.113.0/24")
	if err != nil {
		t.Fatal(err)
	}
	err = tree.Insert(network, mmdbtype.Map{
		"country": mmdbtype.Map{"iso_code": mmdbtype.String(country)},
		"city":    mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String(city)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "places.mmdb")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := tree.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPlace sends a pageview with an address in Paris and queries its place.
func TestPlace(t *testing.T) {
	t.Parallel()
	places := placesFile(t, "FR", "Paris")
	for _, row := range []struct {
		name    string
		flags   []string
		headers map[string]string
		want    string // country; empty: unknown
	}{
		{"nobody's word is taken by default", []string{"--geoip", places},
			map[string]string{"X-Forwarded-For": "203.0.113.9", "CF-IPCountry": "DE"}, ""},
		{"a trusted proxy names the address", []string{"--geoip", places, "--trusted-proxy", "127.0.0.0/8"},
			map[string]string{"X-Forwarded-For": "203.0.113.9"}, "France"},
		{"a header that is trusted", []string{"--country-header", "CF-IPCountry", "--trusted-proxy", "127.0.0.0/8"},
			map[string]string{"CF-IPCountry": "DE"}, "Germany"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := empty(t, t.TempDir(), row.flags...)
			c := p.track("/", object{"name": "screen_view", "eventId": "1", "path": "https://shop.example/"})
			maps.Copy(c.header, row.headers)
			if status, answer, err := do(t.Context(), c); err != nil || status != http.StatusOK ||
				answer["status"] != "success" {
				t.Fatalf("status %d, %v, %v", status, answer, err)
			}
			got := ""
			for _, country := range ask(t, p.ready, "website_id="+p.WebsiteID, "countries", nil) {
				got, _ = country["name"].(string)
			}
			if got != row.want {
				t.Errorf("country %q, want %q", got, row.want)
			}
			if pages := ask(t, p.ready, "website_id="+p.WebsiteID, "pages", nil); len(pages) != 1 {
				t.Errorf("the pageview is missing: %v", pages)
			}
			p.stop(t)
		})
	}
}

// TestReplacedPlaces overwrites the GeoIP file of a running server, as cp does, with a part of another one and then
// with all of it. A hangup makes the server read it.
func TestReplacedPlaces(t *testing.T) {
	t.Parallel()
	places := placesFile(t, "FR", "Paris")
	next, err := os.ReadFile(placesFile(t, "DE", "Berlin"))
	if err != nil {
		t.Fatal(err)
	}
	p := empty(t, t.TempDir(), "--geoip", places, "--trusted-proxy", "127.0.0.0/8")
	sent := 0
	for _, row := range []struct {
		why     string
		content []byte
		hangup  bool
		want    string
	}{
		{"a part of the new file", next[:len(next)/2], true, "France"},
		{"the new file", next, true, "Germany"},
		{"no content", nil, false, "Germany"},
	} {
		if err := os.WriteFile(places, row.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if row.hangup {
			if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}
		const tries = 300 // of 100 ms, for a machine with much else to do
		got := ""
		for try := 0; got != row.want; try++ {
			if try == tries {
				t.Fatalf("%s: country %q, want %q\n%s", row.why, got, row.want, p.stderr.String())
			}
			if try > 0 {
				time.Sleep(100 * time.Millisecond)
			}
			sent++
			c := p.track("/", object{"name": "screen_view", "eventId": strconv.Itoa(sent),
				"path": "https://shop.example/" + strconv.Itoa(sent)})
			c.header["X-Forwarded-For"] = "203.0.113.9"
			if status, answer, err := do(t.Context(), c); err != nil || status != http.StatusOK {
				t.Fatalf("%s: status %d, %v, %v", row.why, status, answer, err)
			}
			rows := ask(t, p.ready, "website_id="+p.WebsiteID, "countries",
				filter("path", "eq", "/"+strconv.Itoa(sent)))
			got = ""
			if len(rows) == 1 {
				got, _ = rows[0]["name"].(string)
			}
		}
	}
	p.stop(t)
}
