package chtest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Faults are troubles of a server that was started with --faults. They meet every
// query of both protocols, counted together; the zero value is none.
type Faults struct {
	Delay     time.Duration // each query waits as long before the server gets it
	FailEvery int           // every query of that number is answered by an error and not run; 0: none
	DropAfter int           // answers are cut after as many bytes; 0: never
}

// Faults sets the troubles of s from now on, in place of those before.
func (s *Server) Faults(f Faults) {
	s.t.Helper()
	path := variable(s.t, "CLICKHOUSE_FAULTS", "the path that takes faults")
	u, err := url.Parse(s.HTTP)
	if err != nil {
		s.t.Fatal(err)
	}
	u.User, u.Path = nil, path
	u.RawQuery = url.Values{
		"delay": {f.Delay.String()}, "fail-every": {strconv.Itoa(f.FailEvery)}, "drop-after": {strconv.Itoa(f.DropAfter)},
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
