package reference

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// read returns a batch from a text with one row per line:
//
//	instant kind id key=value…
//
// Instants begin with 2024-05-. Kinds are view, exit, page, custom, click, error, vital, span, visit, up, down,
// pending, maintenance. Rows belong to subject w, or to the subject in on=….
func read(t *testing.T, lines string) store.Batch {
	t.Helper()
	var b store.Batch
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, "2024-05-"+words[0]+"Z")
		if err != nil {
			t.Fatal(err)
		}
		with := map[string]string{}
		for _, w := range words[3:] {
			k, v, ok := strings.Cut(w, "=")
			if !ok {
				t.Fatalf("missing value in %q", w)
			}
			with[k] = v
		}
		add(t, &b, at, words[1], words[2], with)
	}
	return b
}

func add(t *testing.T, b *store.Batch, at time.Time, kind, id string, with map[string]string) {
	t.Helper()
	on := "w"
	if v, ok := with["on"]; ok {
		on = v
	}
	who := store.Identity{AnonymousID: with["a"], ProfileID: with["p"], SessionID: with["s"]}
	agent := store.Agent{
		Country: with["country"], Region: with["region"], City: with["city"], DeviceType: with["device"],
		BrowserName: with["browser"], BrowserVersion: with["version"], OSName: with["os"], OSVersion: with["osversion"],
	}
	events := map[string]store.EventKind{
		"view": store.Pageview, "exit": store.Exit, "page": store.PageEvent,
		"custom": store.Custom, "click": store.Click,
	}
	checks := map[string]store.Status{"up": store.Up, "down": store.Down, "pending": store.Pending,
		"maintenance": store.Maintenance}
	event, isEvent := events[kind]
	status, isCheck := checks[kind]
	switch {
	case isEvent:
		b.Events = append(b.Events, store.Event{
			Website: on, ID: id, Kind: event, Name: with["name"], Time: at, Identity: who, Agent: agent,
			Path: with["path"], ReferrerDomain: with["from"], UTMSource: with["utm"], UTMMedium: with["medium"],
			UTMCampaign: with["campaign"], UTMTerm: with["term"], UTMContent: with["content"],
			Language: with["lang"], Timezone: with["zone"], Screen: with["screen"],
			LoadTime: measure(t, with["load"]), DOMReadyTime: measure(t, with["dom"]), TTFB: measure(t, with["ttfb"]),
			TimeOnPage: measure(t, with["time"]), ScrollDepth: measure(t, with["scroll"]),
			Interactions: measure(t, with["did"]),
			Properties:   with["props"], Namespace: with["ns"], Href: with["href"], Text: with["text"],
		})
	case isCheck:
		c := store.Check{Schedule: on, ID: id, Time: at, Status: status, Region: with["region"],
			URL: with["url"], HTTPCode: measure(t, with["http"]).V, Error: with["error"],
			Total: measure(t, with["total"]), TTFB: measure(t, with["ttfb"])}
		if v := with["valid"]; v != "" {
			c.SSLValid.V, c.SSLValid.Valid = v == "true", true
			c.SSLExpiry.V, c.SSLExpiry.Valid = time.Date(2025, 1, 2, 3, 4, 5, 6e6, time.UTC), true
		}
		b.Checks = append(b.Checks, c)
	case kind == "error":
		b.Errors = append(b.Errors, store.Error{Website: on, ID: id, Time: at, Identity: who, Agent: agent,
			Path: with["path"], Message: with["message"], ErrorType: with["type"]})
	case kind == "span":
		b.Spans = append(b.Spans,
			store.Span{Website: on, ID: id, Time: at, Identity: who, Agent: agent, Path: with["path"],
				RageClicks: measure(t, with["rage"]).V, DeadClicks: measure(t, with["dead"]).V,
				Errors: measure(t, with["errors"]).V})
	case kind == "visit":
		b.Visits = append(b.Visits, store.Visit{Link: on, ID: id, Time: at, Agent: agent, ReferrerDomain: with["from"]})
	case kind == "vital":
		v := store.Vital{Website: on, ID: id, Time: at, Identity: who, Agent: agent, Path: with["path"]}
		for _, m := range []string{"LCP", "FCP", "CLS", "INP", "TTFB", "FPS"} {
			if n := measure(t, with[m]); n.Valid {
				v.Samples = append(v.Samples, store.Sample{Metric: m, Value: n.V})
			}
		}
		b.Vitals = append(b.Vitals, v)
	default:
		t.Fatalf("unknown kind %q", kind)
	}
}

func measure(t *testing.T, s string) store.Measure {
	t.Helper()
	if s == "" {
		return store.Measure{}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return store.Known(n)
}

// ask returns a question about May 2024, modified by change.
func ask(kind store.SubjectKind, name string, change func(*Question)) Question {
	q := Question{
		Type: name, Subject: store.Subject{Kind: kind, ID: "w"}, Zone: "UTC",
		StartDate: "2024-05-01", EndDate: "2024-05-02", Now: time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC),
	}
	if change != nil {
		change(&q)
	}
	return q
}

// A wanted is a question with its answer, one row per line.
type wanted struct {
	why  string
	kind store.SubjectKind
	name string
	ask  func(*Question)
	rows string
}

func (w wanted) check(t *testing.T, d *Data) {
	t.Helper()
	if w.kind == "" {
		w.kind = store.KindWebsite
	}
	got, err := d.Answer(ask(w.kind, w.name, w.ask))
	if err != nil {
		t.Errorf("%s: %v", w.why, err)
		return
	}
	var want []string
	for line := range strings.Lines(w.rows) {
		if line = strings.TrimSpace(line); line != "" {
			want = append(want, line)
		}
	}
	// Only commas between rows follow a brace.
	lines := strings.ReplaceAll(strings.Trim(string(got), "[]"), "},{", "}\n{")
	if wantLines := strings.Join(want, "\n"); lines != wantLines {
		t.Errorf("%s, %s: got\n%s\nwant\n%s", w.name, w.why, lines, wantLines)
	}
}
