package geoip

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"github.com/sightline-analytics/sightline/track"
)

var _ track.Geo = (*File)(nil)

func named(en string) mmdbtype.Map {
	return mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String(en), "de": mmdbtype.String("anders")}}
}

// write makes a file with these records by network.
func write(t *testing.T, kind string, records map[string]mmdbtype.Map) string {
	t.Helper()
	w, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: kind, IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	for cidr, rec := range records {
		_, network, err := net.ParseCIDR(cidr)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Insert(network, rec); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "locations.mmdb")
	if err := os.WriteFile(path, bytesOf(t, w), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func bytesOf(t *testing.T, w *mmdbwriter.Tree) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// in returns a record of MaxMind with a country.
func in(code string) mmdbtype.Map {
	return mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(code)}}
}

// TestSchemas finds a location in files with the fields of each vendor's free files.
func TestSchemas(t *testing.T) {
	text := func(pairs ...string) mmdbtype.Map {
		m := mmdbtype.Map{}
		for i := 0; i < len(pairs); i += 2 {
			m[mmdbtype.String(pairs[i])] = mmdbtype.String(pairs[i+1])
		}
		return m
	}
	for _, c := range []struct {
		vendor string
		record mmdbtype.Map
		want   track.Location
	}{
		{"MaxMind", mmdbtype.Map{"continent": mmdbtype.Map{"code": mmdbtype.String("EU")},
			"country": mmdbtype.Map{"iso_code": mmdbtype.String("DE")}, "city": named("Berlin")},
			track.Location{Country: "DE", City: "Berlin"}},
		{"DB-IP", mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String("DE"),
			"is_in_european_union": mmdbtype.Bool(true)}}, track.Location{Country: "DE"}},
		{"IPinfo Lite", text("asn", "AS1", "as_name", "One", "continent", "Europe", "continent_code", "EU", "country",
			"Germany", "country_code", "DE"), track.Location{Country: "DE"}},
		{"IPinfo, older", text("continent", "EU", "continent_name", "Europe", "country", "DE", "country_name",
			"Germany"), track.Location{Country: "DE"}},
		{"IPinfo, with cities", text("city", "Berlin", "region", "Land Berlin", "country", "DE"),
			track.Location{Country: "DE", Region: "Land Berlin", City: "Berlin"}},
		{"IPLocate", text("country_code", "DE", "country_name", "Germany", "continent_code", "EU"),
			track.Location{Country: "DE"}},
	} {
		f, err := Open(write(t, c.vendor, map[string]mmdbtype.Map{"203.0.113.0/24": c.record}))
		if err != nil {
			t.Errorf("%s: %v", c.vendor, err)
			continue
		}
		if got := f.Locate(netip.MustParseAddr("203.0.113.7")); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.vendor, got, c.want)
		}
	}
}

// TestRegion finds the name that Locate has for a region.
func TestRegion(t *testing.T) {
	berlin := named("Land Berlin")
	berlin["iso_code"] = mmdbtype.String("BE")
	record := in("DE")
	record["subdivisions"] = mmdbtype.Slice{berlin}
	f, err := Open(write(t, "GeoLite2-City",
		map[string]mmdbtype.Map{"203.0.113.0/24": record, "198.51.100.0/24": in("US")}))
	if err != nil {
		t.Fatal(err)
	}
	if f.Region("DE-BE") != "Land Berlin" || f.Locate(netip.MustParseAddr("203.0.113.7")).Region != "Land Berlin" ||
		f.Region("DE-BY") != "" {
		t.Errorf("%q and %q", f.Region("DE-BE"), f.Region("DE-BY"))
	}
}

// TestReload overwrites the file in place, as cp does, while other goroutines look up addresses.
func TestReload(t *testing.T) {
	france, germany := map[string]mmdbtype.Map{"203.0.113.0/24": in("FR")},
		map[string]mmdbtype.Map{"203.0.113.0/24": in("DE")}
	path := write(t, "GeoLite2-Country", france)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	ip := netip.MustParseAddr("203.0.113.7")
	stop := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if got := f.Locate(ip).Country; got != "FR" && got != "DE" {
					t.Errorf("%q", got)
					return
				}
			}
		}
	})
	old, _ := os.ReadFile(path)
	next, _ := os.ReadFile(write(t, "GeoLite2-Country", germany))
	damaged := slices.Clone(next)
	for i := range damaged[:len(damaged)/3] {
		damaged[i] = 0xff // of the search tree
	}
	at := time.Now()
	for _, c := range []struct {
		why     string
		content []byte
		changed bool
		failed  bool
		want    string
	}{
		{"the same", old, true, false, "FR"},
		{"empty, before it is written", nil, false, true, "FR"},
		{"half of the new one", next[:len(next)/2], false, true, "FR"},
		{"a damaged one", damaged, false, true, "FR"},
		{"the new one", next, true, false, "DE"},
		{"no file", nil, false, true, "DE"},
	} {
		if c.why == "no file" {
			err = os.Remove(path)
		} else if err = os.WriteFile(path, c.content, 0o600); err == nil {
			at = at.Add(time.Second)
			err = os.Chtimes(path, at, at)
		}
		if err != nil {
			t.Fatal(err)
		}
		changed, err := f.Reload()
		if changed != c.changed || (err != nil) != c.failed || f.Locate(ip).Country != c.want {
			t.Errorf("%s: changed %t, %v, country %q", c.why, changed, err, f.Locate(ip).Country)
		}
		if again, err := f.Reload(); again || err != nil && c.why != "no file" {
			t.Errorf("%s, again: %t, %v", c.why, again, err)
		}
	}
	close(stop)
	looking.Wait()
	if age := time.Since(f.Built()); age < 0 || age > time.Hour {
		t.Errorf("built %v ago", age)
	}
}

func TestLocate(t *testing.T) {
	berlin := mmdbtype.Map{
		"country":      mmdbtype.Map{"iso_code": mmdbtype.String("DE")},
		"subdivisions": mmdbtype.Slice{named("Land Berlin"), named("Mitte")},
		"city":         named("Berlin"),
	}
	f, err := Open(write(t, "GeoLite2-City", map[string]mmdbtype.Map{
		"203.0.113.0/24":  berlin,
		"198.51.100.0/24": {"country": mmdbtype.Map{"iso_code": mmdbtype.String("US")}},
		"2001:db8:1::/48": berlin,
		"192.0.2.0/25":    {"traits": mmdbtype.Map{"is_anycast": mmdbtype.Bool(true)}},
		"192.0.2.128/25":  {"country": mmdbtype.String("not a map")},
		"100.64.0.0/10":   {"city": named("Nowhere")},
		"2001:db8:2::/120": {"country": mmdbtype.Map{"iso_code": mmdbtype.String("FR")},
			"subdivisions": mmdbtype.Slice{}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, ip string
		want    track.Location
	}{
		{"a city, its first subdivision", "203.0.113.7",
			track.Location{Country: "DE", Region: "Land Berlin", City: "Berlin"}},
		{"IPv6", "2001:db8:1::5", track.Location{Country: "DE", Region: "Land Berlin", City: "Berlin"}},
		{"a country alone", "198.51.100.1", track.Location{Country: "US"}},
		{"no subdivisions", "2001:db8:2::1", track.Location{Country: "FR"}},
		{"a record without location", "192.0.2.1", track.Location{}},
		{"a record of another shape", "192.0.2.200", track.Location{}},
		{"a city without country", "100.64.1.1", track.Location{City: "Nowhere"}},
		{"an unknown address", "8.8.8.8", track.Location{}},
	} {
		if got := f.Locate(netip.MustParseAddr(c.ip)); got != c.want {
			t.Errorf("%s: Locate(%s) = %+v, want %+v", c.why, c.ip, got, c.want)
		}
	}
	if got := f.Locate(netip.Addr{}); got != (track.Location{}) {
		t.Errorf("Locate of the zero address = %+v", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.mmdb")
	if err := os.WriteFile(broken, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(broken); err == nil {
		t.Error("Open accepts a file that is not a database")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "missing.mmdb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	asn := write(t, "GeoLite2-ASN",
		map[string]mmdbtype.Map{"203.0.113.0/24": {"autonomous_system_number": mmdbtype.Uint32(1)}})
	if _, err := Open(asn); !errors.Is(err, ErrNoLocations) {
		t.Errorf("a file without locations: %v", err)
	}
}
