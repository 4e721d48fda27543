package httpapi

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/lru"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// responses remembers the responses to whole queries under the key of their query.Snapshot, and lends memory to the
// responses that it does not remember. It is safe for concurrent use.
type responses struct {
	known *lru.Cache[string, *response] // nil: it remembers nothing
	room  sync.Pool                     // of *[]byte
}

// A response is the body of an answer to a query without failures. It is shared and must not be changed.
type response struct {
	body       []byte // with a newline at its end
	form       *form
	rows       int
	compressed sync.Map // by coding
}

// cost returns about how many bytes e takes, with room for its compressed forms.
func (e *response) cost() int64 {
	const fixed = 500
	return fixed + 2*int64(len(e.body))
}

// answer returns e as the response to a request.
func (e *response) answer(tag string) *front.Answer {
	return &front.Answer{Status: http.StatusOK, ETag: tag, Type: e.form.header, Text: true, Body: e.body,
		Compressed: e.encoded}
}

// encoded returns compress(e.body), and remembers it for each coding.
func (e *response) encoded(coding string, compress func([]byte) []byte) []byte {
	if known, ok := e.compressed.Load(coding); ok {
		body, _ := known.([]byte)
		return body
	}
	body := slices.Clip(compress(e.body))
	e.compressed.Store(coding, body)
	return body
}

// maxRoom is the largest response in bytes whose memory is lent again.
const maxRoom = 256 << 10

// answerOnce returns the response with resp in a form, which is not remembered. Other responses use its memory after it
// was sent.
func (all *responses) answerOnce(resp *query.Response, tag string, as *form) *front.Answer {
	room, ok := all.room.Get().(*[]byte)
	if !ok {
		room = new([]byte)
	}
	*room = as.encode(resp, (*room)[:0])
	release := func() {
		if cap(*room) <= maxRoom {
			all.room.Put(room)
		}
	}
	return &front.Answer{Status: http.StatusOK, ETag: tag, Type: as.header, Text: true, Body: *room, Release: release}
}

// whole answers s, whose key is key, in a form. The response has the tag and is remembered, unless a parameter failed:
// a failure may be temporary.
func (a *api) whole(ctx context.Context, r *front.Request, s *query.Snapshot, key, tag string, as *form) (*front.Answer,
	error) {
	key = as.keyed(key)
	if found, ok := a.responses.known.Get(key); ok {
		store.MeterOf(ctx).Add(found.rows, 0)
		s.Reused(ctx)
		return found.answer(tag), ctx.Err()
	}
	resp, err := a.run(ctx, r, s, a.budget(r))
	if err != nil {
		return nil, err
	}
	if !succeeded(resp) {
		if as != jsonForm { // rows alone cannot say that they failed
			return nil, failureOf(&resp.Data[0])
		}
		key, tag = "", ""
	}
	if key == "" || a.responses.known == nil {
		return a.responses.answerOnce(resp, tag, as), nil
	}
	found := &response{form: as}
	for i := range resp.Data {
		found.rows += resp.Data[i].Data.Len()
	}
	found.body = slices.Clip(as.encode(resp, nil))
	a.responses.known.Add(key, found, found.cost())
	return found.answer(tag), nil
}
