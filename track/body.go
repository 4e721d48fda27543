package track

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// object is one JSON object; its numbers are json.Number.
type object = map[string]any

// A body is what was sent, decoded.
type body struct {
	value any
	err   *problem // it is no JSON; told after it is known who asks
}

// read takes the body in.
func (c *call) read() error {
	if e := c.r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return codeMediaType.problem()
	}
	limit := c.h.cfg.MaxBody
	if c.route.body > 0 {
		limit = min(limit, c.route.body)
	}
	raw, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return c.route.tooLarge.problem()
	case err != nil:
		return c.route.notJSON.withCause(err)
	}
	if c.body.value, err = decode(raw); err != nil {
		c.body.err = c.route.notJSON.withCause(err)
		if c.route.list { // no array because it is no JSON at all
			c.body.err = codeInvalidJSON.withCause(err)
		}
	}
	return nil
}

// decode reads one JSON value. encoding/json refuses nesting deeper than 10 000 and
// control characters; it would repair what is not UTF-8, which is refused here.
func decode(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// list returns the items of the body.
func (c *call) list() ([]any, error) {
	if c.body.err != nil {
		return nil, c.body.err
	}
	switch v := c.body.value.(type) {
	case object:
		if !c.route.list {
			return []any{v}, nil
		}
	case []any:
		c.many = true
		switch {
		case c.route.items == 1:
			return nil, codeBadEvent.wrongType("", "expected an object")
		case len(v) > c.route.items:
			return nil, codeTooMany.problem()
		}
		return v, nil
	default:
		if c.route.items == 1 {
			return nil, codeBadEvent.wrongType("", "expected an object")
		}
	}
	return nil, c.route.notJSON.problem()
}

// firstSite is the website that the first event names.
func (b body) firstSite() string {
	v := b.value
	if l, ok := v.([]any); ok && len(l) > 0 {
		v = l[0]
	}
	o, _ := v.(object)
	return newFields(o).peek("websiteId", "website_id")
}

// valid reports whether an id can be looked up and stored.
func valid(id string) bool {
	return id != "" && utf8.ValidString(id) && !strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f })
}
