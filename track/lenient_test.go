package track

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

// TestOptionalFieldsNeverCostTheEvent sends each optional field with a value that cannot be stored unchanged. The event
// is stored, and the response names the field.
func TestOptionalFieldsNeverCostTheEvent(t *testing.T) {
	long := strings.Repeat("ä", 3000)
	for _, c := range []struct {
		field, value string
		get          func(store.Event) any
		want         any
	}{
		{"load_time", "61000", func(e store.Event) any { return e.LoadTime }, store.Known(61_000)},
		{"load_time", "600000", func(e store.Event) any { return e.LoadTime }, store.Known(600_000)},
		{"load_time", "600001", func(e store.Event) any { return e.LoadTime }, store.Measure{}},
		{"load_time", `"fast"`, func(e store.Event) any { return e.LoadTime }, store.Measure{}},
		{"load_time", "-1", func(e store.Event) any { return e.LoadTime }, store.Measure{}},
		{"dom_ready_time", "1e999", func(e store.Event) any { return e.DOMReadyTime }, store.Measure{}},
		{"ttfb", "{}", func(e store.Event) any { return e.TTFB }, store.Measure{}},
		{"ttfb", `"NaN"`, func(e store.Event) any { return e.TTFB }, store.Measure{}},
		{"utm_content", `"` + long[:129*2] + `"`, func(e store.Event) any { return e.UTMContent }, long[:128*2]},
		{"utm_source", `"` + strings.Repeat("😀", 65) + `"`, func(e store.Event) any { return e.UTMSource },
			strings.Repeat("😀", 64)},
		{"title", `"` + long[:513*2] + `"`, func(e store.Event) any { return e.Title }, long[:512*2]},
		{"title", "true", func(e store.Event) any { return e.Title }, ""},
		{"timezone", `"` + strings.Repeat("z", 65) + `"`, func(e store.Event) any { return e.Timezone },
			strings.Repeat("z", 64)},
		{"language", `"<de>"`, func(e store.Event) any { return e.Language }, ""},
		{"screen_resolution", "[1920,1080]", func(e store.Event) any { return e.Screen }, ""},
		{"properties", "[1]", func(e store.Event) any { return e.Properties }, ""},
		{"timestamp", `"yesterday"`, func(e store.Event) any { return e.Time }, noon},
		{"timestamp", "1e308", func(e store.Event) any { return e.Time }, noon},
		{"sentAt", `"now","timestamp":946684800000`, func(e store.Event) any { return e.Time.Year() }, 2000},
		{"sessionId", "{}", func(e store.Event) any { return e.SessionID }, ""},
		{"anonymizeVisitorIds", `"maybe"`, func(e store.Event) any { return e.AnonymousID }, hashed("anon_1")},
		{"referrer", `["https://x.org"]`, func(e store.Event) any { return e.ReferrerDomain }, ""},
		{"eventId", "[]", func(e store.Event) any { return uuidForm.MatchString(e.ID) }, true},
		{"eventId", `"` + strings.Repeat("e", 513) + `"`, func(e store.Event) any { return len(e.ID) }, 64},
	} {
		w := world{window: -1}
		a := w.post(t, "/?client_id=w1",
			fmt.Sprintf(`{"name":"screen_view","path":"/","anonymousId":"anon_1",%q:%s}`, c.field, c.value))
		if a.code != 200 || len(w.rows().Events) != 1 {
			t.Errorf("%s %.40s: %d %s", c.field, c.value, a.code, a.raw)
			continue
		}
		want := c.field
		if m, ok := c.want.(store.Measure); ok && m.Valid {
			want = ""
		}
		if got := c.get(w.rows().Events[0]); got != c.want || a.dropped() != want {
			t.Errorf("%s %.40s: stored %v, want %v; dropped %q", c.field, c.value, got, c.want, a.dropped())
		}
	}
}

// TestLongQueryOfAReferrer sends a referrer that is only too long because of its query, which is not stored.
func TestLongQueryOfAReferrer(t *testing.T) {
	var w world
	a := w.post(t, "/?client_id=w1", `{"name":"screen_view","path":"/","referrer":"https://www.google.com/search?q=`+
		strings.Repeat("x", 2100)+`"}`)
	if e := w.rows().Events[0]; e.Referrer != "https://www.google.com/search" || e.ReferrerDomain != "google.com" ||
		a.dropped() != "" {
		t.Errorf("%q %q, %s", e.Referrer, e.ReferrerDomain, a.raw)
	}
}

func TestRequiredTextsAreCut(t *testing.T) {
	var w world
	a := w.post(t, "/?client_id=w1", `{"name":"`+strings.Repeat("x", 129)+`","path":"/`+strings.Repeat("y", 2048)+`"}`)
	e := w.rows().Events[0]
	if a.code != 200 || a.dropped() != "name path" || len(e.Name) != 128 || len(e.Path) != 2048 {
		t.Errorf("%d %s", a.code, a.raw)
	}
}

func TestScrollOverTheWholePage(t *testing.T) {
	var w world
	a := w.post(t, "/?client_id=w1", `{"name":"page_exit","path":"/","scroll_depth":101,"time_on_page":604800}`)
	if e := w.rows().Events[0]; a.dropped() != "scroll_depth" || e.ScrollDepth != store.Known(100) ||
		e.TimeOnPage != store.Known(604_800_000) {
		t.Errorf("%s %+v", a.raw, e)
	}
}

// TestResponsesNameDroppedFields checks that every form of response lists the dropped fields.
func TestResponsesNameDroppedFields(t *testing.T) {
	item := `{"name":"x","path":"/","message":"m","profileId":"u","fcp":1,"href":"h","timestamp":"?"}`
	for _, c := range []struct{ target, body string }{
		{"/?client_id=w1", item}, {"/batch?client_id=w1", "[" + item + "]"}, {"/events?client_id=w1", item},
		{"/events?client_id=w1", "[" + item + "]"},
		{"/errors?client_id=w1", item}, {"/vitals?client_id=w1", item}, {"/engagement?client_id=w1", "[" + item + "]"},
		{"/?client_id=w1", `{"type":"outgoing_link",` + item[1:]},
	} {
		var w world
		if a := w.post(t, c.target, c.body); a.code != 200 || a.dropped() != "timestamp" {
			t.Errorf("%s: %d %s", c.target, a.code, a.raw)
		}
	}
}

func TestIgnoredSaysWhy(t *testing.T) {
	var w world
	if a := w.post(t, "/?client_id=w1", pageview, "User-Agent",
		googlebot); a.raw != `{"status":"ignored","reason":"bot"}`+"\n" {
		t.Error(a.raw)
	}
}

// TestWrongClocks changes the clock of a sender. If the sender reports its time of sending, the stored time is correct.
func TestWrongClocks(t *testing.T) {
	stamp := func(d time.Duration) string { return strconv.FormatInt(noon.Add(d).UnixMilli(), 10) }
	const happened = -10 * time.Second // before it was sent
	for _, ahead := range []time.Duration{0, 90 * time.Minute, -6 * time.Minute, -30 * 24 * time.Hour,
		30 * 365 * 24 * time.Hour, 59 * time.Second, -60 * time.Second,
		-90 * time.Minute, -91 * time.Minute, -6 * 24 * time.Hour, -7*24*time.Hour - time.Second} {
		want := noon.Add(happened)
		late := ahead < -90*time.Minute && ahead > -7*24*time.Hour // a service worker may repeat a request days later
		if late || ahead.Abs() <= time.Minute {                    // a small difference may be the time in transit
			want = noon.Add(happened + ahead)
		}
		if want.After(noon) {
			want = noon
		}
		event := fmt.Sprintf(`{"name":"screen_view","path":"/","timestamp":%s`, stamp(ahead+happened))
		for way, c := range map[string][2]string{
			"the request":      {"/batch?client_id=w1&sent_at=" + stamp(ahead), "[" + event + "}]"},
			"the item":         {"/batch?client_id=w1", "[" + event + `,"sentAt":` + stamp(ahead) + "}]"},
			"the item over it": {"/batch?client_id=w1&sent_at=5", "[" + event + `,"sentAt":` + stamp(ahead) + "}]"},
			"the older form":   {"/?client_id=w1&sent_at=" + stamp(ahead), `{"type":"track","payload":` + event + "}}"},
			"a span":           {"/engagement?client_id=w1&sent_at=" + stamp(ahead), event + "}"},
		} {
			var w world
			a := w.post(t, c[0], c[1])
			got := time.Time{}
			switch b := w.rows(); {
			case len(b.Events) == 1:
				got = b.Events[0].Time
			case len(b.Spans) == 1:
				got = b.Spans[0].Time
			}
			if !got.Equal(want) || a.dropped() != "" {
				t.Errorf("%v ahead, reported in %s: %v, want %v; %s", ahead, way, got, want, a.raw)
			}
		}
	}
}

// TestClocksAheadOfTheServer sends times after the arrival, without a time of sending.
func TestClocksAheadOfTheServer(t *testing.T) {
	for _, ahead := range []time.Duration{time.Second, 61 * time.Minute, 24 * time.Hour, 365 * 24 * time.Hour} {
		var w world
		a := w.post(t, "/?client_id=w1",
			fmt.Sprintf(`{"name":"screen_view","path":"/","timestamp":%d}`, noon.Add(ahead).UnixMilli()))
		if a.code != 200 || !w.rows().Events[0].Time.Equal(noon) {
			t.Errorf("%v ahead: %s", ahead, a.raw)
		}
	}
}

func TestIDsOfAnyText(t *testing.T) {
	var w world
	want := []string{"1732700000.1234567", "GS1.1.1732700000.1.1", "user@host", "a/b+c==", "id with blank", "ä", "42",
		"sess_A-1"}
	for _, id := range want {
		sent := strconv.Quote(id)
		if id == "42" {
			sent = id
		}
		w.post(t, "/?client_id=w1",
			fmt.Sprintf(`{"name":"x","path":"/","sessionId":%s,"profileId":%[1]s,"anonymousId":%[1]s,"anonymizeVisitorIds":false}`, sent))
	}
	var got []string
	for _, e := range w.rows().Events {
		got = append(got, e.SessionID)
		if e.ProfileID != e.SessionID || e.AnonymousID != e.SessionID {
			t.Errorf("%q %q %q", e.SessionID, e.ProfileID, e.AnonymousID)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestPlaceholderIDs sends texts that programs write if they have no id.
func TestPlaceholderIDs(t *testing.T) {
	for _, id := range []string{
		`"undefined"`, `"null"`, `"NaN"`, `"None"`, `"nil"`, `"0"`, `0`, `-1`, `"true"`, `"FALSE"`, `"[object Object]"`,
		`"anonymous"`, `"Guest"`, `" unknown "`, `true`,
	} {
		var w world
		a := w.post(t, "/?client_id=w1",
			fmt.Sprintf(`{"name":"x","path":"/","profileId":%s,"anonymousId":%[1]s,"sessionId":%[1]s}`, id))
		if e := w.rows().Events[0]; e.Identity != (store.Identity{}) ||
			a.dropped() != "anonymousId profileId sessionId" {
			t.Errorf("%s: %+v %s", id, e.Identity, a.raw)
		}
	}
}

func TestByteOrderMark(t *testing.T) {
	var w world
	if a := w.post(t, "/?client_id=w1", "\uFEFF"+pageview); a.code != 200 || len(w.rows().Events) != 1 {
		t.Errorf("%d %s", a.code, a.raw)
	}
	if a := w.post(t, "/?client_id=w1", zipped(t, "\uFEFF"+pageview), "Content-Encoding", "gzip"); a.code != 200 ||
		len(w.rows().Events) != 2 {
		t.Errorf("compressed: %d %s", a.code, a.raw)
	}
}

func TestHeadOfThePixelStoresNothing(t *testing.T) {
	var w world
	a := w.do(t, http.MethodHead, "/px.jpg?client_id=w1&name=screen_view&path=/", "", "User-Agent", chrome)
	if a.code != 200 || a.header.Get("Content-Type") != "image/gif" || len(w.written) != 0 {
		t.Errorf("%d %v, %d writes", a.code, a.header, len(w.written))
	}
}
