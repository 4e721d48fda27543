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

// pixelPath takes one item of / by the address of an image, for pages and mails that run no script.
const pixelPath = "/px.jpg"

// maxPixel is how long the parameters of its address may be.
const maxPixel = 16 << 10

// pixel is a transparent GIF of one dot.
const pixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x21\xf9\x04\x01\x00\x00\x00\x00" +
	"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x44\x00\x3b"

// pixelSteps are steps for a route without a body, whose item is the parameters of its address. Its answer is the image also where sending the
// same again would help nobody: a broken image would only show on the page. What may pass later
// is an error, so that the page hears of it.
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
		return &front.Answer{Status: http.StatusOK, Type: "image/gif", Body: []byte(pixel), Header: http.Header{"Cross-Origin-Resource-Policy": {"cross-origin"}}}, nil
	}
	return steps
}

// bracketed is a parameter that sets one field of an object: properties[plan].
var bracketed = regexp.MustCompile(`^([^\[\]]+)\[([^\[\]]+)\]$`)

// decimal is a value in brackets that is a number, as JSON spells it.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// pixelItem is the item that the parameters spell. An object that is there as a whole counts before
// its single fields.
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

// pixelValue is the number, the truth value or the text that s spells.
func pixelValue(s string) any {
	switch {
	case s == "true", s == "false":
		return s == "true"
	case decimal.MatchString(s):
		return json.Number(s)
	}
	return s
}

// excuse leaves out an error that stays when the request is repeated.
func (c *call) excuse(err error) error {
	p, ok := errors.AsType[*problem](err)
	if !ok || p.retryable() {
		return err
	}
	c.excused = true
	return nil
}
