package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
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

// dataKey returns the key of s, or an empty one if the store fails to say the versions of its rows.
func (a *api) dataKey(ctx context.Context, r *front.Request, s *query.Snapshot) string {
	key, err := s.Key(ctx)
	if err != nil {
		a.cfg.Logger.WarnContext(ctx, "version of data is unknown", "requestId", r.ID, "error", err)
	}
	return key
}

// dataTag returns the entity tag of a response before it is computed. It covers the route, the key of the data, and
// extra, the other content. It is empty without a key, and so for responses that change with the clock. The key comes
// from versions that count the changes of all owners. [Options.TagKey] hides them: without it, callers could try
// numbers until one gives the tag.
func (a *api) dataTag(r *front.Request, key string, extra any) string {
	if key == "" {
		return ""
	}
	b := append(append(make([]byte, 0, 192), a.cfg.TagKey...), ' ')
	b = append(append(b, r.Route.Path...), ' ') // no path and no key has a blank
	b = append(append(b, key...), ' ')
	if extra != nil {
		shown, err := json.Marshal(extra)
		if err != nil {
			return ""
		}
		b = append(b, shown...)
	}
	return tagOf(b)
}
