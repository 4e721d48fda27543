//go:build cgo

package bench

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store/storetest"
)

// BenchmarkAPI measures the cost of the API without the store, over loopback with keep-alive. It measures a remembered
// dashboard of 90 days: plain, compressed, and as 304. It also measures a hundred rows of a store without delay, with a
// new request each time. In turns, a bare net/http handler sends the same bytes and headers, and in place of the 304
// also the whole answer. The client is another process. So cpu-µs/request is the time of the server's process, with
// audit trail and garbage collection. The ratios of requests/s include the client, which uses the same processors.
func BenchmarkAPI(b *testing.B) {
	asking := startAsking(b)
	kept, hundred := newAPI(b, keptRows(b)), newAPI(b, newRowsAtOnce())
	panel := plain()[len(plain())-1]
	body, _ := panel.request(b, subject{"big", apiDays})
	address := "/v1/query?website_id=" + websiteID(0)
	pages, err := json.Marshal(map[string]any{"id": numbered, "parameters": []string{"pages"}, "limit": 100,
		"timeZone":  zoneName,
		"startDate": end.AddDate(0, 0, -apiDays).Format(time.DateOnly),
		"endDate":   end.AddDate(0, 0, -1).Format(time.DateOnly)})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []apiCase{
		{"kept", kept, http.MethodPost, address, body, http.Header{}, false},
		{"kept, gzip", kept, http.MethodPost, address, body, http.Header{"Accept-Encoding": {"gzip"}}, false},
		{"kept, zstd", kept, http.MethodPost, address, body, http.Header{"Accept-Encoding": {"zstd"}}, false},
		{"kept, of an address, gzip", kept, http.MethodGet, addressOf(b, address, body), nil,
			http.Header{"Accept-Encoding": {"gzip"}}, false},
		{"304", kept, http.MethodGet, addressOf(b, address, body), nil, http.Header{"Accept-Encoding": {"gzip"}}, true},
		{"100 rows", hundred, http.MethodPost, address, pages, http.Header{}, false},
		{"100 rows, gzip", hundred, http.MethodPost, address, pages, http.Header{"Accept-Encoding": {"gzip"}}, false},
		{"100 rows, zstd", hundred, http.MethodPost, address, pages, http.Header{"Accept-Encoding": {"zstd"}}, false},
	} {
		b.Run(c.name, func(b *testing.B) { c.measure(b, asking) })
	}
}

const apiDays = 90

// addressOf returns the parameters of a URL for the same query as a body.
func addressOf(b *testing.B, address string, body []byte) string {
	b.Helper()
	var q struct {
		Parameters                   []string
		StartDate, EndDate, TimeZone string
	}
	if err := json.Unmarshal(body, &q); err != nil {
		b.Fatal(err)
	}
	return address + "&" + url.Values{"parameters": {strings.Join(q.Parameters, ",")}, "startDate": {q.StartDate},
		"endDate": {q.EndDate}, "timeZone": {q.TimeZone}}.Encode()
}

// An apiCase is a request that BenchmarkAPI sends repeatedly.
type apiCase struct {
	name    string
	api     *apiHost
	method  string
	target  string
	body    []byte
	header  http.Header
	confirm bool // send the ETag of the answer, to get a 304
}

// measure sends requests to the API and to the bare handlers in turns, and reports the cost of each.
func (c apiCase) measure(b *testing.B, asking *asking) {
	whole := c.answer(b)
	sides := []*apiSide{{url: c.api.url, status: http.StatusOK, settle: c.api.settle},
		{url: bare(b, whole), status: http.StatusOK}}
	if c.confirm {
		c.header.Set("If-None-Match", whole.Header().Get("ETag"))
		sides[0].status = http.StatusNotModified
		sides = append(sides, &apiSide{url: bare(b, c.answer(b)), status: http.StatusNotModified})
	}
	// takes about as long as the interval of audit writes
	requests := 200 * storetest.Number(b, "SIGHTLINE_BENCH_RUNS", 20)
	ask := func(s *apiSide) time.Duration {
		return asking.ask(b, order{URL: s.url, Request: c.wire(b, s.url), Status: s.status, Clients: apiClients,
			Times: requests})
	}
	for _, s := range sides {
		ask(s)
	}
	for b.Loop() {
		for _, s := range sides {
			s.round(b, requests, ask)
		}
	}
	b.ReportMetric(0, "ns/op")
	same := sides[len(sides)-1] // the side that sends the API's answer
	b.ReportMetric(sides[0].spent.rate(), "requests/s")
	b.ReportMetric(100*shareOf(sides[0].rates, same.rates), "%-of-bare")
	if c.confirm {
		b.ReportMetric(100*shareOf(sides[0].rates, sides[1].rates), "%-of-bare-200")
	}
	b.ReportMetric(sides[0].spent.cpu(), "cpu-µs/request")
	b.ReportMetric(same.spent.cpu(), "bare-cpu-µs/request")
	b.ReportMetric(sides[0].spent.cpu()/same.spent.cpu(), "x-bare-cpu")
	b.ReportMetric(float64(sides[0].spent.allocs)/float64(sides[0].spent.requests), "allocs/request")
	b.ReportMetric(float64(same.spent.allocs)/float64(same.spent.requests), "bare-allocs/request")
	b.ReportMetric(float64(sides[0].spent.bytes)/float64(sides[0].spent.requests), "B/request")
	b.ReportMetric(float64(whole.Body.Len()), "body-B")
}

// apiClients is the number of concurrent clients.
const apiClients = 8

// answer returns the answer of the API, without a network.
func (c apiCase) answer(b *testing.B) *httptest.ResponseRecorder {
	b.Helper()
	r := httptest.NewRequest(c.method, c.target, bytes.NewReader(c.body))
	r.Header = c.headers()
	rec := httptest.NewRecorder()
	c.api.handler.ServeHTTP(rec, r)
	if rec.Code >= http.StatusBadRequest || bytes.Contains(rec.Body.Bytes(), []byte(`"success":false`)) {
		b.Fatalf("%d %.300s", rec.Code, rec.Body)
	}
	return rec
}

func (c apiCase) headers() http.Header {
	h := http.Header{"X-Api-Key": {c.api.secret}, "User-Agent": {"sightline-bench"}}
	if c.body != nil {
		h.Set("Content-Type", "application/json")
	}
	maps.Copy(h, c.header)
	return h
}

// wire returns the request as bytes.
func (c apiCase) wire(b *testing.B, to string) []byte {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), c.method, to+c.target, bytes.NewReader(c.body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header = c.headers()
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		b.Fatal(err)
	}
	return text.Bytes()
}

// bare serves a copy of an answer and returns its address.
func bare(b *testing.B, rec *httptest.ResponseRecorder) string {
	b.Helper()
	status, header, body := rec.Code, rec.Header(), rec.Body.Bytes()
	return listen(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
}

// An apiSide is one of the servers that a case compares: the API or a bare handler.
type apiSide struct {
	url    string
	status int
	settle func() error // completes background work; nil: no such work

	spent spent
	rates []float64 // requests/s of each round
}

// round sends requests to the server, and adds their cost to spent.
func (s *apiSide) round(b *testing.B, requests int, ask func(*apiSide) time.Duration) {
	b.Helper()
	before := spending(b)
	took := ask(s)
	if s.settle != nil {
		began := time.Now()
		if err := s.settle(); err != nil {
			b.Fatal(err)
		}
		took += time.Since(began)
	}
	after := spending(b)
	s.spent.requests += requests
	s.spent.took += took
	s.spent.processor += after.processor - before.processor
	s.spent.allocs += after.allocs - before.allocs
	s.spent.bytes += after.bytes - before.bytes
	s.rates = append(s.rates, float64(requests)/took.Seconds())
}

// spent is the cost of requests in the process of the server.
type spent struct {
	requests      int
	took          time.Duration
	processor     time.Duration
	allocs, bytes uint64
}

func (s spent) rate() float64 { return float64(s.requests) / s.took.Seconds() }

// cpu returns the processor time of a request in microseconds.
func (s spent) cpu() float64 {
	return float64(s.processor.Nanoseconds()) / 1000 / float64(cmp.Or(s.requests, 1))
}

// spending returns the cost of the process so far.
func spending(b *testing.B) spent {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return spent{processor: time.Duration(u.Utime.Nano() + u.Stime.Nano()), allocs: m.Mallocs, bytes: m.TotalAlloc}
}

// shareOf returns the median of the shares of the rounds.
func shareOf(of, in []float64) float64 {
	shares := make([]float64, len(of))
	for i := range of {
		shares[i] = of[i] / in[i]
	}
	slices.Sort(shares)
	return shares[len(shares)/2]
}
