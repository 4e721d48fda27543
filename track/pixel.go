package track

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"

	"github.com/sightline-analytics/sightline/internal/front"
)

// pixelPath accepts one item of / in the URL of an image, for pages and mails without scripts.
const pixelPath = "/px.jpg"

// maxPixel is the maximum length of the URL's parameters.
const maxPixel = 16 << 10

// pixel is a transparent GIF of one pixel.
const pixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x21\xf9\x04\x01\x00\x00\x00\x00" +
	"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x44\x00\x3b"

// pixelSteps changes steps for a route whose item is in the URL parameters. It returns the image even after errors
// that a retry would not fix, because a broken image would be visible. Other errors are returned, so that
// the page can notice them.
func pixelSteps(steps front.Steps[call]) front.Steps[call] {
	allow, answer := steps.Allow, steps.Answer
	steps.Allow = func(ctx context.Context, r *front.Request, c *call) error { return c.excuse(allow(ctx, r, c)) }
	steps.Read = func(_ context.Context, r *front.Request, c *call) error {
		if len(r.URL.RawQuery) > maxPixel {
			return c.excuse(codeIngestTooLarge.problem())
		}
		c.body.value = pixelItem(r.URL.Query())
		return nil
	}
	steps.Answer = func(ctx context.Context, r *front.Request, c *call) (*front.Answer, error) {
		if !c.excused && r.Method != http.MethodHead {
			if _, err := answer(ctx, r, c); c.excuse(err) != nil {
				return nil, err
			}
		}
		return &front.Answer{Status: http.StatusOK, Type: "image/gif", Body: []byte(pixel),
			Header: http.Header{"Cross-Origin-Resource-Policy": {"cross-origin"}}}, nil
	}
	return steps
}

// bracketed matches a parameter that sets one field of an object: properties[plan].
var bracketed = regexp.MustCompile(`^([^\[\]]+)\[([^\[\]]+)\]$`)

// decimal matches a JSON number in a bracketed parameter.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// pixelItem returns the item in the parameters. A parameter with a whole object takes precedence over single
// fields.
func pixelItem(query url.Values) object {
	item := object{}
	for name, values := range query {
		parts := bracketed.FindStringSubmatch(name)
		if parts == nil {
			item[name] = values[0]
			continue
		}
		if query.Has(parts[1]) {
			continue
		}
		fields, _ := item[parts[1]].(object)
		if fields == nil {
			fields = object{}
			item[parts[1]] = fields
		}
		fields[parts[2]] = pixelValue(values[0])
	}
	return item
}

// pixelValue returns the number, boolean or text in s.
func pixelValue(s string) any {
	switch {
	case s == "true", s == "false":
		return s == "true"
	case decimal.MatchString(s):
		return json.Number(s)
	}
	return s
}

// excuse hides errors that a retry would not fix.
func (c *call) excuse(err error) error {
	p, ok := errors.AsType[*problem](err)
	if !ok || p.retryable() {
		return err
	}
	c.excused = true
	return nil
}
