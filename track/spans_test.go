package track

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestErrorsInFull(t *testing.T) {
	var w world
	a := w.post(t, "/errors?client_id=w1", `[
		{"eventId":"x1","message":"boom","path":"https://shop.com/a/","filename":"app.js","lineno":10,"colno":"20","stack":"`+strings.Repeat("s", 3000)+`","errorType":"TypeError","anonymousId":"a","sessionId":"s","timestamp":1772625600000},
		{"eventId":"x2","message":"later","path":"/b"}]`)
	if a.code != 200 || a.body["count"] != 2.0 || a.body["type"] != "error" {
		t.Errorf("%d %s", a.code, a.raw)
	}
	want := []store.Error{
		{Website: "w1", ID: "x1", Time: time.UnixMilli(1772625600000).UTC(),
			Identity: store.Identity{AnonymousID: hashed("a"), SessionID: "s"}, Agent: fromChrome, Path: "/a",
			Message: "boom", ErrorType: "TypeError", Filename: "app.js", Line: store.Known(10), Col: store.Known(20),
			Stack: strings.Repeat("s", 2048)},
		{Website: "w1", ID: "x2", Time: noon, Agent: fromChrome, Path: "/b", Message: "later", ErrorType: "Error"},
	}
	if d := cmp.Diff(want, w.rows().Errors); d != "" {
		t.Error(d)
	}
	if len(w.written) != 1 {
		t.Errorf("%d writes for one request", len(w.written))
	}
}

func TestErrorBodiesAreSmall(t *testing.T) {
	var w world
	a := w.post(t, "/errors?client_id=w1", "["+strings.Repeat(" ", 128<<10)+"]")
	if a.code != 413 || a.body["code"] != "INGEST_ERRORS_BODY_TOO_LARGE" {
		t.Errorf("%d %s", a.code, a.raw)
	}
}

func TestVitals(t *testing.T) {
	var w world
	a := w.post(t, "/vitals?client_id=w1", `[
		{"metricName":"CLS","metricValue":0.12345,"path":"/a","eventId":"v1"},
		{"metricName":"fps","metricValue":59.5,"path":"/a","eventId":"v2"},
		{"metricName":"XYZ","metricValue":1,"path":"/a"},
		{"metricName":"LCP","path":"/a"},
		{"metricName":"LCP","metricValue":1}]`, "Content-Type", "text/plain")
	if a.code != 200 || a.body["status"] != "partial" || a.body["count"] != 2.0 || a.body["processed"] != 5.0 {
		t.Errorf("%d %s", a.code, a.raw)
	}
	var got []string
	for _, v := range w.rows().Vitals {
		got = append(got, fmt.Sprint(v.ID, v.Path, v.Samples))
	}
	if want := []string{"v1/a[{CLS 1235}]", "v2/a[{FPS 60}]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range []struct{ fields, wrong string }{
		{`"metricName":"XYZ","metricValue":1`, "metricName"}, {`"metricValue":1`, "metricName"},
		{`"metricName":"LCP"`, "metricValue"}, {`"metricName":"LCP","metric_value":-1`, "metric_value"},
		{`"metricName":"LCP","metricValue":"x"`, "metricValue"},
	} {
		if a := w.post(t, "/vitals?client_id=w1", `{"path":"/a",`+c.fields+`}`); a.code != 400 ||
			!slices.Equal(a.wrongFields(), []string{c.wrong}) {
			t.Errorf("%s: %d %s", c.fields, a.code, a.raw)
		}
	}
}
