package front

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// minCompressed is the size of a body from which it is compressed. A smaller one goes in one packet
// either way; and what is secret in an answer, as a new token, is smaller.
const minCompressed = 1400

// A compressor compresses the bodies of answers by gzip. It keeps writers, which are large.
type compressor struct {
	writers sync.Pool // of *gzip.Writer
}

// compress makes the JSON of a smaller where r accepts that. Data in another coding is another
// representation, with a tag of its own; a tag that its route wrote by itself is of the data as it is.
func (c *compressor) compress(a *Answer, r *http.Request) {
	if a.Type != "" || a.Header.Get("ETag") != "" || a.ETag == "" && len(a.Body) < minCompressed {
		return
	}
	a.varies = true
	if a.sent(r) == http.StatusNotModified {
		zipped := gzipped(a.ETag)
		if a.Status = http.StatusNotModified; AcceptsGzip(r.Header) && names(r, func(tag string) bool { return tag == zipped }) {
			a.ETag = zipped // 304 has the tag that 200 would have
		}
		return
	}
	if len(a.Body) < minCompressed || !AcceptsGzip(r.Header) {
		return
	}
	if a.coding = "gzip"; a.Compressed != nil {
		a.Body = a.Compressed(c.gzip)
	} else {
		a.Body = c.gzip(a.Body)
	}
	if a.ETag != "" {
		a.ETag = gzipped(a.ETag)
	}
}

// gzip is body compressed.
func (c *compressor) gzip(body []byte) []byte {
	z, ok := c.writers.Get().(*gzip.Writer)
	if !ok {
		z, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	}
	defer c.writers.Put(z)
	b := bytes.NewBuffer(make([]byte, 0, len(body)/4))
	z.Reset(b)
	_, _ = z.Write(body) // writing into memory does not fail
	_ = z.Close()
	return b.Bytes()
}

// gzipTag ends the tags of compressed answers.
const gzipTag = `-gzip"`

// gzipped is the tag of the data of tag when it is compressed.
func gzipped(tag string) string { return strings.TrimSuffix(tag, `"`) + gzipTag }

// ofData reports whether sent stands for the data of tag, in whatever coding.
func ofData(sent, tag string) bool {
	plain, zipped := strings.CutSuffix(sent, gzipTag)
	return sent == tag || zipped && plain == strings.TrimSuffix(tag, `"`)
}

// AcceptsGzip reports whether the answer to a request with the headers h may be compressed by gzip.
func AcceptsGzip(h http.Header) bool {
	for _, line := range h.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(line, ",") {
			name, quality, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";q=")
			if strings.EqualFold(name, "gzip") && (quality == "" || strings.Trim(quality, "0.") != "") {
				return true
			}
		}
	}
	return false
}
