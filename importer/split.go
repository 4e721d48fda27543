package importer

import (
	"bytes"
	"errors"
)

// errTooLong: a record has more than MaxRecord bytes.
var errTooLong = errors.New("too long")

// A piece is the text of one record.
type piece struct {
	text   []byte // valid until the next piece is read
	start  int64  // its position in the content
	end    int64  // the position after it
	number int64  // of its line, or of the record, from 1
}

// A splitter reads the content of a source record by record. Next returns io.EOF after the last one. For a record
// that is too long it returns a piece and errTooLong, and for one whose end cannot be found a piece and a
// *skipError; reading goes on after them.
type splitter interface {
	next() (piece, error)
}

// lines splits content into lines. It skips empty lines.
type lines struct{ *window }

func (l *lines) next() (piece, error) {
	for {
		l.skipEnds()
		p := l.begin()
		n, err := l.firstLine()
		switch {
		case errors.Is(err, errTooLong):
			return l.tooLong(p), err
		case err != nil:
			return p, err
		}
		p = l.end(p, n)
		if p.text = bytes.TrimRight(p.text, "\r\n"); len(p.text) > 0 {
			return p, nil
		}
	}
}

// rows splits CSV into records, which may have line breaks within quotes. Quotes are only special at the beginning
// of a field. If they are not closed, the first line is refused, and splitting continues after it.
type rows struct {
	*window

	columns   int // number of fields of the first record, which has their names; 0 before it
	separator byte
}

func (r *rows) next() (piece, error) {
	for {
		r.skipEnds()
		p := r.begin()
		first, err := r.firstLine()
		switch {
		case errors.Is(err, errTooLong):
			return r.tooLong(p), err
		case err != nil:
			return p, err
		}
		if r.columns == 0 {
			r.separator = separatorOf(r.rest()[:first])
		}
		n, fields := r.record(first)
		if n == 0 {
			return r.end(p, first), malformed("a quote is not closed")
		}
		p = r.end(p, n)
		if p.text = bytes.TrimRight(p.text, "\r\n"); len(p.text) == 0 {
			continue
		}
		if r.columns == 0 {
			r.columns = fields
		}
		return p, nil
	}
}

// record returns the length of the first record and the number of its fields. The length is 0 if the end cannot be
// found. first is the length of the first line.
func (r *rows) record(first int) (n, fields int) {
	text := r.rest()[:first]
	if bytes.IndexByte(text, '"') < 0 {
		return first, 1 + bytes.Count(text, []byte{r.separator})
	}
	q := quotes{separator: r.separator}
	fields = 1
	for i := 0; ; i++ {
		// The byte after a quote decides what the quote means.
		for i+1 >= len(r.rest()) && r.more() {
			continue
		}
		rest := r.rest()
		if i >= len(rest) {
			if q.quoted || r.full() || q.lines > 0 && r.columns > 0 && fields != r.columns {
				return 0, 0 // the end of the content, or of what a record may have
			}
			return i, fields
		}
		after := byte('\n')
		if i+1 < len(rest) {
			after = rest[i+1]
		}
		switch q.read(rest[i], after) {
		case fieldEnds:
			fields++
		case escapedQuote:
			i++
		case recordEnds:
			if q.lines > 0 && r.columns > 0 && fields != r.columns {
				return 0, 0 // a quote that was not closed has swallowed other records
			}
			return i + 1, fields
		case unclosed:
			return 0, 0
		}
	}
}

// What a byte of CSV is.
type csvMark uint8

const (
	ordinary csvMark = iota
	fieldEnds
	recordEnds
	escapedQuote // two quotes within quotes
	unclosed     // the quotes cannot be right
)

// quotes is the state of reading a record of CSV.
type quotes struct {
	separator byte

	inField bool // not at the beginning of a field
	quoted  bool
	odd     bool // a quoted field has a quote that is neither its end nor doubled
	lines   int  // line breaks within quotes
}

// read reads the byte c, which is followed by after.
func (q *quotes) read(c, after byte) csvMark {
	switch {
	case q.quoted && c == '"' && after == '"':
		return escapedQuote
	case q.quoted && c == '"' && (after == q.separator || after == '\n' || after == '\r'):
		q.quoted = false
	case q.quoted && c == '"':
		q.odd = true
	case q.quoted && c == '\n':
		q.lines++
	case q.quoted:
	case c == '"' && !q.inField:
		q.quoted, q.odd = true, false
	case c == q.separator:
		q.inField = false
		return fieldEnds
	case c == '\n':
		return recordEnds
	}
	q.inField = true
	if q.quoted && q.odd && q.lines > 0 {
		return unclosed
	}
	return ordinary
}

// values splits a sequence of JSON objects: one a line, several a line, objects over several lines, or an array. Of
// an object whose end cannot be found, the first line is refused, and splitting continues after it.
type values struct {
	*window

	count  bool  // number the records; otherwise their lines are their numbers
	number int64 // of the latest record
}

func (v *values) next() (piece, error) {
	for {
		rest := v.rest()
		n := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,[]\x1e"))
		v.take(n)
		if len(v.rest()) > 0 {
			break
		}
		if !v.more() {
			return piece{}, v.err
		}
	}
	p := v.begin()
	if v.number++; v.count {
		p.number = v.number
	}
	if v.rest()[0] != '{' {
		return v.garbage(p)
	}
	var o object
	for i := 0; ; i++ {
		if i == len(v.rest()) && !v.more() {
			return v.unended(p, &o, i)
		}
		switch o.read(v.rest()[i]) {
		case objectEnds:
			return v.end(p, i+1), nil
		case wrongObject:
			return v.end(p, v.resume(i)), errUnended
		case inObject:
		}
	}
}

var errUnended = malformed("the end of the object is missing")

// resume returns where the next record may begin, if the object at the beginning is wrong at i.
func (v *values) resume(i int) int {
	rest := v.rest()
	if line := bytes.IndexByte(rest[:i+1], '\n'); line >= 0 {
		return line + 1
	}
	if rest[i] == '{' {
		return i
	}
	if last := bytes.LastIndex(rest[:i], []byte("},{")); last >= 0 {
		return last + len("},")
	}
	return i + 1 + until(rest[i+1:])
}

// until returns the length of text before the next object or line.
func until(text []byte) int {
	if i := bytes.IndexAny(text, "{\n"); i >= 0 {
		return i
	}
	return len(text)
}

// garbage takes what is not an object.
func (v *values) garbage(p piece) (piece, error) {
	for {
		n := until(v.rest())
		switch {
		case n < len(v.rest()):
			return v.end(p, n), nil
		case v.more():
			continue
		case v.full():
			return v.tooLong(p), errTooLong
		}
		return v.end(p, n), nil
	}
}

// unended takes an object that has not ended after n bytes, at the end of the content or of what a record may have.
func (v *values) unended(p piece, o *object, n int) (piece, error) {
	if line := bytes.IndexByte(v.rest(), '\n'); line >= 0 {
		return v.end(p, line+1), errUnended
	}
	if !v.full() {
		return v.end(p, n), errUnended
	}
	p.text = bytes.Clone(v.rest()[:maxExample])
	v.take(n)
	for {
		for i, c := range v.rest() {
			switch o.read(c) {
			case objectEnds:
				v.take(i + 1)
				p.end = v.at
				return p, errTooLong
			case wrongObject:
				v.take(i)
				p.end = v.at
				return p, errTooLong
			case inObject:
			}
		}
		v.take(len(v.rest()))
		if !v.more() {
			p.end = v.at
			return p, errTooLong
		}
	}
}

// What a byte does to an object.
type objectMark uint8

const (
	inObject objectMark = iota
	objectEnds
	wrongObject // the object cannot have this byte
)

// An object is the state of reading a JSON object. It finds the end of the object, and most of what makes the end
// uncertain.
type object struct {
	depth           int
	quoted, escaped bool
	last            byte // outside of texts, without blanks; a quote for a text
}

func (o *object) read(c byte) objectMark {
	switch {
	case c == '\n' && o.quoted:
		return wrongObject
	case o.escaped:
		o.escaped = false
		return inObject
	case o.quoted:
		o.escaped, o.quoted = c == '\\', c != '"'
		return inObject
	case c == ' ', c == '\t', c == '\r', c == '\n':
		return inObject
	}
	afterValue := o.last == '"' || o.last == '}' || o.last == ']'
	switch c {
	case '"':
		if o.last != '{' && o.last != '[' && o.last != ',' && o.last != ':' {
			return wrongObject
		}
		o.quoted = true
	case '{', '[':
		if o.depth > 0 && o.last != '[' && o.last != ',' && o.last != ':' {
			return wrongObject
		}
		o.depth++
	case '}', ']':
		if o.depth--; o.depth == 0 {
			return objectEnds
		}
	case ',', ':':
	default:
		if afterValue {
			return wrongObject
		}
	}
	o.last = c
	return inObject
}
