package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// selfRoutes returns the route that shows a caller what it may do.
func (a *api) selfRoutes() []*route {
	return []*route{{Route: front.Route{Method: http.MethodGet, Path: "/v1/self", Class: auth.ClassOther,
		Steps: front.Steps[struct{}]{Answer: showSelf}},
		about: "Show what the key or the panel token of the request may do",
		describe: func(d *describer) described {
			return described{Operation: openapi.Operation{ID: "getSelf", Tag: tagKeys, NotModified: true,
				Answer: openapi.Of[selfBody](d.reflect),
				About:  "Every valid key and panel token may ask. The answer has no secret, and nothing of other keys."}}
		}}}
}

// A selfRecord is the caller in responses. It does not have the mandatory filters: the conditions on its answers may be
// a secret of the key's owner, as in [auth.ToExplain]. Of a panel token, it does not have the id and the
// name of its key.
type selfRecord struct {
	Kind      selfKind        `json:"kind"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Scopes    []auth.Scope    `json:"scopes"`
	All       bool            `json:"all"`
	Resources []auth.Resource `json:"resources"`
	Filtered  bool            `json:"filtered"`
	Types     []string        `json:"types"`     // null: all
	PerMinute *int            `json:"perMinute"` // null: the default limits
	Expires   *health.Time    `json:"expires"`   // null: never
}

// A selfKind is the kind of a credential.
type selfKind string

const (
	selfKey   selfKind = "key"
	selfToken selfKind = "token"
)

type selfBody struct {
	Success bool       `json:"success"`
	Self    selfRecord `json:"self"`
}

func showSelf(_ context.Context, r *front.Request, _ *struct{}) (*front.Answer, error) {
	if values, ok := r.Query(); !ok {
		return nil, errMalformed
	} else if bad := unknown(values); len(bad) > 0 {
		return nil, bad
	}
	return tagged(selfBody{true, selfRecordOf(r.Principal)})
}

func selfRecordOf(p *auth.Principal) selfRecord {
	k := p.Key
	s := selfRecord{
		Kind: selfKey, ID: k.ID, Name: k.Name, Scopes: listed(k.Scopes), All: k.ReachesEverything(),
		Resources: listed(k.Resources),
		Filtered:  len(k.Filters) > 0, Types: k.Types, Expires: maybe(earliest(k.Expires, p.Expires)),
	}
	if p.Token != "" {
		s.Kind, s.ID, s.Name = selfToken, p.Token, ""
	}
	if k.Limits != nil {
		s.PerMinute = new(k.Limits.PerMinute)
	}
	return s
}

// earliest returns the earlier of two times, of which the zero time is never.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
