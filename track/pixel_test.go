package track

import (
	"bytes"
	"errors"
	"image/gif"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestPixel(t *testing.T) {
	view := "?client_id=w1&type=track&name=screen_view&path=https%3A%2F%2Fshop.com%2Fcart&title=Cart&eventId=e1&load_time=120&properties=%7B%22a%22%3A%5B1%5D%7D"
	for _, row := range []struct {
		name, address, origin, agent string
		world                        *world
		status                       int
		stored                       int
	}{
		{"a view", view, "https://shop.com", chrome, &world{}, 200, 1},
		{"a custom event of the older form", "?client_id=w1&type=custom&name=bought&properties=%7B%7D",
			"https://shop.com", chrome, &world{}, 200, 1},
		{"without an origin, as images are", view, "", chrome, &world{}, 200, 1},
		{"from a bot", view, "", googlebot, &world{}, 200, 0},
		{"from another site", view, "https://elsewhere.com", chrome, &world{}, 200, 0},
		{"without a website", "?name=screen_view", "", chrome, &world{}, 200, 0},
		{"of an unknown website", "?client_id=w0&name=screen_view", "", chrome, &world{}, 200, 0},
		{"of an unknown type", "?client_id=w1&type=x", "", chrome, &world{}, 200, 0},
		{"too long", "?client_id=w1&name=screen_view&properties=" + strings.Repeat("x", maxPixel), "", chrome, &world{},
			200, 0},
		{"with mistakes", "?client_id=w1&load_time=-", "", chrome, &world{}, 200, 0},
		{"while the writer is unavailable", view, "", chrome, &world{writeErr: errors.New("away")}, 503, 0},
		{"while websites cannot be looked up", view, "", chrome, &world{siteErr: errors.New("away")}, 503, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/px.jpg"+row.address, nil)
			r.Header.Set("User-Agent", row.agent)
			if row.origin != "" {
				r.Header.Set("Origin", row.origin)
			}
			rec := httptest.NewRecorder()
			row.world.handler(t).ServeHTTP(rec, r)
			h := rec.Header()
			if rec.Code != row.status || len(row.world.written) != row.stored || h.Get("Cache-Control") != "no-store" {
				t.Fatalf("status %d, %d batches written, %v\n%s", rec.Code, len(row.world.written), h, rec.Body)
			}
			shown, err := gif.Decode(bytes.NewReader(rec.Body.Bytes()))
			switch {
			case row.status != 200:
				if err == nil || h.Get("Retry-After") == "" {
					t.Errorf("a page cannot notice the failure: %v", h)
				}
			case err != nil || h.Get("Content-Type") != "image/gif" ||
				h.Get("Cross-Origin-Resource-Policy") != "cross-origin":
				t.Errorf("the response is not an image, %v: %v", err, h)
			default:
				if _, _, _, opaque := shown.At(0, 0).RGBA(); shown.Bounds().Dx() != 1 || shown.Bounds().Dy() != 1 ||
					opaque != 0 {
					t.Errorf("the image is %v and visible", shown.Bounds())
				}
			}
		})
	}
}

// TestPixelAcceptsFieldsOfBodies checks that URL parameters mean the same as fields of a body.
func TestPixelAcceptsFieldsOfBodies(t *testing.T) {
	body := `{"type":"track","name":"screen_view","eventId":"e1","anonymousId":"a1","sessionId":"s1","timestamp":1772625600000,"path":"https://shop.com/a",` +
		`"load_time":120,"screen_resolution":"1920x1080","utm_source":"mail","properties":{"n":1.50,"nested":{"a":"ü"}}}`
	address := "?client_id=w1&type=track&name=screen_view&eventId=e1&anonymousId=a1&sessionId=s1&timestamp=1772625600000&path=https://shop.com/a" +
		"&load_time=120&screen_resolution=1920x1080&utm_source=mail&properties=%7B%22n%22%3A1.50%2C%22nested%22%3A%7B%22a%22%3A%22%C3%BC%22%7D%7D"
	var stored []store.Batch
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodPost, "/?client_id=w1", bytes.NewReader([]byte(body))),
		httptest.NewRequest(http.MethodGet, "/px.jpg"+address, nil),
	} {
		w := &world{}
		r.Header.Set("User-Agent", chrome)
		w.handler(t).ServeHTTP(httptest.NewRecorder(), r)
		stored = append(stored, w.written...)
	}
	if len(stored) != 2 || !cmp.Equal(stored[0], stored[1]) {
		t.Error(cmp.Diff(stored[:1], stored[1:]))
	}
}

func TestPixelReadsBrackets(t *testing.T) {
	const all = `{"code":"007","n":-1.5,"no":false,"one":1,"yes":true}`
	for query, want := range map[string]string{
		"properties[one]=1&properties[n]=-1.50&properties[yes]=true&properties[no]=false&properties[code]=007":                    all,
		"properties%5Bone%5D=1&properties%5Bn%5D=-1.5&properties%5Byes%5D=true&properties%5Bno%5D=false&properties%5Bcode%5D=007": all,
		"properties[a]=1&properties=%7B%22b%22%3A2%7D":                                                                            `{"b":2}`,
		"properties[a][b]=1&properties[]=1&[a]=1":                                                                                 "",
	} {
		var w world
		r := httptest.NewRequest(http.MethodGet, "/px.jpg?client_id=w1&name=x&path=/&"+query, nil)
		r.Header.Set("User-Agent", chrome)
		w.handler(t).ServeHTTP(httptest.NewRecorder(), r)
		if len(w.written) != 1 || w.rows().Events[0].Properties != want {
			t.Errorf("%s: %+v, want %s", query, w.written, want)
		}
	}
}
