package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
)

// keyRoutes returns the routes that manage keys, and the one that lists the audit trail.
func (a *api) keyRoutes() []*route {
	type steps = front.Steps[keyQuestion]
	row := func(method, path, about string, body bool, s steps) *route {
		return &route{Route: front.Route{Method: method, Path: path, Class: auth.ClassOther, Steps: s}, about: about,
			access: ByKeyManager, body: body,
			stores: changes(method, "keys"),
			off:    func(cfg *Config) bool { return cfg.Keys == nil }}
	}
	return []*route{
		row(http.MethodGet, "/v1/keys", "List the keys that the key may manage", false,
			steps{Allow: a.allowKeys, Read: a.readKeyPage, Answer: a.listKeys}),
		row(http.MethodPost, "/v1/keys", "Create a key, which never grants more than the key that creates it", true,
			steps{Allow: a.allowKeys, Read: a.readNewKey, Answer: a.createKey}),
		row(http.MethodGet, "/v1/keys/{id}", "Show a key", false, steps{Allow: a.allowKey, Answer: a.showKey}),
		row(http.MethodPatch, "/v1/keys/{id}", "Change a key", true,
			steps{Allow: a.allowKey, Read: a.readKeyChange, Answer: a.changeKey}),
		row(http.MethodDelete, "/v1/keys/{id}", "Revoke a key", false, steps{Allow: a.allowKey, Answer: a.revokeKey}),
		row(http.MethodPost, "/v1/keys/{id}/rotate", "Give a key a new secret", true,
			steps{Allow: a.allowKey, Read: a.readRotation, Answer: a.rotateKey}),
		{Route: front.Route{Method: http.MethodGet, Path: "/v1/audit", Class: auth.ClassOther,
			Steps: front.Steps[auditQuestion]{Allow: a.allowAudit, Read: a.readAudit, Answer: a.listAudit}},
			about: "List the uses of the owner's keys, newest first", access: ByAuditor,
			off: func(cfg *Config) bool { return cfg.Trail == nil }},
	}
}

// A keyQuestion is a decoded request about keys.
type keyQuestion struct {
	key    auth.Key // the key in the path, as it was when the request arrived
	change keyChange
	grace  *lifetime
	page   listing.Page
}

// A keyRecord is a key in responses.
type keyRecord struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Start      string          `json:"start"` // of its secret
	State      auth.KeyState   `json:"state"`
	Scopes     []auth.Scope    `json:"scopes"`
	All        bool            `json:"all"`
	Resources  []auth.Resource `json:"resources"`
	Filters    []auth.Filter   `json:"filters"`
	Types      []string        `json:"types"`     // null: all
	PerMinute  *int            `json:"perMinute"` // null: the default limits
	CreatedAt  health.Time     `json:"createdAt"`
	Expires    *health.Time    `json:"expires"` // null: never
	Revoked    *health.Time    `json:"revoked"`
	OldSecrets []oldSecret     `json:"oldSecrets"` // valid ones, the newest first
	LastUsed   *health.Time    `json:"lastUsed"`
}

type oldSecret struct {
	Start string      `json:"start"`
	Until health.Time `json:"until"`
}

func keyRecordOf(k auth.Key, now time.Time) keyRecord {
	r := keyRecord{
		ID: k.ID, Name: k.Name, Start: k.Start, State: k.State(now), Scopes: listed(k.Scopes), All: k.All,
		Resources: listed(k.Resources), Filters: listed(k.Filters),
		Types: k.Types, CreatedAt: health.Time{Time: k.CreatedAt}, Expires: maybe(k.Expires), Revoked: maybe(k.Revoked),
		LastUsed: maybe(k.LastUsed), OldSecrets: []oldSecret{},
	}
	for _, old := range k.OldSecrets(now) {
		r.OldSecrets = append(r.OldSecrets, oldSecret{old.Start, health.Time{Time: old.Until}})
	}
	if k.Limits != nil {
		r.PerMinute = &k.Limits.PerMinute
	}
	return r
}

// listed returns all, which JSON shows as a list also if it is nil.
func listed[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func maybe(at time.Time) *health.Time {
	if at.IsZero() {
		return nil
	}
	return &health.Time{Time: at}
}

// keyBody is the response with one key. Secret is set only after it was created or rotated.
type keyBody struct {
	Success bool      `json:"success"`
	Key     keyRecord `json:"key"`
	Secret  string    `json:"secret,omitempty"`
}

// allowKeys checks that the caller may manage keys.
func (a *api) allowKeys(_ context.Context, r *front.Request, _ *keyQuestion) error {
	r.Scope = auth.ManageKeys
	if r.Principal.MayManageKeys() {
		return nil
	}
	return lacks(auth.ManageKeys)
}

// allowKey checks that the caller may manage the key in the path. Unknown keys, keys of other owners and keys that
// grant more than the caller's get the same answer.
func (a *api) allowKey(ctx context.Context, r *front.Request, q *keyQuestion) error {
	if err := a.allowKeys(ctx, r, q); err != nil {
		return err
	}
	if !plausible(r.Segment) {
		return unreachedKey()
	}
	r.Resource = auth.Resource{Kind: auth.KindKey, ID: r.Segment}
	k, err := a.cfg.Keys.Key(ctx, r.Segment)
	switch {
	case errors.Is(err, auth.ErrNotFound):
		return unreachedKey()
	case err != nil:
		return err
	}
	if r.Resource.Owner = k.Owner; k.Exceeds(r.Key()) != nil {
		return unreachedKey()
	}
	q.key = k
	return nil
}

// unreachedKey returns the error for a key that the caller may not manage.
func unreachedKey() error {
	return &denied{scope: auth.ManageKeys, field: "id",
		why: "is not the id of a key that your key may manage; GET /v1/keys lists them"}
}

// listKeys answers with a page of the keys that the caller may manage.
func (a *api) listKeys(ctx context.Context, r *front.Request, q *keyQuestion) (*front.Answer, error) {
	read := func(page listing.Page) ([]auth.Key, error) { return a.cfg.Keys.KeyPage(ctx, r.Key().Owner, page) }
	found, next, err := pageOf(q.page, read, auth.Key.Position,
		func(k auth.Key) bool { return k.Exceeds(r.Key()) == nil })
	if err != nil {
		return nil, err
	}
	body := keysBody{true, []keyRecord{}, next}
	for _, k := range found {
		body.Keys = append(body.Keys, keyRecordOf(k, r.Now))
	}
	return tagged(body)
}

// readKeyPage decodes the URL.
func (a *api) readKeyPage(_ context.Context, r *front.Request, q *keyQuestion) (err error) {
	q.page, err = readPage(r, listing.DefaultLimit)
	return err
}

// keysBody is a page of keys in responses.
type keysBody struct {
	Success bool        `json:"success"`
	Keys    []keyRecord `json:"keys"`
	Next    *string     `json:"next"` // null on the last page
}

// createKey stores a new key. Only this response has its secret.
func (a *api) createKey(ctx context.Context, r *front.Request, q *keyQuestion) (*front.Answer, error) {
	k := auth.Key{}
	q.change.apply(&k)
	k.Narrow(r.Key())
	k, secret, err := a.cfg.Keys.CreateKey(ctx, k)
	if err != nil {
		return nil, err
	}
	r.Resource = auth.Resource{Kind: auth.KindKey, ID: k.ID, Owner: k.Owner}
	return front.JSON(keyBody{true, keyRecordOf(k, r.Now), secret.Reveal()})
}

// showKey answers with the key in the path.
func (a *api) showKey(_ context.Context, r *front.Request, q *keyQuestion) (*front.Answer, error) {
	return tagged(keyBody{Success: true, Key: keyRecordOf(q.key, r.Now)})
}

// still decides, at the moment of a change, whether the caller may manage the key in the path: since the request
// arrived, somebody else may have widened it, or given it another secret.
func (a *api) still(r *front.Request, q *keyQuestion) auth.Allow {
	return func(k auth.Key) error {
		switch {
		case k.Exceeds(r.Key()) != nil:
			return unreachedKey()
		case k.Start != q.key.Start:
			return auth.ErrConflict
		}
		return nil
	}
}

// changeKey changes the fields in the body.
func (a *api) changeKey(ctx context.Context, r *front.Request, q *keyQuestion) (*front.Answer, error) {
	k, err := a.cfg.Keys.ChangeKey(ctx, q.key.ID, func(k *auth.Key) error {
		if k.Exceeds(r.Key()) != nil {
			return unreachedKey()
		}
		q.change.apply(k)
		return errors.Join(k.Exceeds(r.Key()), disarms(k, r))
	})
	if err != nil {
		return nil, goneKey(err)
	}
	return front.JSON(keyBody{Success: true, Key: keyRecordOf(k, r.Now)})
}

// disarms returns the mistakes of a change by which the caller's own key could do nothing any more. Nobody could undo
// it with that key; to end a key, it is revoked.
func disarms(k *auth.Key, r *front.Request) error {
	if k.ID != r.Key().ID {
		return nil
	}
	const own = "the key of the request would lose its last ability; revoke it with DELETE to end it"
	var faults auth.FieldErrors
	for _, part := range []struct {
		field string
		lost  bool
	}{
		{"scopes", len(k.Scopes) == 0},
		{"resources", !k.All && len(k.Resources) == 0},
		{"types", k.Types != nil && len(k.Types) == 0},
		{"disabled", k.Disabled},
		{"expires", !k.Expires.IsZero() && !k.Expires.After(r.Now)},
	} {
		if part.lost {
			faults = append(faults, auth.FieldError{Field: part.field, Message: own})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return faults
}

// revokeKey revokes the key in the path permanently.
func (a *api) revokeKey(ctx context.Context, r *front.Request, q *keyQuestion) (*front.Answer, error) {
	err := a.cfg.Keys.RevokeKey(ctx, q.key.ID, func(now auth.Key) error {
		if now.Exceeds(r.Key()) != nil {
			return unreachedKey()
		}
		return nil
	})
	if err != nil {
		return nil, goneKey(err)
	}
	k, err := a.cfg.Keys.Key(ctx, q.key.ID)
	if err != nil {
		return nil, goneKey(err)
	}
	return front.JSON(keyBody{Success: true, Key: keyRecordOf(k, r.Now)})
}

// rotateKey gives the key in the path a new secret.
func (a *api) rotateKey(ctx context.Context, r *front.Request, q *keyQuestion) (*front.Answer, error) {
	var grace time.Duration
	if q.grace != nil {
		grace = time.Duration(*q.grace)
	}
	k, secret, err := a.cfg.Keys.RotateKey(ctx, q.key.ID, grace, a.still(r, q))
	if err != nil {
		return nil, goneKey(err)
	}
	return front.JSON(keyBody{true, keyRecordOf(k, r.Now), secret.Reveal()})
}

// goneKey returns err, or the error for an unknown key if the key was removed meanwhile.
func goneKey(err error) error {
	if errors.Is(err, auth.ErrNotFound) {
		return unreachedKey()
	}
	return err
}

// A keyChange has the fields of a body that are given.
type keyChange struct {
	given     map[string]bool
	name      string
	scopes    []auth.Scope
	all       bool
	resources []auth.Resource
	filters   []tokenFilter
	types     []string
	perMinute *int
	expires   *time.Time
	disabled  bool
}

// apply sets the fields of k that are given. A list of resources ends All, and the other way round.
func (c *keyChange) apply(k *auth.Key) {
	set := map[string]func(){
		"name":      func() { k.Name = c.name },
		"scopes":    func() { k.Scopes = c.scopes },
		"all":       func() { k.All = c.all },
		"resources": func() { k.Resources = c.resources },
		"filters":   func() { k.Filters = claimed(c.filters) },
		"types":     func() { k.Types = c.types },
		"perMinute": func() { k.Limits = limitOf(c.perMinute) },
		"expires":   func() { k.Expires = instantOf(c.expires) },
		"disabled":  func() { k.Disabled = c.disabled },
	}
	for name := range c.given {
		set[name]()
	}
	switch {
	case c.given["all"] && c.all && !c.given["resources"]:
		k.Resources = nil
	case c.given["resources"] && len(c.resources) > 0 && !c.given["all"]:
		k.All = false
	}
}

func limitOf(perMinute *int) *auth.Limits {
	if perMinute == nil {
		return nil
	}
	return &auth.Limits{PerMinute: *perMinute}
}

func instantOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

// keySynonyms are words that people use instead of the fields of a key.
var keySynonyms = mistake.Synonyms{
	"permissions": {"scopes"}, "scope": {"scopes"}, "websites": {"resources"}, "websiteid": {"resources"},
	"expiresat": {"expires"}, "expiry": {"expires"},
	"limit": {"perMinute"}, "ratelimit": {"perMinute"}, "limits": {"perMinute"}, "parameters": {"types"},
	"enabled": {"disabled"}, "label": {"name"},
}

// readNewKey reads the body of a new key.
func (a *api) readNewKey(_ context.Context, r *front.Request, q *keyQuestion) error {
	return a.readKey(r, &q.change, func(bad query.Errors) query.Errors {
		if !q.change.given["scopes"] {
			bad = addTo(bad, &query.Error{Code: query.Invalid, Field: "scopes", Message: mistake.Required})
		}
		if !q.change.given["all"] && !q.change.given["resources"] {
			bad = addTo(bad, &query.Error{Code: query.Invalid, Field: "resources",
				Message: `is required, unless "all" is true`})
		}
		k := auth.Key{}
		q.change.apply(&k)
		k.Narrow(r.Key())
		return addTo(addTo(bad, mistakesOf(k.Check())...), mistakesOf(k.Exceeds(r.Key()))...)
	})
}

// readKeyChange reads the body of a change.
func (a *api) readKeyChange(_ context.Context, r *front.Request, q *keyQuestion) error {
	return a.readKey(r, &q.change, func(bad query.Errors) query.Errors {
		k := q.key.Clone()
		q.change.apply(&k)
		bad = addTo(addTo(bad, mistakesOf(k.Check())...), mistakesOf(k.Exceeds(r.Key()))...)
		return addTo(bad, mistakesOf(disarms(&k, r))...)
	})
}

// readKey decodes the body into c. check adds the mistakes of the resulting key.
func (a *api) readKey(r *front.Request, c *keyChange, check func(query.Errors) query.Errors) error {
	given, bad, err := a.readMembers(r, map[string]memberReader{
		"name": oneOf(&c.name), "scopes": eachOf(&c.scopes), "all": oneOf(&c.all), "resources": eachOf(&c.resources),
		"filters": eachOf(&c.filters),
		"types":   typesInto(&c.types), "perMinute": oneOf(&c.perMinute), "expires": instantInto(&c.expires),
		"disabled": oneOf(&c.disabled),
	}, keySynonyms)
	if err != nil {
		return err
	}
	c.given = given
	bad = addTo(bad, a.cfg.Engine.CheckAccess(query.Access{Filters: queryFilters(claimed(c.filters)),
		Types: c.types})...)
	if bad = check(bad); len(bad) == 0 {
		return nil
	}
	slices.SortStableFunc(bad, func(a, b *query.Error) int { return strings.Compare(a.Field, b.Field) })
	return bad[:min(len(bad), maxUnknown)]
}

// typesInto returns a reader for a list of query types. null means all.
func typesInto(to *[]string) memberReader {
	each := eachOf(to)
	return func(name string, js []byte) query.Errors {
		if string(js) == "null" {
			return nil
		}
		return each(name, js)
	}
}

// instantInto returns a reader for an instant. null means none.
func instantInto(to **time.Time) memberReader {
	return func(name string, js []byte) query.Errors {
		var text *string
		if bad := oneOf(&text)(name, js); len(bad) > 0 || text == nil {
			return bad
		}
		at, err := time.Parse(time.RFC3339, *text)
		if err != nil {
			return query.Errors{{Code: query.Invalid, Field: name,
				Message: fmt.Sprintf("must be an instant such as 2027-01-31T00:00:00Z, or null, not %s",
					shortened(*text))}}
		}
		*to = &at
		return nil
	}
}

// readRotation reads the grace period of the replaced secret. Without one it ends at once.
func (a *api) readRotation(_ context.Context, r *front.Request, q *keyQuestion) error {
	_, bad, err := a.readMembers(r, map[string]memberReader{"grace": lifetimeInto(&q.grace, maxGrace)},
		mistake.Synonyms{"ttl": {"grace"}, "graceperiod": {"grace"}})
	if err != nil {
		return err
	}
	if len(bad) > 0 {
		return bad
	}
	return nil
}

// maxGrace is the longest time for which a replaced secret stays valid.
const maxGrace = 30 * 24 * time.Hour
