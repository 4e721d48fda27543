package track

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/front"
)

// object is a decoded JSON object. Its numbers are json.Number.
type object = map[string]any

// A body is the decoded body of a request.
type body struct {
	value any
	size  int      // bytes after decompression
	err   *problem // the body is not JSON; reported after the sender was checked
}

// read reads and decodes the body.
func (c *call) read() error {
	coding := strings.ToLower(c.Header.Get("Content-Encoding"))
	if !slices.Contains([]string{"", "identity", "gzip"}, coding) {
		return codeMediaType.problem()
	}
	if c.key != nil && !front.IsJSON(c.Header.Get("Content-Type")) {
		return codeMediaType.problem() // pages of other origins could send other types with the cookie of a host's session
	}
	limit := c.h.cfg.MaxBody
	if c.route.body > 0 {
		limit = min(limit, c.route.body)
	}
	raw, err := c.ReadBody(limit)
	if err == nil && coding == "gzip" {
		raw, err = c.Inflate(raw, limit)
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return c.route.tooLarge.problem()
	}
	if errors.Is(err, front.ErrLateBody) {
		return err
	}
	if torn := (*front.BodyError)(nil); errors.As(err, &torn) {
		return c.notJSON(err)
	}
	if err != nil {
		return err
	}
	if items, values := count(raw); items > c.route.items && c.route.items > 1 {
		return codeTooMany.problem()
	} else if values > maxValues {
		p := codeTooMany.problem()
		p.Message += fmt.Sprintf(": more than %d values in all", maxValues)
		return p
	}
	if c.body.value, err = decode(raw); err != nil {
		c.body.err = c.notJSON(err)
	}
	c.body.size = len(raw)
	return nil
}

// A request costs one per started ten items, or one per started 64 KiB of its body if that is more.
const (
	itemsPerCost = 10
	bytesPerCost = 64 << 10
)

func (c *call) cost() int {
	items, _ := c.body.value.([]any)
	return max(1, (len(items)+itemsPerCost-1)/itemsPerCost, (c.body.size+bytesPerCost-1)/bytesPerCost)
}

// notJSON returns the error for a body that is not JSON.
func (c *call) notJSON(err error) *problem {
	if c.route.list { // the mistake is not a missing array
		return codeInvalidJSON.withCause(err)
	}
	return c.route.notJSON.withCause(err)
}

// maxValues is the maximum number of values in a body: decoded, a value takes many times its bytes.
const maxValues = 20_000

// count returns the number of items in the array raw and the number of all values, without decoding it. For invalid
// JSON the counts are meaningless.
func count(raw []byte) (items, values int) {
	depth, text := 0, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case text && b == '\\':
			i++
		case b == '"':
			text = !text
		case text:
		case b == '[' || b == '{':
			depth++
			values++
		case b == ']' || b == '}':
			depth--
		case b == ',':
			values++
			if depth == 1 {
				items++
			}
		}
	}
	return items + 1, values
}

// decode decodes one JSON value, after an optional byte order mark. encoding/json rejects nesting deeper than 10 000
// and control characters. decode also rejects invalid UTF-8, which encoding/json would replace.
func decode(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\uFEFF"))))
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

// list returns the items in the body.
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
			return nil, codeBadEvent.wrongType("", "The body must be an object, not "+kindOf(c.body.value))
		case len(v) == 0:
			return nil, codeEmptyList.problem()
		case len(v) > c.route.items:
			return nil, codeTooMany.problem()
		}
		return v, nil
	default:
		if c.route.items == 1 {
			return nil, codeBadEvent.wrongType("", "The body must be an object, not "+kindOf(c.body.value))
		}
	}
	return nil, c.route.notJSON.problem()
}

// firstSite returns the website of the first event.
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
