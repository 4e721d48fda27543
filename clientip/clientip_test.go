package clientip_test

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/clientip"
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
		{"no proxy is trusted by default", nil, "203.0.113.7:4711", []string{"198.51.100.1"}, "203.0.113.7"},
		{"an untrusted peer is ignored", []string{"10.0.0.0/8"}, "203.0.113.7:4711", []string{"198.51.100.1"},
			"203.0.113.7"},
		{"a trusted proxy names the client", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"198.51.100.1"},
			"198.51.100.1"},
		{"a single address may be trusted", []string{"10.1.2.3"}, "10.1.2.3:80", []string{"198.51.100.1"},
			"198.51.100.1"},
		{"addresses from the client are ignored", []string{"10.0.0.0/8"}, "10.1.2.3:80",
			[]string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"},
		{"proxies behind proxies are skipped", []string{"10.0.0.0/8"}, "10.1.2.3:80",
			[]string{"1.1.1.1, 198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
		{"several header lines are one list", []string{"10.0.0.0/8"}, "10.1.2.3:80",
			[]string{"1.1.1.1", "198.51.100.1", "10.9.9.9"}, "198.51.100.1"},
		{"only proxies: the first of them", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"10.5.5.5, 10.9.9.9"},
			"10.5.5.5"},
		{"no header: the proxy", []string{"10.0.0.0/8"}, "10.1.2.3:80", nil, "10.1.2.3"},
		{"an invalid address ends the search", []string{"10.0.0.0/8"}, "10.1.2.3:80",
			[]string{"198.51.100.1, unknown, 10.9.9.9"}, "10.9.9.9"},
		{"a hop may carry a port", []string{"10.0.0.0/8"}, "10.1.2.3:80", []string{"198.51.100.1:5000"},
			"198.51.100.1"},
		{"IPv6 hops", []string{"fd00::/8"}, "[fd00::1]:80", []string{"[2001:db8::7]:443"}, "2001:db8::7"},
		{"IPv6 in brackets without a port", []string{"fd00::/8"}, "[fd00::1]:80", []string{"[2001:db8::7]"},
			"2001:db8::7"},
		{"IPv4 written as IPv6 is IPv4", []string{"10.0.0.0/8"}, "[::ffff:10.1.2.3]:80",
			[]string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"an IPv4 network written as IPv6 is IPv4", []string{"::ffff:10.0.0.0/104"}, "10.1.2.3:80",
			[]string{"198.51.100.1"}, "198.51.100.1"},
		{"a network written as IPv6 has the same size", []string{"::ffff:10.0.0.0/104"}, "11.1.2.3:80",
			[]string{"198.51.100.1"}, "11.1.2.3"},
		{"the interface of a local address is dropped", nil, "[fe80::1%eth0]:80", nil, "fe80::1"},
		{"the interface of a hop is dropped", []string{"fd00::/8"}, "[fd00::1]:80", []string{"fe80::1%eth1"},
			"fe80::1"},
		{"an untrusted peer that names a local address", []string{"fd00::/8"}, "[2001:db8::7%fd00::1]:80",
			[]string{"198.51.100.1"}, "2001:db8::7"},
		{"an invalid peer", nil, "@", nil, ""},
		{"a peer without a port, from a middleware", nil, "203.0.113.7", []string{"198.51.100.1"}, "203.0.113.7"},
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

func TestHeadersOfUntrustedPeersWarnOnce(t *testing.T) {
	var log strings.Builder
	proxies := clientip.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	addr := proxies.Watched(slog.New(slog.NewTextHandler(&log, nil)), "CF-IPCountry", "")
	for _, sent := range []struct {
		peer, header, want string
		warnings           int
	}{
		{"10.1.2.3:80", clientip.Header, "198.51.100.1", 0},
		{"203.0.113.7:80", "Accept", "203.0.113.7", 0},
		{"203.0.113.7:80", "Cf-Ipcountry", "203.0.113.7", 1},
		{"203.0.113.8:80", clientip.Header, "203.0.113.8", 1},
	} {
		r := &http.Request{RemoteAddr: sent.peer, Header: http.Header{sent.header: {"198.51.100.1"}}}
		if got := addr(r); got.String() != sent.want || strings.Count(log.String(), "level=WARN") != sent.warnings {
			t.Errorf("%s with %s: %v, log %q", sent.peer, sent.header, got, log.String())
		}
	}
	if !strings.Contains(log.String(), "header=CF-IPCountry peer=203.0.113.7") {
		t.Errorf("log = %q", log.String())
	}
	for network, all := range map[string]bool{"10.0.0.0/8": false, "0.0.0.0/0": true, "::/0": true,
		"::ffff:0.0.0.0/96": true} {
		parsed, err := clientip.Parse(network)
		if err != nil || (clientip.Proxies{proxies[0], parsed}).TrustAll() != all {
			t.Errorf("TrustAll with %s = %v, %v", network, !all, err)
		}
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
