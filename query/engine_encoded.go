package query

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/sightline-analytics/sightline/query/internal/recall"
	"github.com/sightline-analytics/sightline/store"
)

// An Encoded is a Response in JSON, for hosts that show it to others as it is. It may be shared: it is
// not to be changed.
type Encoded struct {
	JSON     []byte   // with a newline at its end
	Failures []Result // of the parameters that failed

	rows       int
	compressed *sync.Map  // by coding; nil: it is not kept
	room       *sync.Pool // where JSON comes from; nil: it stays
}

// maxRoom is the largest answer whose memory is used again.
const maxRoom = 256 << 10

// Release lets other answers use the memory of e, unless e is remembered. After it, e must not be used.
func (e *Encoded) Release() {
	if e.room != nil && cap(e.JSON) <= maxRoom {
		e.room.Put(&e.JSON)
	}
}

// Compressed returns compress(e.JSON), which encodes it by a content coding, such as "gzip". If e is remembered, its compressed
// form is remembered as well, once for each coding. So compress must return the same each time for one coding.
func (e *Encoded) Compressed(coding string, compress func([]byte) []byte) []byte {
	if e.compressed == nil {
		return compress(e.JSON)
	}
	if kept, ok := e.compressed.Load(coding); ok {
		body, _ := kept.([]byte)
		return body
	}
	body := slices.Clip(compress(e.JSON))
	e.compressed.Store(coding, body)
	return body
}

// cost is about how many bytes e takes, with room for its compressed forms.
func (e *Encoded) cost() int64 {
	const fixed = 500
	return fixed + 2*int64(len(e.JSON))
}

// RunEncoded is Run, encoded. An answer without failures is remembered as a whole, beside the answers to its parameters and for
// as long.
func (p *Prepared) RunEncoded(ctx context.Context) (*Encoded, error) {
	at := p.basis(ctx)
	key := p.wholeKey(at)
	if key != nil {
		kept, _ := p.engine.answers.Kept.Get(*key)
		if e, ok := kept.(*Encoded); ok {
			store.MeterOf(ctx).Add(e.rows, 0)
			for i := range p.resolved.Parameters {
				p.engine.note(ctx, &p.resolved.Parameters[i], Origin{Source: Remembered})
			}
			return e, ctx.Err()
		}
	}
	resp, err := p.run(ctx, NewBudget(p.engine.most), at)
	if err != nil {
		return nil, err
	}
	e := &Encoded{}
	for i := range resp.Data {
		if r := &resp.Data[i]; r.Success {
			e.rows += r.Data.Len()
		} else {
			e.Failures = append(e.Failures, *r)
		}
	}
	if key == nil || e.Failures != nil {
		e.room = &p.engine.room
		if used, ok := e.room.Get().(*[]byte); ok {
			e.JSON = (*used)[:0]
		}
		e.JSON = append(resp.Encode(e.JSON), '\n')
		return e, nil
	}
	e.JSON, e.compressed = slices.Clip(append(resp.Encode(nil), '\n')), &sync.Map{}
	p.engine.answers.Kept.Add(*key, e, e.cost())
	return e, nil
}

// wholeKey is the key of the whole answer to p on basis at; nil when it is not kept.
func (p *Prepared) wholeKey(at *basis) *recall.Key {
	if at == nil || p.Key() == "" {
		return nil
	}
	key := recall.Key(sha256.Sum256(append(append(make([]byte, 0, 256), "whole "+p.Key()...), at.all...)))
	return &key
}
