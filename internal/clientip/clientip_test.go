package clientip_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/sightline-analytics/sightline/internal/clientip"
)

func TestAddr(t *testing.T) {
	rows := []struct {
		name    string
		trusted []string
		peer    string
		headers []string
		want    string
	}{
		{"the peer is the client", nil, "203.0.113.7:4711", nil, "203.0.113.7"},
		{"nobody is believed by default", nil, "203.0.113.7:4711", []string{"198.51.100.1"}, "203.0.113.7"},
		{"a stranger is not believed", []string{"10.0.0.0/8"}, "203.0.113.7:4711", []string{"198.51.100.1"}, "203.0.113.7"},
		{"a trusted proxy is", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a single address may be trusted", []string{"10.1.2.3"}, "10.1.2.3:80", []string{"198.51.100.1"}, "198.51.100.1"},
		{"what the client wrote in front does not count", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"},
		{"proxies behind proxies are skipped", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"1.1.1.1, 198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
		{"several header lines are one list", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"1.1.1.1", "198.51.100.1", "10.9.9.9"}, "198.51.100.1"},
		{"only proxies: the first of them", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"10.5.5.5, 10.9.9.9"}, "10.5.5.5"},
		{"no header: the proxy", []string{"10.0.0.0/8"}, "10.1.2.3:80", nil, "10.1.2.3"},
		{"nonsense ends the search", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"198.51.100.1, unknown, 10.9.9.9"}, "10.9.9.9"},
		{"a hop may carry a port", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"198.51.100.1:5000"}, "198.51.100.1"},
		{"IPv6 hops", []string{"fd00::/8"}, "[fd00::1]:80", []string{"[2001:db8::7]:443"}, "2001:db8::7"},
		{"IPv6 in brackets without a port", []string{"fd00::/8"}, "[fd00::1]:80", []string{"[2001:db8::7]"}, "2001:db8::7"},
		{"IPv4 written as IPv6 is IPv4", []string{"10.0.0.0/8"}, "[::ffff:10.1.2.3]:80", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"so is a network", []string{"::ffff:10.0.0.0/104"}, "10.1.2.3:80", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a network written as IPv6 is no larger", []string{"::ffff:10.0.0.0/104"}, "11.1.2.3:80", []string{"198.51.100.1"}, "11.1.2.3"},
		{"the interface of a local address is dropped", nil, "[fe80::1%eth0]:80", nil, "fe80::1"},
		{"so is that of a hop", []string{"fd00::/8"}, "[fd00::1]:80", []string{"fe80::1%eth1"}, "fe80::1"},
		{"a stranger who calls itself local", []string{"fd00::/8"}, "[2001:db8::7%fd00::1]:80", []string{"198.51.100.1"}, "2001:db8::7"},
		{"a peer that is no address", nil, "@", nil, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var proxies clientip.Proxies
			for _, text := range row.trusted {
				network, err := clientip.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				proxies = append(proxies, network)
			}
			r := &http.Request{RemoteAddr: row.peer, Header: http.Header{clientip.Header: row.headers}}
			if got := proxies.Addr(r); got.IsValid() != (row.want != "") || got.IsValid() && got.String() != row.want {
				t.Errorf("got %v, want %q", got, row.want)
			}
		})
	}
}

func TestNetwork(t *testing.T) {
	for sent, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "::ffff:203.0.113.7": "203.0.113.7",
	} {
		if got := clientip.Network(netip.MustParseAddr(sent)); got != want {
			t.Errorf("%s: got %s, want %s", sent, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "10.0.0.0/33", "proxy", "10.0.0.0/8,10.1.0.0/16", "10.0.0.1:80"} {
		if network, err := clientip.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, network)
		}
	}
}
