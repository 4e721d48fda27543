package chtest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Faults are faults of a server that was started with --faults. They apply to all queries of both protocols, which are
// counted together. The zero value means no faults.
type Faults struct {
	Delay     time.Duration // delay of each query
	FailEvery int           // each n-th query fails without running; 0 means none
	DropAfter int           // responses are cut after this number of bytes; 0 means never
}

// Faults replaces the faults of s.
func (s *Server) Faults(f Faults) {
	s.t.Helper()
	path := variable(s.t, "CLICKHOUSE_FAULTS", "the path that accepts faults")
	u, err := url.Parse(s.HTTP)
	if err != nil {
		s.t.Fatal(err)
	}
	u.User, u.Path = nil, path
	u.RawQuery = url.Values{
		"delay": {f.Delay.String()}, "fail-every": {strconv.Itoa(f.FailEvery)},
		"drop-after": {strconv.Itoa(f.DropAfter)},
	}.Encode()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		s.t.Fatalf("setting faults: %v", err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("setting faults: %s", res.Status)
	}
}
