package front

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// minCompressed is the size in bytes from which bodies are compressed. Smaller bodies fit into one packet anyway, and
// responses with secrets, such as new tokens, are smaller.
const minCompressed = 1400

// A compressor compresses the bodies of responses. It reuses encoders, which are large.
type compressor struct {
	gzips sync.Pool // of *gzip.Writer
	zstds sync.Pool // of *zstd.Encoder
}

// A coding is a compression of bodies.
type coding struct {
	name   string // as in Accept-Encoding and Content-Encoding
	encode func(c *compressor, body []byte) []byte
}

// codings lists the supported codings, the preferred one first.
var codings = []coding{{"zstd", (*compressor).zstd}, {"gzip", (*compressor).gzip}}

// compress compresses the text of a if r accepts it. A compressed body is another representation with its own tag. A
// tag that a route sets in the headers always belongs to the uncompressed body.
func (c *compressor) compress(a *Answer, r *http.Request) {
	if a.Type != "" && !a.Text || a.Header.Get("ETag") != "" || a.ETag == "" && len(a.Body) < minCompressed {
		return
	}
	a.varies = true
	by := accepted(r.Header)
	if a.sent(r) == http.StatusNotModified {
		a.Status = http.StatusNotModified
		if coded := by.tag(a.ETag); names(r, func(tag string) bool { return tag == coded }) {
			a.ETag = coded // a 304 has the same tag as a 200
		}
		return
	}
	if len(a.Body) < minCompressed || by.encode == nil {
		return
	}
	encode := func(body []byte) []byte { return by.encode(c, body) }
	var body []byte
	if a.coding = by.name; a.Compressed != nil {
		body = a.Compressed(by.name, encode)
	} else {
		body = encode(a.Body)
	}
	a.release() // a slow client then holds only the smaller body in memory
	a.Body = body
	if a.ETag != "" {
		a.ETag = by.tag(a.ETag)
	}
}

// gzip returns body compressed with gzip.
func (c *compressor) gzip(body []byte) []byte {
	z, ok := c.gzips.Get().(*gzip.Writer)
	if !ok {
		z, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // cannot fail: the level is valid
	}
	defer c.gzips.Put(z)
	b := bytes.NewBuffer(make([]byte, 0, len(body)/4))
	z.Reset(b)
	_, _ = z.Write(body) // cannot fail: the target is in memory
	_ = z.Close()
	return tight(b.Bytes())
}

// zstdWindow is the range of an encoder in bytes. Most responses are shorter.
const zstdWindow = 256 << 10

// zstd returns body compressed with zstd.
func (c *compressor) zstd(body []byte) []byte {
	z, ok := c.zstds.Get().(*zstd.Encoder)
	if !ok { // the options are valid
		z, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	}
	defer c.zstds.Put(z)
	return tight(z.EncodeAll(body, make([]byte, 0, len(body)/4)))
}

// tight returns b in an array that is not much larger than b.
func tight(b []byte) []byte {
	if cap(b) > 2*len(b) {
		return bytes.Clone(b)
	}
	return b
}

// tag returns the tag of a body with this tag in this coding.
func (c coding) tag(tag string) string {
	if c.name == "" {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + "-" + c.name + `"`
}

// ofData reports whether sent is tag in any coding.
func ofData(sent, tag string) bool {
	same := sent == tag
	for _, c := range codings {
		plain, coded := strings.CutSuffix(sent, "-"+c.name+`"`)
		same = same || coded && plain == strings.TrimSuffix(tag, `"`)
	}
	return same
}

// accepted returns the supported coding that a client prefers; the zero coding if there is none.
func accepted(h http.Header) (found coding) {
	most := 0.0
	for _, c := range codings {
		if q := quality(h, c.name); q > most {
			found, most = c, q
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
