package clientip_test

import (
	"fmt"
	"net/http"
	"net/netip"

	"github.com/sightline-analytics/sightline/clientip"
)

// The host runs behind a proxy in 10.0.0.0/8. The client wrote the first address into the header; the proxy
// appended the second one.
func ExampleProxies_Addr() {
	proxies := clientip.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	header := http.Header{clientip.Header: {"1.1.1.1, 198.51.100.7"}}

	fmt.Println(proxies.Addr(&http.Request{RemoteAddr: "10.0.0.5:4711", Header: header}))
	fmt.Println(proxies.Addr(&http.Request{RemoteAddr: "203.0.113.9:4711", Header: header})) // not a proxy
	// Output:
	// 198.51.100.7
	// 203.0.113.9
}

// A host whose proxy names the client in another header sets RemoteAddr, and trusts no proxy. The proxy must
// overwrite the header, and clients must not reach the program without the proxy.
func Example_ownHeader() {
	middleware := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.RemoteAddr = r.Header.Get("X-Real-Ip") // an empty text is an unknown address
			next.ServeHTTP(w, r)
		})
	}
	handler := middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(clientip.Proxies(nil).Addr(r))
	}))
	handler.ServeHTTP(nil, &http.Request{RemoteAddr: "10.0.0.5:4711",
		Header: http.Header{"X-Real-Ip": {"198.51.100.7"}}})
	// Output: 198.51.100.7
}
