package front

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// minCompressed is the size in bytes from which bodies are compressed. Smaller bodies fit into one packet anyway, and
// responses with secrets, such as new tokens, are smaller.
const minCompressed = 1400

// An Encoder compresses bodies.
type Encoder struct {
	Name   string                   // in Accept-Encoding, Content-Encoding and entity tags, such as zstd
	Encode func(body []byte) []byte // safe for concurrent use
}

// A compressor compresses the bodies of responses. The encoders that are preferred come first.
type compressor []Encoder

// newCompressor returns a compressor with the encoders of a host, which are preferred to gzip.
func newCompressor(own []Encoder) compressor { return append(slices.Clone(own), gzipEncoder()) }

// tagged are codings whose tags are known, also if this host does not have them: another process, or an older version
// of this one, may have sent them.
var tagged = []string{"zstd", "gzip"}

// compress compresses the text of a if r accepts it. A compressed body is another representation with its own tag. A
// tag that a route sets in the headers always belongs to the uncompressed body.
func (c compressor) compress(a *Answer, r *http.Request) {
	if a.Type != "" && !a.Text || a.Header.Get("ETag") != "" || a.ETag == "" && len(a.Body) < minCompressed {
		return
	}
	a.varies = true
	by := c.accepted(r.Header)
	if a.sent(r) == http.StatusNotModified {
		a.Status = http.StatusNotModified
		if coded := by.tag(a.ETag); names(r, func(tag string) bool { return tag == coded }) {
			a.ETag = coded // a 304 has the same tag as a 200
		}
		return
	}
	if len(a.Body) < minCompressed || by.Encode == nil {
		return
	}
	var body []byte
	if a.coding = by.Name; a.Compressed != nil {
		body = a.Compressed(by.Name, by.Encode)
	} else {
		body = by.Encode(a.Body)
	}
	a.release() // a slow client then holds only the smaller body in memory
	a.Body = body
	if a.ETag != "" {
		a.ETag = by.tag(a.ETag)
	}
}

// gzipEncoder returns the encoder that every compressor has. It reuses writers, which are large.
func gzipEncoder() Encoder {
	var writers sync.Pool // of *gzip.Writer
	return Encoder{"gzip", func(body []byte) []byte {
		z, ok := writers.Get().(*gzip.Writer)
		if !ok {
			z, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // cannot fail: the level is valid
		}
		defer writers.Put(z)
		b := bytes.NewBuffer(make([]byte, 0, len(body)/4))
		z.Reset(b)
		_, _ = z.Write(body) // cannot fail: the target is in memory
		_ = z.Close()
		return tight(b.Bytes())
	}}
}

// tight returns b in an array that is not much larger than b.
func tight(b []byte) []byte {
	if cap(b) > 2*len(b) {
		return bytes.Clone(b)
	}
	return b
}

// tag returns the tag of a body with this tag in this coding.
func (e Encoder) tag(tag string) string {
	if e.Name == "" {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + "-" + e.Name + `"`
}

// ofData reports whether sent is tag in any coding.
func ofData(sent, tag string) bool {
	same := sent == tag
	for _, name := range tagged {
		plain, coded := strings.CutSuffix(sent, "-"+name+`"`)
		same = same || coded && plain == strings.TrimSuffix(tag, `"`)
	}
	return same
}

// accepted returns the encoder that a client prefers, or the zero Encoder.
func (c compressor) accepted(h http.Header) (found Encoder) {
	most := 0.0
	for _, e := range c {
		if q := quality(h, e.Name); q > most {
			found, most = e, q
		}
	}
	return found
}

// AcceptsGzip reports whether the response to a request with the headers h may be compressed with gzip.
func AcceptsGzip(h http.Header) bool { return quality(h, "gzip") > 0 }

// quality returns the client's preference for a coding, from 0 (not accepted) to 1: see RFC 9110, section 12.4.2.
func quality(h http.Header, coding string) float64 {
	for _, line := range h.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(line, ",") {
			name, weight, weighted := strings.Cut(part, ";")
			if !strings.EqualFold(strings.TrimSpace(name), coding) {
				continue
			}
			if !weighted {
				return 1
			}
			_, value, _ := strings.Cut(weight, "=")
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return 0
			}
			return min(q, 1)
		}
	}
	return 0
}
