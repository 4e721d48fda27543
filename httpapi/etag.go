package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/sightline-analytics/sightline/query"
)

// tagOf is the strong entity tag of bytes.
func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// matches reports whether If-None-Match of r names tag, or anything.
func matches(r *http.Request, tag string) bool {
	for _, line := range r.Header.Values("If-None-Match") {
		for part := range strings.SplitSeq(line, ",") {
			part = strings.TrimSpace(part)
			if part == "*" || strings.TrimPrefix(part, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// dataTag is the entity tag of p's answer before it is computed: what is asked, and the
// versions of the data that the answer depends on. It is empty when no tag holds: for
// answers that the clock changes, and without versions. extra is what else the answer shows.
func (a *api) dataTag(ctx context.Context, c *call, p *query.Prepared, extra any) string {
	key := p.Key()
	if a.cfg.Versions == nil || key == "" {
		return ""
	}
	parts := []any{c.route.path, key, extra}
	for _, d := range p.Dependencies() {
		version, err := a.cfg.Versions.Version(ctx, d.Subject, d.From, d.To)
		if err != nil {
			a.cfg.Logger.WarnContext(ctx, "no data version", "requestId", c.id, "error", err)
			return ""
		}
		parts = append(parts, version)
	}
	b, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	return tagOf(b)
}
