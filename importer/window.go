package importer

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
)

// MaxRecord is the maximum size of a record in bytes. Longer ones are skipped.
const MaxRecord = 1 << 20

const firstWindow = 64 << 10

// maxIdle is the number of bytes after which a source is given up if no record ends in them. It bounds sources without
// an end, such as a line that never ends, or line ends alone.
const maxIdle = 64 << 20

// errEndless: maxIdle bytes have no end of a record.
var errEndless = errors.New("no record ends in the next 64 MiB; everything before was imported")

// A window reads the content of a source. It holds the part that was read but not yet taken, and hashes what is taken.
type window struct {
	from io.Reader
	buf  []byte
	r, w int   // the unread part is buf[r:w]
	err  error // of from, after the unread part

	at   int64 // position of the unread part in the content
	line int64 // its line, from 1
	sum  hash.Hash
	// check is a position whose hash is wanted, and checked is the hash of the content before it; empty until it is
	// reached.
	check   int64
	checked string

	since int64        // position at which the splitter began to look for a record
	ended func() error // returns an error when the import ends; may be nil
}

// newWindow returns a window that begins with a size in bytes.
func newWindow(from io.Reader, size int) *window {
	return &window{from: from, buf: make([]byte, size), line: 1, sum: sha256.New()}
}

// rest returns the unread part. It is valid until more is called.
func (w *window) rest() []byte { return w.buf[w.r:w.w] }

// full reports whether the unread part has more bytes than a record may have.
func (w *window) full() bool { return w.w-w.r > MaxRecord }

// more reads more content. It returns false at the end of the content, after an error, and if the window is full.
func (w *window) more() bool {
	if w.err != nil || w.full() {
		return false
	}
	if w.at-w.since > maxIdle {
		w.err = errEndless
	} else if w.ended != nil {
		w.err = w.ended()
	}
	if w.err != nil {
		return false
	}
	if w.w == len(w.buf) {
		held := w.buf
		if w.r <= len(w.buf)/2 {
			held = make([]byte, 2*len(w.buf)+1)
		}
		w.w = copy(held, w.rest())
		w.buf, w.r = held, 0
	}
	const patience = 100
	for range patience {
		n, err := w.from.Read(w.buf[w.w:])
		w.w += n
		w.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// take removes the first n bytes of the unread part, and returns them. They are valid until more is called.
func (w *window) take(n int) []byte {
	taken := w.buf[w.r : w.r+n]
	w.r += n
	before := taken
	if w.at < w.check && w.check <= w.at+int64(n) {
		first := taken[:w.check-w.at]
		w.sum.Write(first)
		w.checked = w.digest()
		before = taken[len(first):]
	}
	w.sum.Write(before)
	w.at += int64(n)
	w.line += int64(bytes.Count(taken, []byte("\n")))
	return taken
}

// digest returns the hash of the content that was taken.
func (w *window) digest() string { return string(w.sum.Sum(nil)) }

// firstLine returns the length of the first line of the unread part, with its end. Its error is errTooLong if the
// line does not end within a record's size, and otherwise the reason why there is no line.
func (w *window) firstLine() (n int, err error) {
	for from := 0; ; {
		if i := bytes.IndexByte(w.rest()[from:], '\n'); i >= 0 {
			return from + i + 1, nil
		}
		from = w.w - w.r
		if w.more() {
			continue
		}
		switch {
		case w.full():
			return from, errTooLong
		case !errors.Is(w.err, io.EOF):
			return 0, w.err // also for a line that a damage cuts
		case from == 0:
			return 0, io.EOF
		}
		return from, nil
	}
}

// skipEnds takes the line ends at the beginning of the unread part.
func (w *window) skipEnds() {
	for {
		w.take(len(w.rest()) - len(bytes.TrimLeft(w.rest(), "\r\n")))
		if len(w.rest()) > 0 || !w.more() {
			return
		}
	}
}

// skipLine takes the rest of the line.
func (w *window) skipLine() {
	for {
		if i := bytes.IndexByte(w.rest(), '\n'); i >= 0 {
			w.take(i + 1)
			return
		}
		w.take(len(w.rest()))
		if !w.more() {
			return
		}
	}
}

// begin returns a piece at the beginning of the unread part.
func (w *window) begin() piece { return piece{start: w.at, number: w.line} }

// end takes the first n bytes as the text of p.
func (w *window) end(p piece, n int) piece {
	p.text = w.take(n)
	p.end = w.at
	return p
}

// tooLong takes the line at whose beginning p is. The text of p is the beginning of the line.
func (w *window) tooLong(p piece) piece {
	p.text = bytes.Clone(w.rest()[:min(maxExample, len(w.rest()))])
	w.skipLine()
	p.end = w.at
	return p
}
