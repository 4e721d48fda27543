package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxRecord is the maximum size of a record in bytes. Longer ones are skipped.
const MaxRecord = 1 << 20

// errTooLong: a record has more than MaxRecord bytes.
var errTooLong = errors.New("too long")

// A piece is the text of one record.
type piece struct {
	text   []byte // valid until the next piece is read
	start  int64  // its position in the content
	end    int64  // the position after it
	number int64  // of its line, or of the record, from 1
}

// A splitter reads the content of a source record by record. Next returns io.EOF after the last one. It returns the piece with
// errTooLong, and a text that is only the beginning, for a record that is too long.
type splitter interface {
	next() (piece, error)
}

// lines splits content into lines. It skips empty lines.
type lines struct {
	from   *bufio.Reader
	at     int64
	number int64
}

func (l *lines) next() (piece, error) {
	for {
		p, err := l.line()
		if err != nil || len(p.text) > 0 {
			return p, err
		}
	}
}

// line returns the next line without its end.
func (l *lines) line() (piece, error) {
	l.number++
	p := piece{start: l.at, number: l.number}
	text, err := l.from.ReadSlice('\n')
	l.at += int64(len(text))
	if errors.Is(err, bufio.ErrBufferFull) {
		p.text = bytes.Clone(text[:maxExample])
		for errors.Is(err, bufio.ErrBufferFull) {
			text, err = l.from.ReadSlice('\n')
			l.at += int64(len(text))
		}
		p.end = l.at
		if err != nil && !errors.Is(err, io.EOF) {
			return p, err
		}
		return p, errTooLong
	}
	p.end = l.at
	switch {
	case err == nil || errors.Is(err, io.EOF) && len(text) > 0:
		p.text = bytes.TrimRight(text, "\r\n")
		return p, nil
	default:
		return p, err // also for a line that a damage cuts
	}
}

// elements splits a JSON array, or a sequence of JSON values, into its elements, which may have line breaks.
type elements struct {
	from   *bufio.Reader
	at     int64
	number int64
	buffer []byte
}

func (e *elements) read() (byte, error) {
	c, err := e.from.ReadByte()
	if err == nil {
		e.at++
	}
	return c, err
}

func (e *elements) next() (piece, error) {
	c, err := e.read()
	for err == nil && bytes.IndexByte([]byte(" \t\r\n,[]"), c) >= 0 {
		c, err = e.read()
	}
	if err != nil {
		return piece{}, err
	}
	e.number++
	p := piece{start: e.at - 1, number: e.number}
	e.buffer = e.buffer[:0]
	depth, quoted, escaped := 0, false, false
	for ; err == nil; c, err = e.read() {
		if len(e.buffer) < MaxRecord {
			e.buffer = append(e.buffer, c)
		}
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth <= 0 && !quoted && bytes.IndexByte([]byte("}],\r\n"), c) >= 0 {
			break
		}
	}
	p.text, p.end = e.buffer, e.at
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return p, err
	case p.end-p.start > MaxRecord:
		p.text = e.buffer[:maxExample]
		return p, errTooLong
	}
	return p, nil
}

// rows splits CSV into records, which may have line breaks within quotes. If quotes are not closed within MaxRecord bytes, the
// record is its first line, and splitting continues after it.
type rows struct {
	lines   lines
	pending []line // that were read too early
}

// A line is a piece with the error of reading it.
type line struct {
	piece

	err error
}

func (r *rows) line() line {
	if len(r.pending) > 0 {
		l := r.pending[0]
		r.pending = r.pending[1:]
		return l
	}
	p, err := r.lines.line()
	p.text = bytes.Clone(p.text)
	return line{p, err}
}

func (r *rows) next() (piece, error) {
	first := r.line()
	for first.err == nil && len(first.text) == 0 {
		first = r.line()
	}
	if first.err != nil || !isOpen(first.text) {
		return first.piece, first.err
	}
	whole, more := first.piece, []line(nil)
	whole.text = bytes.Clone(first.text)
	for end := false; !end && len(whole.text) < MaxRecord; {
		l := r.line()
		more = append(more, l)
		if end = l.err != nil; end {
			continue
		}
		whole.text, whole.end = append(append(whole.text, '\n'), l.text...), l.end
		if isOpen(l.text) {
			return whole, nil
		}
	}
	r.pending = append(more, r.pending...)
	return first.piece, nil
}

// isOpen reports whether text opens quotes that it does not close, or closes quotes that are open before it.
func isOpen(text []byte) bool { return bytes.Count(text, []byte(`"`))%2 == 1 }
