package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// An Event is a custom event. Name is required. Its JSON is what the tracking host expects, and can be read again.
type Event struct {
	Name        string         `json:"name"`                 // at most 256 characters
	Properties  map[string]any `json:"properties,omitempty"` // up to 50 keys
	ProfileID   string         `json:"profileId,omitempty"`  // the id of the user in your program
	AnonymousID string         `json:"anonymousId,omitempty"`
	SessionID   string         `json:"sessionId,omitempty"`
	Path        string         `json:"path,omitempty"`
	Namespace   string         `json:"namespace,omitempty"`
	Source      string         `json:"source,omitempty"`

	// ID is the event's identity: an event that is sent twice with one ID counts once. Empty means a random id.
	ID string `json:"eventId,omitempty"`
	// Time is the moment of the event; zero means now.
	Time time.Time `json:"timestamp,omitzero"`
}

// A prepared event has its JSON.
type prepared struct {
	Event
	text json.RawMessage
}

// prepare returns e with an id and a time, so that sending it again stores nothing new.
func (c *Client) prepare(website WebsiteID, e Event) (prepared, error) {
	if e.ID == "" {
		e.ID = rand.Text()
	}
	if e.Time.IsZero() {
		e.Time = c.now()
	}
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	text, err := json.Marshal(struct {
		Event
		WebsiteID WebsiteID `json:"websiteId"`
	}{e, website})
	if err != nil {
		return prepared{Event: e}, fmt.Errorf("client: the event %q is not valid: %w", e.Name, err)
	}
	return prepared{e, text}, nil
}

// maxBatch is the largest number of events in a request.
const maxBatch = 100

// Tracked says what became of events that were sent.
type Tracked struct {
	Stored  int    // the service stored them, or had stored them before
	Ignored int    // the service counts them as blocked traffic, by the website's rules
	Lost    []Lost // the service did not store them
}

// A Lost event was not stored, or nobody knows whether it was.
type Lost struct {
	Event Event // with its id and time: to send it again later stores it once
	Err   error // an [*Error] if the service refused it
}

// Err returns nil if nothing was lost. Otherwise it returns an error with the number of lost events, which wraps the
// first one's error.
func (t Tracked) Err() error {
	if len(t.Lost) == 0 {
		return nil
	}
	return fmt.Errorf("client: %d of %d events are lost: %w", len(t.Lost), t.Stored+t.Ignored+len(t.Lost),
		t.Lost[0].Err)
}

// Track sends events of a website and waits until the service has stored them. It sends 100 events in one request, and
// sends requests again that fail for now. What it returns accounts for every event: if Tracked.Err is nil, none is
// lost. It returns an error that wraps [ErrConfig] if the client has no TrackURL, and then has sent nothing. The key
// needs the scope track:events.
func Track(ctx context.Context, c *Client, website WebsiteID, events ...Event) (Tracked, error) {
	if c.track == "" {
		return Tracked{}, fmt.Errorf("%w: TrackURL is required to send events", ErrConfig)
	}
	var t Tracked
	all := make([]prepared, 0, len(events))
	for _, e := range events {
		p, err := c.prepare(website, e)
		if err != nil {
			t.Lost = append(t.Lost, Lost{p.Event, err})
			continue
		}
		all = append(all, p)
	}
	for batch := range slices.Chunk(all, maxBatch) {
		c.sendEvents(ctx, batch, &t)
	}
	return t, nil
}

// sendEvents sends a batch and adds what became of it to t. A batch that is too large as a whole is sent in halves.
func (c *Client) sendEvents(ctx context.Context, batch []prepared, t *Tracked) {
	results, err := c.postEvents(ctx, batch)
	if e, ok := errors.AsType[*Error](err); ok && len(batch) > 1 &&
		(e.Status == http.StatusRequestEntityTooLarge || e.Code == CodeIngestBatchTooLarge) {
		half := len(batch) / 2
		c.sendEvents(ctx, batch[:half], t)
		c.sendEvents(ctx, batch[half:], t)
		return
	}
	for i, e := range batch {
		switch {
		case err != nil:
			t.Lost = append(t.Lost, Lost{e.Event, err})
		case results[i].Status == "success":
			t.Stored++
		case results[i].Status == "ignored":
			t.Ignored++
		default:
			t.Lost = append(t.Lost, Lost{e.Event, results[i].err()})
		}
	}
}

// An itemResult says what became of one event of a request.
type itemResult struct {
	Status  string   `json:"status"`
	Message string   `json:"message"`
	Code    Code     `json:"code"`
	Errors  []Detail `json:"errors"`

	request string
}

// err returns the error of an event that was not stored. Its status is 503 if the same event may be stored later.
func (r itemResult) err() error {
	e := &Error{Status: http.StatusBadRequest, Code: r.Code, Message: r.Message, Details: r.Errors,
		RequestID: r.request}
	switch r.Code {
	case CodeBillingCheckUnavailable, CodeWebsiteLookupUnavailable, CodeDeliveryUnavailable, CodeStorageFull,
		CodeServiceUnavailable:
		e.Status = http.StatusServiceUnavailable
	}
	return e
}

// postEvents sends a batch and returns a result for each event. If the service stored none, each has its own reason.
func (c *Client) postEvents(ctx context.Context, batch []prepared) ([]itemResult, error) {
	items := make([]json.RawMessage, len(batch))
	for i, e := range batch {
		items[i] = e.text
	}
	text, err := json.Marshal(items)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	var body struct{ Results []itemResult }
	header, err := c.send(ctx, call{method: http.MethodPost, url: c.track + "/track", body: text, twice: true}, &body)
	results, request := body.Results, header.Get("X-Request-Id")
	if e, ok := errors.AsType[*Error](err); ok && len(e.results) == len(batch) {
		results, request, err = e.results, e.RequestID, nil
	}
	if err == nil && len(results) != len(batch) {
		err = fmt.Errorf("%w: it has %d results for %d events", errAnswer, len(results), len(batch))
	}
	for i := range results {
		results[i].request = request
	}
	return results, err
}
