package front_test

import (
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/front"
)

func TestAnswersAreCompressed(t *testing.T) {
	w := newWorld(t)
	key := w.key(t)
	made := map[int]*front.Answer{} // by size; each is returned several times
	for _, size := range []int{100, 5000} {
		a, err := front.JSON(strings.Repeat("a", size))
		if err != nil {
			t.Fatal(err)
		}
		a.ETag = `"v1"`
		made[size] = a
	}
	for _, c := range []struct {
		name, accepts, has string
		size               int
		status             int
		coding, tag        string
	}{
		{name: "no Accept-Encoding", size: 5000, status: 200, tag: `"v1"`},
		{name: "gzip", accepts: "br, gzip;q=0.5", size: 5000, status: 200, coding: "gzip", tag: `"v1-gzip"`},
		{name: "gzip again", accepts: "gzip", size: 5000, status: 200, coding: "gzip", tag: `"v1-gzip"`},
		{name: "small", accepts: "gzip", size: 100, status: 200, tag: `"v1"`},
		{name: "zstd", accepts: "gzip;q=0, zstd", size: 5000, status: 200, coding: "zstd", tag: `"v1-zstd"`},
		{name: "a browser's Accept-Encoding", accepts: "gzip, deflate, br, zstd", size: 5000, status: 200,
			coding: "zstd", tag: `"v1-zstd"`},
		{name: "the preferred coding", accepts: "zstd;q=0.5, gzip ; q=0.8", size: 5000, status: 200, coding: "gzip",
			tag: `"v1-gzip"`},
		{name: "codings with quality 0", accepts: "gzip;q=0, zstd;q=0.000, br", size: 5000, status: 200, tag: `"v1"`},
		{name: "malformed qualities", accepts: "gzip;q=much, zstd;q=NaN, zstd;q=1", size: 5000, status: 200,
			tag: `"v1"`},
		{name: "current tag", accepts: "gzip", has: `W/"v1-gzip"`, size: 5000, status: 304, tag: `"v1-gzip"`},
		{name: "current tag, zstd", accepts: "zstd", has: `"v1-zstd"`, size: 5000, status: 304, tag: `"v1-zstd"`},
		{name: "current tag of a coding that is not accepted", has: `"v1-gzip"`, size: 5000, status: 304, tag: `"v1"`},
		{name: "current tag of another coding", accepts: "gzip", has: `"v0", "v1"`, size: 5000, status: 304,
			tag: `"v1"`},
		{name: "current tag, uncompressed", has: `"v1"`, size: 5000, status: 304, tag: `"v1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := `"` + strings.Repeat("a", c.size) + `"` + "\n"
			w.steps = func(context.Context, *front.Request) (*front.Answer, error) { return made[c.size], nil }
			rec := w.send("POST", "/work", key, "Accept-Encoding", c.accepts, "If-None-Match", c.has)
			h := rec.Header()
			if rec.Code != c.status || h.Get("Content-Encoding") != c.coding || h.Get("ETag") != c.tag ||
				!strings.Contains(strings.Join(h.Values("Vary"), ","), "Accept-Encoding") {
				t.Fatalf("%d, %v", rec.Code, h)
			}
			body, err := io.Reader(rec.Body), error(nil)
			switch c.coding {
			case "gzip":
				body, err = gzip.NewReader(body)
			case "zstd":
				body, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1))
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(body)
			if c.status == 304 {
				want = ""
			}
			if err != nil || string(got) != want {
				t.Errorf("the body is %.20q of %d bytes, %v", got, len(got), err)
			}
		})
	}
}

// encodeZstd is the encoder of a host.
func encodeZstd(body []byte) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(body, nil)
}

// TestTagsOfOtherEncoders asks with the tag of a coding that this host does not have: it had it before, or another
// process has it.
func TestTagsOfOtherEncoders(t *testing.T) {
	w := newWorld(t, func(cfg *front.Config, _ *ratelimit.Config) { cfg.Encoders = nil })
	a, err := front.JSON(strings.Repeat("a", 5000))
	if err != nil {
		t.Fatal(err)
	}
	a.ETag = `"v1"`
	w.steps = func(context.Context, *front.Request) (*front.Answer, error) { return a, nil }
	key := w.key(t)
	rec := w.send("POST", "/work", key, "Accept-Encoding", "zstd, gzip", "If-None-Match", `"v1-zstd"`)
	if rec.Code != 304 {
		t.Errorf("status %d, want 304", rec.Code)
	}
	rec = w.send("POST", "/work", key, "Accept-Encoding", "zstd, gzip")
	if coding := rec.Header().Get("Content-Encoding"); coding != "gzip" {
		t.Errorf("the body is compressed with %q, want gzip", coding)
	}
}
