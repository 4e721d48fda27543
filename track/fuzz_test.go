package track

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

// strict is a Writer that rejects rows that some store cannot hold.
type strict struct {
	t *testing.T
}

func (s *strict) Write(_ context.Context, b *store.Batch) (store.Written, error) {
	raw, err := json.Marshal(b)
	if err != nil || !utf8.Valid(raw) {
		s.t.Errorf("rows that cannot be written: %v", err)
	}
	check := func(subject, id string, year int, texts ...string) {
		if subject == "" || id == "" || year < 2000 || year > 2026 {
			s.t.Errorf("a row without subject, id or time: %q %q %d", subject, id, year)
		}
		for _, x := range append(texts, id) {
			if !utf8.ValidString(x) || strings.ContainsAny(x, "\x00\n\x7f") {
				s.t.Errorf("a text with invalid characters: %q", x)
			}
		}
	}
	for _, e := range b.Events {
		check(e.Website, e.ID, e.Time.Year(), e.Name, e.Path, e.Title, e.Referrer, e.Href, e.Text, e.SessionID,
			e.Properties, e.AnonymousID, e.ProfileID)
		if e.Properties != "" && !json.Valid([]byte(e.Properties)) {
			s.t.Errorf("properties are not JSON: %q", e.Properties)
		}
	}
	for _, e := range b.Errors {
		check(e.Website, e.ID, e.Time.Year(), e.Message, e.Path, e.Stack, e.Filename)
	}
	for _, v := range b.Vitals {
		check(v.Website, v.ID, v.Time.Year(), v.Path)
	}
	for _, p := range b.Spans {
		check(p.Website, p.ID, p.Time.Year(), p.Path, p.ExitType, p.SessionID, p.AnonymousID, p.ProfileID)
		for _, n := range []int64{p.Scrolls, p.Clicks, p.Keys, p.Interactions, p.Copies, p.RageClicks, p.DeadClicks,
			p.FormFields, p.FormSubmits, p.Errors, p.PageIndex.V} {
			if n < 0 || n > maxCount {
				s.t.Errorf("a count of %d", n)
			}
		}
		if p.TimeOnPage.V < 0 || p.TimeOnPage.V > intake.MaxOnPage*1000 || p.ActiveTime.V < 0 ||
			p.ActiveTime.V > intake.MaxOnPage*1000 || p.MaxScrollDepth.V > 100 {
			s.t.Errorf("measures beyond their limits: %+v", p)
		}
	}
	for _, v := range b.Visits {
		check(v.Link, v.ID, v.Time.Year(), v.Referrer, v.ReferrerDomain, v.Region, v.City)
	}
	for _, k := range b.Checks {
		check(k.Schedule, k.ID, k.Time.Year(), k.URL, k.Error, k.Region)
	}
	return store.Written{Stored: b.Len()}, nil
}

// FuzzHandler sends any body to every route that accepts data. The response must be JSON or the pixel, with a status
// below 500, and the rows must be valid. A body that begins like gzip is sent with that encoding.
func FuzzHandler(f *testing.F) {
	for _, g := range good {
		f.Add(g.target, []byte(g.body), g.key, chrome)
		f.Add(g.target, []byte(zipped(f, g.body)), g.key, chrome)
	}
	f.Add("/px.jpg?client_id=w1&name=screen_view&path=/a%00&properties[x]=%ff", []byte{}, "", chrome)
	for _, body := range []string{
		strings.Repeat("[", 10_001), `{"timestamp":1e308}`, `{"a":"` + "\x00" + `"}`, "\xff\xfe", `[` +
			strings.Repeat("[],", 5000) + `[]]`,
		`{"type":"error","payload":{"message":"m","path":"/"}}`,
		`{"type":"web_vitals","payload":{"path":"/","cls":0.1}}`, `{"properties":{"a":1e999}}`,
		`{"type":"outgoing_link","href":"x","eventId":{}}`, `{"name":"x","path":"/","anonymizeVisitorIds":{"a":[]}}`,
		`{"name":"\ud800","path":"\u0085/"}`,
		`[{"path":"/a/?b","exitType":"HIDDEN ","timeOnPage":604800,"activeTime":"1.0005","clickCount":65535,"pageIndex":-1,"rageClickTarget":"#x"}]`,
		`[{"path":"/","exitType":"crash"},{"path":"/","scrollCount":65536},{"path":"/","errorCount":1e-9},{"path":"/","keyCount":[]},{"path":"/","maxScrollDepth":100.5}]`,
		`[{"linkId":"l1","ip":"::1%eth0","country":"de"}]`, `{"name":"x","path":"/","timestamp":"0000-01-01"}`,
		`{"payload":{},"name":[]}`,
	} {
		for _, g := range good {
			f.Add(g.target, []byte(body), "all", chrome)
			f.Add(g.target, []byte(body), "", chrome)
		}
	}
	w, writer := &world{}, &strict{}
	h, err := New(Config{Writer: writer, Directory: w, Auth: w, Limiter: w, Audit: w, Salts: w, Usage: NoQuotas,
		Profiles: nowhere{}, Now: noonClock})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, target string, body []byte, key, ua string) {
		u, err := url.Parse(target)
		if err != nil {
			return
		}
		writer.t, w.entries, w.limits = t, nil, nil
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
		r.URL = u
		if u.Path == pixelPath {
			r.Method = http.MethodGet
		}
		if bytes.HasPrefix(body, []byte("\x1f\x8b")) {
			r.Header["Content-Encoding"] = []string{"gzip"}
		}
		r.Header["User-Agent"] = []string{ua}
		if key != "" {
			r.Header["Authorization"] = []string{"Bearer " + key}
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if rec.Code >= 500 || !json.Valid(rec.Body.Bytes()) && rec.Body.String() != pixel {
			t.Errorf("%s %q: %d %s", target, body, rec.Code, rec.Body)
		}
	})
}

func BenchmarkBatchOfTen(b *testing.B) {
	w := &world{}
	h, err := New(Config{Writer: nowhere{}, Directory: w, Auth: w, Limiter: w, Audit: w, Salts: w, Usage: NoQuotas,
		Now: noonClock})
	if err != nil {
		b.Fatal(err)
	}
	body := "[" + strings.Repeat(pageview+",", 9) + pageview + "]"
	b.ReportAllocs()
	for b.Loop() {
		w.limits = w.limits[:0]
		if code := serve(b, h, "/batch?client_id=w1", body); code != http.StatusOK {
			b.Fatal(code)
		}
	}
}

type nowhere struct{}

func (nowhere) Identify(context.Context, store.Identification) error { return nil }

func (nowhere) Write(_ context.Context, b *store.Batch) (store.Written, error) {
	return store.Written{Stored: b.Len()}, nil
}
