package front_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/front"
)

// statuses sends n requests and counts the statuses.
func statuses(n int, send func() *httptest.ResponseRecorder) map[int]int {
	all := map[int]int{}
	for range n {
		all[send().Code]++
	}
	return all
}

// TestNewCredentialsOfABusyNetwork sends new credentials from a network that has used up its refusals.
func TestNewCredentialsOfABusyNetwork(t *testing.T) {
	w := newWorld(t)
	keys, err := auth.New(auth.Config{Store: w, Pepper: w.pepper, Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	minting := httptest.NewRequest("POST", "/", nil)
	minting.Header.Set("X-Api-Key", w.key(t))
	token, err := keys.Mint(minting, auth.Claims{}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	statuses(60, func() *httptest.ResponseRecorder { return w.send("POST", "/work", "") })
	if rec := w.send("POST", "/work", "", "Authorization", "Bearer "+token.Reveal()); rec.Code != 200 {
		t.Errorf("a new panel token: %d", rec.Code)
	}
	if rec := w.send("POST", "/work", w.key(t)); rec.Code != 200 {
		t.Errorf("a new key: %d", rec.Code)
	}
	before := w.lookups
	if rec := w.send("POST", "/work", "", "Authorization", "Bearer "+token.Reveal()+"x"); rec.Code != 429 ||
		w.lookups != before {
		t.Errorf("a forged token: %d, %d look-ups", rec.Code, w.lookups-before)
	}
	w.wait(2 * time.Minute) // the token expires
	statuses(60, func() *httptest.ResponseRecorder { return w.send("POST", "/work", "") })
	if rec := w.send("POST", "/work", "", "Authorization", "Bearer "+token.Reveal()); rec.Code != 429 {
		t.Errorf("an expired panel token: %d", rec.Code)
	}
}

func TestRefusalsHaveABudget(t *testing.T) {
	w := newWorld(t)
	good, old := w.key(t), w.key(t)
	for _, key := range []string{good, old} {
		if rec := w.send("POST", "/work", key); rec.Code != 200 {
			t.Fatalf("a good key: %d", rec.Code)
		}
	}
	if got := statuses(5000,
		func() *httptest.ResponseRecorder { return w.send("POST", "/work", "") }); got[401] != 60 || got[429] != 4940 {
		t.Errorf("without a key: %v", got)
	}
	if len(w.entries) != 2 {
		t.Errorf("%d entries for requests without a key", len(w.entries)-2)
	}
	before := w.lookups
	if got := statuses(100, func() *httptest.ResponseRecorder {
		return w.send("POST", "/work",
			stranger(t))
	}); got[429] != 100 || w.lookups-before != 10 {
		t.Errorf("unknown keys after the refusals were used up: %v, %d look-ups", got, w.lookups-before)
	}
	rec := w.send("POST", "/work", stranger(t))
	if rec.Header().Get("Retry-After") == "" || rec.Header().Get("RateLimit-Policy") != `"refused";q=60;w=60` {
		t.Errorf("headers of 429: %v", rec.Header())
	}
	if rec := w.send("POST", "/work", good); rec.Code != 200 {
		t.Errorf("a good key of the same network: %d", rec.Code)
	}
	if rec := w.send("POST", "/work", w.key(t)); rec.Code != 429 {
		t.Errorf("a new key of the same network: %d", rec.Code)
	}
	if rec := w.send("POST", "/work", w.key(t), "from", "203.0.113.8"); rec.Code != 200 {
		t.Errorf("a key of another network: %d", rec.Code)
	}
	key, err := w.keys.KeyByDigest(t.Context(), w.pepperDigest(t, old))
	if err != nil || w.keys.RevokeKey(t.Context(), key.ID, nil) != nil {
		t.Fatal(err)
	}
	before = w.lookups
	if got := statuses(3, func() *httptest.ResponseRecorder { return w.send("POST", "/work", old) }); got[429] != 3 ||
		w.lookups != before+1 {
		t.Errorf("a revoked key: %v, %d look-ups", got, w.lookups-before)
	}
}

func (w *world) pepperDigest(t *testing.T, secret string) auth.Digest {
	t.Helper()
	s, err := auth.ParseSecret(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Digest(w.pepper)
}

func TestRefusedKeysAreRecordedAndThenCounted(t *testing.T) {
	w := newWorld(t)
	for range 200 {
		w.send("POST", "/work", stranger(t))
	}
	if len(w.entries) != 60 || w.entries[0].Status != 401 || w.entries[0].Count != 0 || w.entries[0].Start == "" {
		t.Fatalf("%d entries, the first %+v", len(w.entries), w.entries[0])
	}
	w.wait(time.Hour)
	w.send("POST", "/work", w.key(t)) // must not affect the counts
	if len(w.entries) != 62 || w.entries[60].Count != 140 || w.entries[60].IP != "203.0.113.7" ||
		w.entries[60].Status != 429 || w.entries[61].Count != 0 {
		t.Errorf("%d entries, the last %+v", len(w.entries), w.entries[60:])
	}
	for i := range 1000 { // from different networks
		w.send("POST", "/work", stranger(t), "from", fmt.Sprintf("198.51.%d.%d", i/250, i%250))
	}
	if len(w.entries) > 62+600 {
		t.Errorf("%d entries for refusals in a minute", len(w.entries)-62)
	}
}

func TestRefusalsWithAFailingTrail(t *testing.T) {
	w := newWorld(t)
	good := w.key(t)
	w.auditErr = errors.New("full")
	for key, want := range map[string]int{stranger(t): 401, "": 401, good: 503} {
		if rec := w.send("POST", "/work", key); rec.Code != want {
			t.Errorf("%q: %d, want %d", key, rec.Code, want)
		}
	}
}

func TestRequestsWithoutARouteAreLimited(t *testing.T) {
	for _, row := range []struct {
		method, path string
		pass         int
	}{{"GET", "/nothing", 404}, {"OPTIONS", "/work", 204}, {"DELETE", "/work", 405}} {
		w := newWorld(t)
		got := statuses(200, func() *httptest.ResponseRecorder { return w.send(row.method, row.path, "") })
		if got[row.pass] != 120 || got[429] != 80 || len(w.entries) != 0 {
			t.Errorf("%s %s: %v, %d entries", row.method, row.path, got, len(w.entries))
		}
	}
}

func TestCost(t *testing.T) {
	w := newWorld(t)
	key := w.key(t)
	w.cost = 50
	if got := statuses(4, func() *httptest.ResponseRecorder { return w.send("POST", "/work", key) }); got[200] != 2 ||
		got[429] != 2 {
		t.Errorf("requests that cost 50 with a limit of 120: %v", got)
	}
	w.wait(time.Minute)
	w.cost = 121
	rec := w.send("POST", "/work", key)
	if rec.Code != 400 || rec.Header().Get("Retry-After") != "" ||
		!strings.Contains(rec.Body.String(), "costs 121 of a limit of 120") {
		t.Errorf("more than the whole limit: %d %v %s", rec.Code, rec.Header(), rec.Body)
	}
}

func TestSlots(t *testing.T) {
	w := newWorld(t, func(_ *front.Config, l *ratelimit.Config) { l.InFlight = 2 })
	secret := w.key(t)
	tokens, err := auth.NewTokens(auth.TokensConfig{Pepper: w.pepper, Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	mint := func() string {
		token, err := tokens.Mint(w.pepperDigest(t, secret), auth.Claims{}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return token.Reveal()
	}
	for name, caller := range map[string][2]string{"keys": {secret, w.key(t)},
		"tokens of one key": {"Bearer " + mint(), "Bearer " + mint()}} {
		header := "X-Api-Key"
		if strings.HasPrefix(caller[0], "Bearer") {
			header = "Authorization"
		}
		running, release := make(chan struct{}), make(chan struct{})
		w.steps = func(context.Context, *front.Request) (*front.Answer, error) {
			running <- struct{}{}
			<-release
			return front.JSON("done")
		}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { w.send("POST", "/work", "", header, caller[0]) })
			<-running
		}
		w.steps = nil
		rec := w.send("POST", "/work", "", header, caller[0])
		if rec.Code != 429 || rec.Header().Get("Retry-After") != "1" ||
			rec.Header().Get("RateLimit-Policy") != `"concurrency";q=2;qu="concurrent-requests"` {
			t.Errorf("%s: a third request: %d %v", name, rec.Code, rec.Header())
		}
		if rec := w.send("POST", "/work", "", header, caller[1]); rec.Code != 200 {
			t.Errorf("%s: another's request: %d", name, rec.Code)
		}
		close(release)
		all.Wait()
		if rec := w.send("POST", "/work", "", header, caller[0]); rec.Code != 200 {
			t.Errorf("%s: after the requests ended: %d", name, rec.Code)
		}
	}
}

// A part of the host that panics with http.ErrAbortHandler breaks the connection, as in any other handler. The use of
// the key is recorded, nothing is logged, and the slot is free again.
func TestHostsMayBreakTheConnection(t *testing.T) {
	w := newWorld(t, func(_ *front.Config, l *ratelimit.Config) { l.InFlight = 1 })
	key := w.key(t)
	for range 2 {
		w.steps = func(context.Context, *front.Request) (*front.Answer, error) { panic(http.ErrAbortHandler) }
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
					t.Errorf("panic with %v", err)
				}
			}()
			w.send("POST", "/work", key)
		}()
	}
	if len(w.entries) != 2 || w.log.String() != "" {
		t.Errorf("%d entries in the audit trail, want 2; the log: %s", len(w.entries), w.log.String())
	}
}

// brokenWriter panics when the response is sent, like net/http with http.ErrAbortHandler.
type brokenWriter struct{ http.ResponseWriter }

func (brokenWriter) WriteHeader(int) { panic(http.ErrAbortHandler) }

func TestSlotsAreAlwaysGivenBack(t *testing.T) {
	w := newWorld(t, func(_ *front.Config, l *ratelimit.Config) { l.InFlight = 1 })
	key := w.key(t)
	for name, steps := range map[string]func(context.Context, *front.Request) (*front.Answer, error){
		"an error": func(context.Context, *front.Request) (*front.Answer, error) { return nil, errors.New("x") },
		"a panic":  func(context.Context, *front.Request) (*front.Answer, error) { panic("x") },
	} {
		w.steps = steps
		if rec := w.send("POST", "/work", key); rec.Code != 500 {
			t.Errorf("%s: %d", name, rec.Code)
		}
	}
	w.steps = nil
	func() {
		defer func() { _ = recover() }()
		r := httptest.NewRequest("POST", "/work", http.NoBody)
		r.Header.Set("X-Api-Key", key)
		w.ServeHTTP(brokenWriter{httptest.NewRecorder()}, r)
	}()
	if rec := w.send("POST", "/work", key); rec.Code != 200 {
		t.Errorf("a request afterwards: %d", rec.Code)
	}
	if !strings.Contains(w.log.String(), "panic: x") {
		t.Error("the panic is not in the log")
	}
}

// TestBodiesOnTheirWay checks that arriving bodies hold no slot, and that their size is limited per network.
func TestBodiesOnTheirWay(t *testing.T) {
	// many requests follow
	w := newWorld(t, func(_ *front.Config, l *ratelimit.Config) { l.InFlight, l.Factor = 1, 1000 })
	key := w.key(t)
	server := httptest.NewServer(w)
	defer server.Close()
	most := strings.Repeat("x", 1<<20-1)
	for range 16 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := fmt.Fprintf(conn,
			"POST /work HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: %d\r\n\r\n%s", key, 1<<20,
			most); err != nil {
			t.Fatal(err)
		}
	}
	post := func(size int) int {
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/work",
			strings.NewReader(strings.Repeat(" ", size)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", key)
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for deadline := time.Now().Add(time.Minute); post(1) != 429; { // until all sixteen have arrived
		if time.Now().After(deadline) {
			t.Fatal("another body is accepted above the limit of 16 MiB")
		}
		time.Sleep(10 * time.Millisecond)
	}
	for deadline := time.Now().Add(time.Minute); ; { // the last request may still hold the slot of the key
		status := post(0)
		if status == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("without a body: %d", status)
		}
	}
}

// A pendingBody is a body without its end.
type pendingBody struct {
	left    int
	arrived func() // called when everything except the end was read
	end     chan struct{}
}

func (b *pendingBody) Read(p []byte) (int, error) {
	n := min(len(p), b.left)
	if b.left -= n; n > 0 {
		return n, nil
	}
	b.arrived()
	<-b.end
	return 0, io.EOF
}

// TestBodiesOfManyCallersLeaveSpace checks that one more body is accepted, even if many callers have reached their
// limits.
func TestBodiesOfManyCallersLeaveSpace(t *testing.T) {
	w := newWorld(t)
	end, statuses := make(chan struct{}), make([]int, 200)
	var met, all sync.WaitGroup
	post := func(key, from string, body io.Reader) int {
		r := httptest.NewRequest("POST", "/work", body)
		r.RemoteAddr = from + ":1"
		r.Header.Set("X-Api-Key", key)
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		return rec.Code
	}
	for i := range statuses {
		key, arrived := w.keyOf(t, fmt.Sprint("owner ", i)), sync.OnceFunc(met.Done)
		met.Add(1)
		all.Go(func() {
			defer arrived()
			statuses[i] = post(key, fmt.Sprintf("198.51.100.%d", i), &pendingBody{1<<20 - 1, arrived, end})
		})
	}
	met.Wait()
	if status := post(w.key(t), "203.0.113.7", strings.NewReader("small")); status != 200 {
		t.Errorf("one more caller: %d", status)
	}
	close(end)
	all.Wait()
	slices.Sort(statuses)
	if slices.Index(statuses, 503) < 40 || statuses[199] != 503 {
		t.Errorf("the other callers: %v", statuses)
	}
}

// TestABodyHasADeadline checks that the server gives up a body that stops arriving, whether it is read or not, and
// closes the connection.
func TestABodyHasADeadline(t *testing.T) {
	w := newWorld(t, func(cfg *front.Config, _ *ratelimit.Config) { cfg.BodyTimeout = 20 * time.Millisecond })
	server := httptest.NewServer(w)
	defer server.CloseClientConnections()
	for _, row := range []struct{ name, path, key, want string }{
		{"read", "/work", w.key(t), "did not arrive within 20ms"},
		{"not read, without a key", "/work", "", "401 Unauthorized"},
		{"not read, without a route", "/nothing", "", "404 Not Found"},
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: 10\r\n\r\nhalf",
			row.path, row.key); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn) // until the server closes the connection
		if err != nil || !strings.Contains(string(answer), row.want) {
			t.Errorf("%s: %v %s", row.name, err, answer)
		}
	}
}

// TestALargeBodyGetsAResponse sends the whole body before it reads the response, as many clients do.
func TestALargeBodyGetsAResponse(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewServer(w)
	defer server.Close()
	key := w.key(t)
	for _, announced := range []string{"Content-Length: 6291456", "Transfer-Encoding: chunked"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		head := "POST /work HTTP/1.1\r\nHost: a\r\nX-Api-Key: " + key + "\r\n" + announced + "\r\n\r\n"
		body := strings.Repeat(" ", 6<<20)
		if announced[0] == 'T' {
			body = "600000\r\n" + body + "\r\n0\r\n\r\n"
		}
		_, sent := io.WriteString(conn, head+body)
		answer, read := io.ReadAll(io.LimitReader(conn, 12))
		if sent != nil || read != nil || string(answer) != "HTTP/1.1 500" { // the response of refuse in world_test.go
			t.Errorf("%s: sent with %v, answered %q, %v", announced, sent, answer, read)
		}
		_ = conn.Close()
	}
}

func TestTimeout(t *testing.T) {
	w := newWorld(t, func(cfg *front.Config, _ *ratelimit.Config) { cfg.Timeout = time.Millisecond })
	w.steps = func(ctx context.Context, _ *front.Request) (*front.Answer, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if rec := w.send("POST", "/work", w.key(t)); rec.Code != 504 || len(w.entries) != 1 || w.entries[0].Status != 504 {
		t.Errorf("%d, entries %+v", rec.Code, w.entries)
	}
}

func TestOptionalCredentials(t *testing.T) {
	w := newWorld(t)
	for key, want := range map[string]string{"": "200 false\n", w.key(t): "200 true\n", stranger(t): "401 "} {
		rec := w.send("POST", "/any", key)
		if got := fmt.Sprint(rec.Code, " ", rec.Body); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", key, got, want)
		}
	}
	if len(w.entries) != 2 {
		t.Errorf("%d entries, want one each for the keys", len(w.entries))
	}
}

// TestUsesHaveANetwork checks that only uses of /work may be merged in the audit trail.
func TestUsesHaveANetwork(t *testing.T) {
	w := newWorld(t)
	key := w.key(t)
	w.send("POST", "/work", key)
	w.send("POST", "/any", key)
	w.send("POST", "/work", stranger(t))
	if len(w.entries) != 3 || w.entries[0].Network != "203.0.113.7" || w.entries[1].Network != "" ||
		w.entries[2].Network != "" {
		t.Errorf("%+v", w.entries)
	}
}

// session is an Authenticator of a host that always returns the same principal.
type session struct{ *auth.Principal }

func (s session) Authenticate(context.Context, *http.Request) (*auth.Principal, error) {
	return s.Principal, nil
}

// TestPrincipalsNeedAnID checks that principals without an id are refused, since they would share a bucket and an
// identity.
func TestPrincipalsNeedAnID(t *testing.T) {
	for _, row := range []struct {
		key    auth.Key
		status int
	}{
		{auth.Key{ID: "user_1", Owner: "acme"}, 200}, {auth.Key{Owner: "acme"}, 500}, {auth.Key{ID: "user_1"}, 500},
	} {
		w := newWorld(t, func(cfg *front.Config,
			_ *ratelimit.Config) {
			cfg.Auth = session{&auth.Principal{Key: &row.key}}
		})
		if rec := w.send("POST", "/work", "any"); rec.Code != row.status {
			t.Errorf("%+v: %d %s, want %d", row.key, rec.Code, rec.Body, row.status)
		}
	}
}
