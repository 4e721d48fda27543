package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
)

// defaultTTL is the default lifetime of a panel token.
const defaultTTL = time.Hour

// tokenSynonyms are words that people use instead of the fields of a token's request.
var tokenSynonyms = mistake.Synonyms{
	"duration": {"ttl"}, "exp": {"ttl"}, "expires": {"ttl"}, "expiresat": {"ttl"}, "expiresin": {"ttl"},
	"lifetime": {"ttl"}, "maxage": {"ttl"}, "validfor": {"ttl"},
	"permissions": {"scopes"}, "parameters": {"types"}, "user": {"subject"}, "userid": {"subject"},
	"websites": {"resources"}, "websiteid": {"resources"},
}

// A lifetime of a token is in JSON a number of seconds, or a text with a duration.
type lifetime time.Duration

// lifetimeInto returns a reader for a lifetime of at most longest; null means the default.
func lifetimeInto(to **lifetime, longest time.Duration) memberReader {
	return func(name string, js []byte) query.Errors {
		wrong := func(found string) query.Errors {
			return query.Errors{{Code: query.Invalid, Field: name, Message: fmt.Sprintf(
				`must be between 1 and %d seconds, as a whole number or a duration such as "15m", not %s`,
				int(longest.Seconds()), found)}}
		}
		var seconds *int
		var text string
		switch {
		case mistake.Kind(js) == "a string":
			_ = json.Unmarshal(js, &text) // always a string
			d, err := time.ParseDuration(text)
			if err != nil || d < time.Second || d > longest {
				return wrong(shortened(text))
			}
			*to = new(lifetime(d))
		case json.Unmarshal(js, &seconds) != nil:
			if mistake.Kind(js) == "a number" {
				return wrong(fmt.Sprintf("%.64s", js))
			}
			return wrong(mistake.Kind(js))
		case seconds != nil:
			if *seconds < 1 || *seconds > int(longest.Seconds()) {
				return wrong(strconv.Itoa(*seconds))
			}
			*to = new(lifetime(time.Duration(*seconds) * time.Second))
		}
		return nil
	}
}

// tokenRequest is the body of POST /v1/tokens. Missing fields keep the key's value.
type tokenRequest struct {
	ttl       *lifetime
	scopes    []auth.Scope
	resources []auth.Resource
	filters   []tokenFilter
	types     []string
	subject   string
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
	r.Scope = auth.ReadData
	k := r.Key()
	if r.Principal.Token == "" && (k.Has(auth.ReadData) || k.Has(auth.ReadLinks) || k.Has(auth.ReadMonitors)) {
		return nil
	}
	if r.Principal.Token != "" {
		return &denied{scope: auth.ReadData, field: "Authorization", why: "needs an API key, not a panel token"}
	}
	return lacks(auth.ReadData)
}

// readToken reads the claims of the token from the body. It rejects fields and types that the catalog does not have,
// since the user of the token could not correct such a mistake later.
func (a *api) readToken(_ context.Context, r *front.Request, q *question) error {
	js, err := a.readJSON(r)
	if err != nil {
		return err
	}
	bad := q.token.read(js)
	claims := q.token.claims()
	bad = addTo(bad, a.cfg.Engine.CheckAccess(query.Access{Filters: queryFilters(claims.Filters),
		Types: claims.Types})...)
	if bad = addTo(bad, mistakesOf(claims.Check())...); len(bad) == 0 {
		return nil
	}
	slices.SortStableFunc(bad, func(a, b *query.Error) int { return strings.Compare(a.Field, b.Field) })
	return bad[:min(len(bad), maxUnknown)]
}

// mistakesOf returns the mistakes in err, an error of auth.
func mistakesOf(err error) query.Errors {
	faults, _ := errors.AsType[auth.FieldErrors](err)
	return invalids(faults, err)
}

// read decodes the JSON object js. It rejects empty lists and null: they would grant nothing, which no token needs.
// They must not be treated like missing lists, since the token would then grant everything that its key grants.
func (t *tokenRequest) read(js []byte) (bad query.Errors) {
	var members map[string]json.RawMessage
	if err := decodeInto("", js, &members, false); err != nil {
		return query.Errors{err}
	}
	if bad := repeatedMembers(js); len(bad) > 0 {
		return bad
	}
	into := map[string]memberReader{
		"ttl": lifetimeInto(&t.ttl, auth.MaxTokenTTL), "scopes": eachOf(&t.scopes), "resources": eachOf(&t.resources),
		"filters": eachOf(&t.filters), "types": eachOf(&t.types), "subject": oneOf(&t.subject),
	}
	lengths := map[string]func() int{
		"scopes": func() int { return len(t.scopes) }, "resources": func() int { return len(t.resources) },
		"types": func() int { return len(t.types) },
	}
	for name, js := range members {
		read, known := into[name]
		if !known {
			message, suggestion := mistake.Unknown(name, slices.Sorted(maps.Keys(into)), tokenSynonyms)
			bad = append(bad, &query.Error{Code: query.Invalid, Field: name, Message: message, Suggestion: suggestion})
			continue
		}
		wrong, length := read(name, js), lengths[name]
		switch {
		case len(wrong) > 0:
			bad = append(bad, wrong...)
		case length != nil && length() == 0:
			bad = append(bad, &query.Error{Code: query.Invalid, Field: name,
				Message: "must not be empty; leave it out to use the list of the key"})
		}
	}
	return bad
}

// claims returns the claims that narrow the key.
func (t *tokenRequest) claims() auth.Claims {
	c := auth.Claims{Scopes: t.scopes, Resources: t.resources, Types: t.types, Subject: t.subject}
	for _, f := range t.filters {
		c.Filters = append(c.Filters, f.claim())
	}
	return c
}

// mintToken answers with a panel token of the sent key. The token grants only what both its claims and the key
// grant.
func (a *api) mintToken(_ context.Context, r *front.Request, q *question) (*front.Answer, error) {
	ttl := defaultTTL
	if q.token.ttl != nil {
		ttl = time.Duration(*q.token.ttl)
	}
	token, err := a.cfg.Minter.Mint(r.Request, q.token.claims(), ttl)
	if err != nil {
		return nil, err
	}
	return front.JSON(tokenBody{true, token.Reveal(), health.Time{Time: r.Now.Add(ttl)}})
}
