package geoip

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

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
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := w.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLocate(t *testing.T) {
	berlin := mmdbtype.Map{
		"country":      mmdbtype.Map{"iso_code": mmdbtype.String("DE")},
		"subdivisions": mmdbtype.Slice{named("Land Berlin"), named("Mitte")},
		"city":         named("Berlin"),
	}
	f, err := Open(write(t, "GeoLite2-City", map[string]mmdbtype.Map{
		"203.0.113.0/24":   berlin,
		"198.51.100.0/24":  {"country": mmdbtype.Map{"iso_code": mmdbtype.String("US")}},
		"2001:db8:1::/48":  berlin,
		"192.0.2.0/25":     {"traits": mmdbtype.Map{"is_anycast": mmdbtype.Bool(true)}},
		"192.0.2.128/25":   {"country": mmdbtype.String("not a map")},
		"100.64.0.0/10":    {"city": named("Nowhere")},
		"2001:db8:2::/120": {"country": mmdbtype.Map{"iso_code": mmdbtype.String("FR")}, "subdivisions": mmdbtype.Slice{}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close(context.Background())
	for _, c := range []struct {
		why, ip string
		want    track.Location
	}{
		{"a city, its first subdivision", "203.0.113.7", track.Location{Country: "DE", Region: "Land Berlin", City: "Berlin"}},
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
	asn := write(t, "GeoLite2-ASN", map[string]mmdbtype.Map{"203.0.113.0/24": {"autonomous_system_number": mmdbtype.Uint32(1)}})
	if _, err := Open(asn); !errors.Is(err, ErrNoLocations) {
		t.Errorf("a file without locations: %v", err)
	}
}
