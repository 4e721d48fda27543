package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// tagOf returns the strong entity tag of b.
func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	tag := base64.RawURLEncoding.AppendEncode(append(make([]byte, 0, 32), '"'), sum[:16])
	return string(append(tag, '"'))
}

// tagged returns a response with the entity tag of its bytes.
func tagged(body any) (*front.Answer, error) {
	rep, err := front.JSON(body)
	if err == nil {
		rep.ETag = tagOf(rep.Body)
	}
	return rep, err
}

// dataTag returns the entity tag of p's response before it is computed. It covers the query, the versions of the data
// that the response depends on, and extra, the other content. It is empty without versions, and for responses that
// change with the clock.
func (a *api) dataTag(ctx context.Context, r *front.Request, p *query.Prepared, extra any) string {
	key := p.Key()
	if a.cfg.Versions == nil || key == "" {
		return ""
	}
	shown := []byte("null")
	if extra != nil {
		var err error
		if shown, err = json.Marshal(extra); err != nil {
			return ""
		}
	}
	b := append(append(make([]byte, 0, 128), `["`...), r.Route.Path...)
	b = append(append(append(b, `","`...), key...), `",`...)
	b = append(b, shown...)
	for _, d := range p.Dependencies() {
		began := a.cfg.Now()
		days, err := a.cfg.Versions.Days(ctx, d.Subject, d.From, d.To)
		store.MeterOf(ctx).Add(0, a.cfg.Now().Sub(began))
		if err != nil {
			a.cfg.Logger.WarnContext(ctx, "version of data is unknown", "requestId", r.ID, "error", err)
			return ""
		}
		b = strconv.AppendUint(append(b, ','), store.VersionOf(days), 10)
	}
	return tagOf(append(b, ']'))
}
