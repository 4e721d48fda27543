package track

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
)

// source is the tracker, built by `make tracker` from tracker/src.
//
//go:embed tracker/tracker.js
var source []byte

// The paths of the tracker: a fixed one, and one with a hash, which pages can pin.
const (
	scriptPath = "/tracker.js"
	pinned     = "/tracker/{file}"
)

// How long browsers cache the tracker. The content of the fixed path changes; the content of a pinned path never does.
const (
	keepScript = "public, max-age=3600"
	keepPinned = "public, max-age=31536000, immutable"
)

// A Script describes the served tracker, so that pages can pin it.
type Script struct {
	Path      string // path below the tracking address, with a hash of the content: /tracker/….js
	Integrity string // value of the attribute integrity of the script element
}

// Tracker returns the script that this version of the package serves. Other versions serve their script under other
// paths. So after an update, pages that pin the script need a new element.
func Tracker() Script {
	name, sum := sha256.Sum256(source), sha512.Sum384(source)
	return Script{
		Path:      "/tracker/" + hex.EncodeToString(name[:8]) + ".js",
		Integrity: "sha384-" + base64.StdEncoding.EncodeToString(sum[:]),
	}
}

// scripts returns the routes of the tracker.
func (h *handler) scripts() ([]*front.Route, error) {
	var zipped bytes.Buffer
	z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(source); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	path := Tracker().Path
	answer := func(_ context.Context, r *front.Request, _ *call) (*front.Answer, error) {
		header := http.Header{
			// also without Origin: a page that pins the script may get it from the browser's cache
			"Access-Control-Allow-Origin":  {"*"},
			"Cross-Origin-Resource-Policy": {"cross-origin"},
			"Cache-Control":                {keepScript},
			"Vary":                         {"Accept-Encoding"},
		}
		if r.Route.Path == pinned {
			if r.Segment != strings.TrimPrefix(path, "/tracker/") {
				return nil, codeNotFound.problem()
			}
			header["Cache-Control"] = []string{keepPinned}
		}
		body, tag := source, path
		if front.AcceptsGzip(r.Header) {
			body, tag = zipped.Bytes(), path+".gz"
			header["Content-Encoding"] = []string{"gzip"}
		}
		return &front.Answer{Status: http.StatusOK, Header: header, Type: "text/javascript; charset=utf-8", ETag: `"` +
			tag + `"`, Body: body}, nil
	}
	var all []*front.Route
	for _, p := range []string{scriptPath, pinned} {
		all = append(all, &front.Route{Method: http.MethodGet, Path: p, Class: auth.ClassTrack, Cache: "no-store",
			CORS: servers, Steps: front.Steps[call]{Answer: answer}})
	}
	return all, nil
}
