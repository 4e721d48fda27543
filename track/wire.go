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
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// object is a decoded JSON object. Its numbers are json.Number.
type object = map[string]any

// A wireFormat is the form of a route's bodies.
type wireFormat struct {
	list     bool  // the body must be an array; otherwise it is an item, or an array if items allows more than one
	items    int   // maximum number of items; 1 means that the body is an object
	size     int64 // maximum number of bytes; 0 means the configured limit
	tooLarge code  // the error for larger bodies
	notJSON  code  // the error for bodies that are not JSON or have another shape
}

// A body is the decoded body of a request.
type body struct {
	format wireFormat
	value  any
	size   int      // bytes after decompression
	err    *problem // the body is not JSON; reported after the sender was checked
}

// An element is one item in a body, before its fields are read. It has fields or err.
type element struct {
	fields object
	err    *problem // the element is not an object
}

// read reads and decodes the body of r, which may have at most limit bytes. If keyed, r was sent with a key.
func (w wireFormat) read(r *front.Request, limit int64, keyed bool) (body, error) {
	coding := strings.ToLower(r.Header.Get("Content-Encoding"))
	if !slices.Contains([]string{"", "identity", "gzip"}, coding) {
		return body{}, codeMediaType.problem()
	}
	if keyed && !front.IsJSON(r.Header.Get("Content-Type")) {
		// pages of other origins could send other types with the cookie of a host's session
		return body{}, codeMediaType.problem()
	}
	if w.size > 0 {
		limit = min(limit, w.size)
	}
	raw, err := r.ReadBody(limit)
	if err == nil && coding == "gzip" {
		raw, err = r.Inflate(raw, limit)
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return body{}, w.tooLarge.problem()
	}
	if errors.Is(err, front.ErrLateBody) {
		return body{}, err
	}
	if torn := (*front.BodyError)(nil); errors.As(err, &torn) {
		return body{}, w.malformed(err)
	}
	if err != nil {
		return body{}, err
	}
	return w.decode(raw)
}

// decode decodes a body, unless it has too many items or values. A body that is not JSON has its error in err, since
// the sender is checked first.
func (w wireFormat) decode(raw []byte) (body, error) {
	if items, values := count(raw); items > w.items && w.items > 1 {
		return body{}, codeTooMany.problem()
	} else if values > maxValues {
		p := codeTooMany.problem()
		p.Message += fmt.Sprintf(": more than %d values in all", maxValues)
		return body{}, p
	}
	b := body{format: w, size: len(raw)}
	value, err := decode(raw)
	if err != nil {
		b.err = w.malformed(err)
	}
	b.value = value
	return b, nil
}

// malformed returns the error for a body that is not JSON.
func (w wireFormat) malformed(err error) *problem {
	if errors.Is(err, errSeveral) {
		return w.notJSON.wrongType("", "The body must be one JSON object or array, and not several values as in NDJSON")
	}
	if w.list { // the mistake is not a missing array
		return codeInvalidJSON.withCause(err)
	}
	return w.notJSON.withCause(err)
}

// many reports whether the body is an array.
func (b body) many() bool {
	_, ok := b.value.([]any)
	return ok
}

// first returns the first item; nil if there is none.
func (b body) first() object {
	v := b.value
	if l, ok := v.([]any); ok && len(l) > 0 {
		v = l[0]
	}
	o, _ := v.(object)
	return o
}

// elements returns the items in the body, in their order.
func (b body) elements() ([]element, error) {
	if b.err != nil {
		return nil, b.err
	}
	list, many := b.value.([]any)
	o, isObject := b.value.(object)
	switch {
	case isObject && !b.format.list:
		return []element{{fields: o}}, nil
	case b.format.items == 1:
		return nil, codeBadEvent.wrongType("", mistake.Body("The body", mistake.KindOf(b.value)))
	case !many:
		return nil, b.format.notJSON.problem()
	case len(list) == 0:
		return nil, codeEmptyList.problem()
	case len(list) > b.format.items:
		return nil, codeTooMany.problem()
	}
	all := make([]element, len(list))
	for i, v := range list {
		o, ok := v.(object)
		if !ok {
			all[i].err = codeBadEvent.wrongType("", mistake.Body("The item", mistake.KindOf(v)))
		}
		all[i].fields = o
	}
	return all, nil
}

// A request costs one per started ten items, or one per started 64 KiB of its body if that is more.
const (
	itemsPerCost = 10
	bytesPerCost = 64 << 10
)

// cost returns the cost of the request in its rate limit.
func (b body) cost() int {
	items, _ := b.value.([]any)
	return max(1, (len(items)+itemsPerCost-1)/itemsPerCost, (b.size+bytesPerCost-1)/bytesPerCost)
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

// errSeveral is the mistake of a body with several JSON values.
var errSeveral = errors.New("more than one JSON value")

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
		return nil, errSeveral
	}
	return v, nil
}
