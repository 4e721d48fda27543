package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query"
)

// tokenRoutes returns the route that mints panel tokens.
func (a *api) tokenRoutes() []*route {
	type steps = front.Steps[question]
	return []*route{
		{Route: front.Route{Method: http.MethodPost, Path: "/v1/tokens", Class: auth.ClassOther,
			May:   auth.ToMintTokens(),
			Steps: steps{Allow: a.allowMint, Read: a.readToken, Answer: a.mintToken}},
			about: "Mint a panel token, which never grants more than the key", body: true,
			stores: nothing, off: func(cfg *Config) bool { return cfg.Minter == nil },
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "createToken", Tag: tagTokens,
					Body: openapi.Ref("TokenRequest"), Answer: openapi.Of[tokenBody](d.reflect)}}
			}},
	}
}

// defaultTTL is the default lifetime of a panel token.
const defaultTTL = time.Hour

// A tokenRequest is the body of POST /v1/tokens. Missing fields keep the key's value.
type tokenRequest struct {
	auth.Claims
	ttl time.Duration // 0: defaultTTL
}

// ofKey says how to get what the key grants. Empty lists and null would grant nothing, which no token needs. They must
// not be treated like missing lists, since the token would then grant everything that its key grants.
const ofKey = "leave it out to use the list of the key"

// tokenFields are the fields of tokenRequest.
var tokenFields = body.Of(
	body.Custom("ttl", func(t *tokenRequest) *time.Duration { return &t.ttl }, lifetime(auth.MaxTokenTTL)).
		Called("duration", "exp", "expires", "expiresat", "expiresin", "lifetime", "maxage", "validfor"),
	body.NotEmpty("scopes", func(t *tokenRequest) *[]auth.Scope { return &t.Scopes }, ofKey).Called("permissions"),
	body.NotEmpty("resources", func(t *tokenRequest) *[]auth.Resource { return &t.Resources }, ofKey).
		Called("websites", "websiteid"),
	body.Custom("filters", func(t *tokenRequest) *[]auth.Filter { return &t.Filters }, readFilters),
	body.NotEmpty("types", func(t *tokenRequest) *[]string { return &t.Types }, ofKey).Called("parameters"),
	body.Member("subject", func(t *tokenRequest) *string { return &t.Subject }).Called("user", "userid"),
)

// lifetime returns a reader for a time of at most longest: in JSON a number of seconds, or a text with a duration. Null
// means the default.
func lifetime(longest time.Duration) func(m body.Mistakes, at body.Path, v body.Value, into *time.Duration) {
	return func(m body.Mistakes, at body.Path, v body.Value, into *time.Duration) {
		wrong := func(found string) {
			m.Wrong(at, fmt.Sprintf(
				`must be between 1 and %d seconds, as a whole number or a duration such as "15m", not %s`,
				int(longest.Seconds()), found), "")
		}
		switch text, isText := v.Text(); {
		case v.Null():
		case isText:
			d, err := time.ParseDuration(text)
			if err != nil || d < time.Second || d > longest {
				wrong(shortened(text))
				return
			}
			*into = d
		case v.Kind() != "a number":
			wrong(v.Kind())
		default:
			seconds, err := strconv.Atoi(string(v.Raw()))
			if err != nil || seconds < 1 || seconds > int(longest.Seconds()) {
				wrong(fmt.Sprintf("%.64s", v.Raw()))
				return
			}
			*into = time.Duration(seconds) * time.Second
		}
	}
}

// tokenFilter is a filter in the form of queries, or with a list of values as in keys.
type tokenFilter struct {
	Field  string        `json:"field"`
	Op     string        `json:"op"`
	Value  auth.Values   `json:"value"`
	Values []string      `json:"values"`
	And    []tokenFilter `json:"and"`
	Or     []tokenFilter `json:"or"`
	Not    *tokenFilter  `json:"not"`
	Did    *tokenDid     `json:"did"`
}

// tokenDid is did in the form of queries.
type tokenDid struct {
	Event   *auth.Text    `json:"event"`
	Page    *auth.Text    `json:"page"`
	Click   *auth.Text    `json:"click"`
	Filters []tokenFilter `json:"filters"`
	In      string        `json:"in"`
}

// claim returns f as a claim. An empty group stays one, and is refused.
func (f *tokenFilter) claim() auth.Filter {
	c := auth.Filter{Field: f.Field, Op: f.Op, Values: slices.Concat(f.Value, f.Values), And: claimed(f.And),
		Or: claimed(f.Or)}
	if f.Not != nil {
		c.Not = new(f.Not.claim())
	}
	if d := f.Did; d != nil {
		c.Did = &auth.Did{Event: d.Event, Page: d.Page, Click: d.Click, Filters: claimed(d.Filters), In: d.In}
	}
	return c
}

func claimed(all []tokenFilter) []auth.Filter {
	if all == nil {
		return nil
	}
	claims := make([]auth.Filter, len(all))
	for i := range all {
		claims[i] = all[i].claim()
	}
	return claims
}

// tokenBody is the response of POST /v1/tokens.
type tokenBody struct {
	Success   bool        `json:"success"`
	Token     string      `json:"token"`
	ExpiresAt health.Time `json:"expiresAt"`
}

// allowMint checks that the caller has an API key and not a panel token.
func (a *api) allowMint(_ context.Context, r *front.Request, _ *question) error {
	r.Scope = auth.ReadData // the widest that suffices
	switch {
	case r.Principal.Has(r.Route.May):
		return nil
	case r.Principal.Token != "":
		return &denied{scope: r.Scope, field: "Authorization", why: "needs an API key, not a panel token"}
	}
	return lacks(r.Scope)
}

// readToken reads the claims of the token from the body. It rejects fields and types that the catalog does not have,
// since the user of the token could not correct such a mistake later.
func (a *api) readToken(_ context.Context, r *front.Request, q *question) error {
	patch, bad, err := readFields(a, r, tokenFields)
	if err != nil {
		return err
	}
	q.token = patch.New()
	bad.AddNew(a.cfg.Engine.CheckAccess(query.Access{Filters: queryFilters(q.token.Filters),
		Types: q.token.Types}).Mistakes()...)
	bad.AddNew(mistake.In(q.token.Claims.Check())...)
	return bad.ByField().Err()
}

// mintToken answers with a panel token of the sent key. The token grants only what both its claims and the key
// grant.
func (a *api) mintToken(_ context.Context, r *front.Request, q *question) (*front.Answer, error) {
	ttl := cmp.Or(q.token.ttl, defaultTTL)
	token, err := a.cfg.Minter.Mint(r.Request, q.token.Claims, ttl)
	if err != nil {
		return nil, err
	}
	return front.JSON(tokenBody{true, token.Reveal(), health.Time{Time: r.Now.Add(ttl)}})
}
