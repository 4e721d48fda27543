package track

import (
	"context"
	"errors"
	"net/http"

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
		item := object{}
		for name, values := range r.URL.Query() {
			item[name] = values[0]
		}
		c.body.value = item
		return nil
	}
	steps.Answer = func(ctx context.Context, r *front.Request, c *call) (*front.Answer, error) {
		if !c.excused {
			if _, err := answer(ctx, r, c); c.excuse(err) != nil {
				return nil, err
			}
		}
		return &front.Answer{Status: http.StatusOK, Type: "image/gif", Body: []byte(pixel), Header: http.Header{"Cross-Origin-Resource-Policy": {"cross-origin"}}}, nil
	}
	return steps
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
