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

// minCompressed is the size of a body from which it is compressed. A smaller one goes in one packet
// either way; and what is secret in an answer, as a new token, is smaller.
const minCompressed = 1400

// A compressor compresses the bodies of answers. It keeps encoders, which are large.
type compressor struct {
	gzips sync.Pool // of *gzip.Writer
	zstds sync.Pool // of *zstd.Encoder
}

// A coding is one that bodies may be compressed by.
type coding struct {
	name   string // in Accept-Encoding and Content-Encoding
	encode func(c *compressor, body []byte) []byte
}

// codings are those that there are: first the one that makes bodies smaller, for clients to which all are the same.
var codings = []coding{{"zstd", (*compressor).zstd}, {"gzip", (*compressor).gzip}}

// compress makes the JSON of a smaller where r accepts that. Data in another coding is another
// representation, with a tag of its own; a tag that its route wrote by itself is of the data as it is.
func (c *compressor) compress(a *Answer, r *http.Request) {
	if a.Type != "" || a.Header.Get("ETag") != "" || a.ETag == "" && len(a.Body) < minCompressed {
		return
	}
	a.varies = true
	by := accepted(r.Header)
	if a.sent(r) == http.StatusNotModified {
		a.Status = http.StatusNotModified
		if coded := by.tag(a.ETag); names(r, func(tag string) bool { return tag == coded }) {
			a.ETag = coded // 304 has the tag that 200 would have
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
	a.release() // a client that reads slowly holds the smaller form only
	a.Body = body
	if a.ETag != "" {
		a.ETag = by.tag(a.ETag)
	}
}

// gzip is body compressed.
func (c *compressor) gzip(body []byte) []byte {
	z, ok := c.gzips.Get().(*gzip.Writer)
	if !ok {
		z, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	}
	defer c.gzips.Put(z)
	b := bytes.NewBuffer(make([]byte, 0, len(body)/4))
	z.Reset(b)
	_, _ = z.Write(body) // writing into memory does not fail
	_ = z.Close()
	return tight(b.Bytes())
}

// zstdWindow is how far back an encoder of zstd looks for repetitions, in bytes: beyond it most answers have ended.
const zstdWindow = 256 << 10

// zstd is body compressed.
func (c *compressor) zstd(body []byte) []byte {
	z, ok := c.zstds.Get().(*zstd.Encoder)
	if !ok { // all options are valid ones
		z, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
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

// tag is that of the data of tag in this coding.
func (c coding) tag(tag string) string {
	if c.name == "" {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + "-" + c.name + `"`
}

// ofData reports whether sent stands for the data of tag, in whatever coding.
func ofData(sent, tag string) bool {
	same := sent == tag
	for _, c := range codings {
		plain, coded := strings.CutSuffix(sent, "-"+c.name+`"`)
		same = same || coded && plain == strings.TrimSuffix(tag, `"`)
	}
	return same
}

// accepted is the coding that a client prefers, of those that there are; the zero one: none.
func accepted(h http.Header) (found coding) {
	most := 0.0
	for _, c := range codings {
		if q := quality(h, c.name); q > most {
			found, most = c, q
		}
	}
	return found
}

// AcceptsGzip reports whether the answer to a request with the headers h may be compressed by gzip.
func AcceptsGzip(h http.Header) bool { return quality(h, "gzip") > 0 }

// quality is how much a client prefers a coding, from 0, not at all, to 1: see RFC 9110, section 12.4.2.
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
