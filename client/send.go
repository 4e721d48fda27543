package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A call is one request, which may take several attempts.
type call struct {
	method string
	url    string
	body   []byte // nil: none
	match  string // of the header If-Match; empty: none
	twice  bool   // the request may run twice: it only reads, or a repeat changes nothing
}

// get requests a path of the API and decodes the body of its response.
func (c *Client) get(ctx context.Context, path string, values url.Values, into any) (http.Header, error) {
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return c.send(ctx, call{method: http.MethodGet, url: c.api + path, twice: true}, into)
}

// post sends a request that changes nothing, or nothing more when it is repeated.
func (c *Client) post(ctx context.Context, path string, body, into any) error {
	return c.sendJSON(ctx, call{method: http.MethodPost, url: c.api + path, twice: true}, body, into)
}

// write sends a change to a path of the API. body may be nil.
func (c *Client) write(ctx context.Context, method, path string, body, into any) error {
	return c.sendJSON(ctx, call{method: method, url: c.api + path}, body, into)
}

// sendJSON sends k with a body, which may be nil.
func (c *Client) sendJSON(ctx context.Context, k call, body, into any) error {
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("client: %w", err)
		}
		k.body = text
	}
	_, err := c.send(ctx, k, into)
	return err
}

// send sends k until an attempt succeeds, fails for good, or the attempts or the context end. It decodes the body into
// into.
func (c *Client) send(ctx context.Context, k call, into any) (http.Header, error) {
	for attempt := 0; ; attempt++ {
		header, err := c.attempt(ctx, k, into)
		if err == nil {
			return header, nil
		}
		wait, again := c.again(k, err, attempt)
		if !again || ctx.Err() != nil {
			return nil, err
		}
		if end, ok := ctx.Deadline(); ok && wait > time.Until(end) {
			return nil, fmt.Errorf("%w; the context ends before the next attempt", err)
		}
		if waitErr := sleep(ctx, wait); waitErr != nil {
			return nil, fmt.Errorf("%w; %w", err, waitErr)
		}
	}
}

// The waits between attempts, where the service names none: a random time up to a bound that doubles.
const (
	firstBackoff = 250 * time.Millisecond
	lastBackoff  = 15 * time.Second
)

// again reports whether k is sent again after err, and how long to wait.
func (c *Client) again(k call, err error, attempt int) (time.Duration, bool) {
	if attempt >= c.cfg.Retries {
		return 0, false
	}
	bound := min(firstBackoff<<min(attempt, 10), lastBackoff)
	random := jitter(bound)
	e, answered := errors.AsType[*Error](err)
	switch {
	case answered && (e.refused() || k.twice && e.passing()):
		if e.RetryAfter > 0 {
			// All clients that were refused together would come back together. So each waits a little longer.
			random = e.RetryAfter + jitter(min(e.RetryAfter/4, bound))
		}
		return random, max(e.RetryAfter, 0) <= c.cfg.MaxWait
	case answered:
		return 0, false
	}
	return random, k.twice && !errors.Is(err, errAnswer)
}

// jitter returns a random time of at most bound, which is not 0.
func jitter(bound time.Duration) time.Duration {
	return rand.N(bound) + 1 //nolint:gosec // it spreads requests and protects nothing
}

// errAnswer is wrapped by errors about responses that are complete and cannot be read.
var errAnswer = errors.New("client: the response cannot be read")

// attempt sends k once.
func (c *Client) attempt(ctx context.Context, k call, into any) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, k.method, k.url, bytes.NewReader(k.body))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	r.Header.Set("Accept", "application/json")
	if k.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if k.match != "" {
		r.Header.Set("If-Match", k.match)
	}
	if c.cfg.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	resp, err := c.cfg.HTTP.Do(r)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // the body is read to its end, or the error of reading is returned
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("client: reading the response: %w", err)
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("%w: it has more than %d bytes", errAnswer, maxAnswer)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errorOf(resp, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswer, err)
	}
	return resp.Header, nil
}

// maxAnswer is the largest body that is read of an answer. Answers of the service are smaller.
const maxAnswer = 128 << 20

// retryAfter returns the time that the header Retry-After asks to wait, in seconds or until a date by the clock of the
// service.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(seconds, 0), 1<<30)) * time.Second
	}
	until, err := http.ParseTime(text)
	date, dateErr := http.ParseTime(h.Get("Date"))
	if err != nil || dateErr != nil {
		return 0
	}
	return max(until.Sub(date), 0)
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
