package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query"
)

// keyRoutes returns the routes that manage keys, and the one that lists the audit trail.
func (a *api) keyRoutes() []*route {
	type steps = front.Steps[keyQuestion]
	row := func(method, path, about string, body bool, s steps,
		describe func(*describer) described) *route {
		return &route{Route: front.Route{Method: method, Path: path, Class: auth.ClassOther,
			May: auth.ToManageKeys(), Steps: s}, about: about, of: []string{auth.KindKey}, body: body,
			stores: changes(method, "keys"),
			off:    func(cfg *Config) bool { return cfg.Keys == nil }, describe: describe}
	}
	return []*route{
		row(http.MethodGet, "/v1/keys", "List the keys that the key may manage", false,
			steps{Allow: allowRoute[keyQuestion], Read: a.readKeyPage, Answer: a.listKeys},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "listKeys", Tag: tagKeys, NotModified: true,
					Params: pageParams(listing.MaxLimit),
					About:  "Keys that grant more than yours are not listed; revoked and expired ones are.",
					Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
						openapi.Member("keys", openapi.List("", openapi.Ref("Key"), 0, 0)),
						openapi.Member("next", nextPage())).Needs("success", "keys", "next")}}
			}),
		row(http.MethodPost, "/v1/keys", "Create a key, which never grants more than the key that creates it", true,
			steps{Allow: allowRoute[keyQuestion], Read: a.readNewKey, Answer: a.createKey},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "createKey", Tag: tagKeys, Body: openapi.Ref("NewKey"),
					Answer: openapi.Of[keyBody](d.reflect),
					About:  "The secret is shown once. What the request leaves open is as in your key: filters, query types, expiry and limit."},
					errors: []code{codeConflict}}
			}),
		row(http.MethodGet, "/v1/keys/{id}", "Show a key", false, steps{Allow: a.allowKey, Answer: a.showKey},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getKey", Tag: tagKeys, NotModified: true,
					Params: []openapi.Param{keyParam()}, Answer: openapi.Of[keyBody](d.reflect)}}
			}),
		row(http.MethodPatch, "/v1/keys/{id}", "Change a key", true,
			steps{Allow: a.allowKey, Read: a.readKeyChange, Answer: a.changeKey},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "changeKey", Tag: tagKeys,
					Params: []openapi.Param{keyParam()},
					Body:   openapi.Ref("KeyPatch"), Answer: openapi.Of[keyBody](d.reflect),
					About: "Fields that the body leaves out do not change; `null` removes `types`, `perMinute` or `expires`. The secret stays the same. A key cannot take its own last ability."},
					errors: []code{codeConflict}}
			}),
		row(http.MethodDelete, "/v1/keys/{id}", "Revoke a key", false, steps{Allow: a.allowKey, Answer: a.revokeKey},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "revokeKey", Tag: tagKeys,
					Params: []openapi.Param{keyParam()}, Answer: openapi.Of[keyBody](d.reflect),
					About: "The key and its panel tokens end within a second, for good. It stays in the list as long as the audit trail has its uses, at most as one of the last 1000 keys of the owner that ended."}}
			}),
		row(http.MethodPost, "/v1/keys/{id}/rotate", "Give a key a new secret", true,
			steps{Allow: a.allowKey, Read: a.readRotation, Answer: a.rotateKey},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "rotateKey", Tag: tagKeys,
					Params: []openapi.Param{keyParam()}, Answer: openapi.Of[keyBody](d.reflect),
					About: "The secret is shown once. Of several rotations at the same time one is made.",
					Body:  rotationFields.Schema("")}, errors: []code{codeConflict}}
			}),
		{Route: front.Route{Method: http.MethodGet, Path: "/v1/audit", Class: auth.ClassOther,
			May:   auth.ToReadAudit(),
			Steps: front.Steps[auditQuestion]{Allow: a.allowAudit, Read: a.readAudit, Answer: a.listAudit}},
			about: "List the uses of the owner's keys, newest first",
			off:   func(cfg *Config) bool { return cfg.Trail == nil },
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "listAudit", Tag: tagAudit,
					About: "An entry with a `count` stands for several equal requests. Entries appear within a second.",
					Params: append([]openapi.Param{
						openapi.Query("key", openapi.Text("Only uses of this key")),
						openapi.Query("from", openapi.Moment("Only entries from this instant on")),
						openapi.Query("to", openapi.Moment("Only entries before this instant")),
					}, pageParams(audit.MaxFind)...),
					Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
						openapi.Member("entries", openapi.List("", openapi.Of[auditRecord](d.reflect), 0, 0)),
						openapi.Member("next", nextPage())).Needs("success", "entries", "next")}}
			}},
	}
}

// A keyQuestion is a decoded request about keys.
type keyQuestion struct {
	key    auth.Key // the key in the path, as it was when the request arrived
	change body.Patch[auth.Key]
	grace  time.Duration
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

// allowKey checks that the caller may manage the key in the path, which grants no more than the caller's.
func (a *api) allowKey(ctx context.Context, r *front.Request, q *keyQuestion) error {
	if err := permit(r, r.Route.May, ""); err != nil {
		return err
	}
	return reach(r, r.Segment, func() (ok bool, err error) {
		r.Resource = auth.Resource{Kind: auth.KindKey, ID: r.Segment}
		q.key, err = a.cfg.Keys.Key(ctx, r.Segment)
		r.Resource.Owner = q.key.Owner
		return q.key.Exceeds(r.Key()) == nil, err
	}, unreachedKey)
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
	applyKey(&q.change, &k)
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
		applyKey(&q.change, k)
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
	k, secret, err := a.cfg.Keys.RotateKey(ctx, q.key.ID, q.grace, a.still(r, q))
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

// keyFields are the fields of a key in bodies. Synonyms are words that people use instead.
var keyFields = body.Of(
	body.Member("name", func(k *auth.Key) *string { return &k.Name }).Called("label").
		Shaped(&openapi.Schema{Type: openapi.Types{"string"}, MaxLength: 255}),
	body.List("scopes", func(k *auth.Key) *[]auth.Scope { return &k.Scopes }).Called("permissions", "scope").
		Shaped(openapi.List("", openapi.OneOf("", auth.Scopes()...), 1, len(auth.Scopes()))),
	body.Member("all", func(k *auth.Key) *bool { return &k.All }).Shaped(openapi.Truth(
		"Everything that the owner has now and later; required, unless there are `resources`")),
	body.List("resources", func(k *auth.Key) *[]auth.Resource { return &k.Resources }).Called("websites", "websiteid").
		Shaped(openapi.List("Websites, links and monitors, as `{kind, id}`, each once", resourceSchema(), 0,
			auth.MaxResources)),
	body.Custom("filters", func(k *auth.Key) *[]auth.Filter { return &k.Filters }, readFilters).
		Shaped(openapi.List("Mandatory filters for every answer", openapi.Ref("MandatoryFilter"), 0, maxFilters)),
	body.Custom("types", func(k *auth.Key) *[]string { return &k.Types }, readTypes).Called("parameters").
		Shaped(openapi.List("The query types that the key may use; null: all", openapi.Ref("QueryType"), 1,
			auth.MaxTypes).OrNull()),
	body.Custom("perMinute", func(k *auth.Key) **auth.Limits { return &k.Limits }, readPerMinute).
		Called("limit", "ratelimit", "limits").
		Shaped(openapi.Whole("Requests per minute, in place of the default limits; null: the default limits", 1,
			auth.MaxPerMinute).OrNull()),
	body.Custom("expires", func(k *auth.Key) *time.Time { return &k.Expires }, readInstant).
		Called("expiresat", "expiry").Shaped(openapi.Moment("null: never").OrNull()),
	body.Member("disabled", func(k *auth.Key) *bool { return &k.Disabled }).Called("enabled").
		Shaped(openapi.Truth("A disabled key is refused until this is `false` again")),
)

// resourceSchema is the schema of a resource of a key.
func resourceSchema() *openapi.Schema {
	return openapi.Object("",
		openapi.Member("kind", openapi.OneOf("", auth.KindWebsite, auth.KindLink, auth.KindSchedule)),
		openapi.Member("id", openapi.Text(""))).Needs("kind", "id")
}

// applyKey sets the given fields of k. A list of resources ends All, and the other way round.
func applyKey(p *body.Patch[auth.Key], k *auth.Key) {
	p.Apply(k)
	given := p.New()
	switch {
	case given.All && !p.Gives("resources"):
		k.Resources = nil
	case len(given.Resources) > 0 && !p.Gives("all"):
		k.All = false
	}
}

// readNewKey reads the body of a new key.
func (a *api) readNewKey(_ context.Context, r *front.Request, q *keyQuestion) error {
	return a.readKey(r, q, func(bad *mistake.List) {
		if !q.change.Gives("scopes") {
			bad.AddNew(about("scopes", mistake.Required))
		}
		if !q.change.Gives("all") && !q.change.Gives("resources") {
			bad.AddNew(about("resources", `is required, unless "all" is true`))
		}
		k := auth.Key{}
		applyKey(&q.change, &k)
		k.Narrow(r.Key())
		bad.AddNew(mistake.In(k.Check())...)
		bad.AddNew(mistake.In(k.Exceeds(r.Key()))...)
	})
}

// readKeyChange reads the body of a change.
func (a *api) readKeyChange(_ context.Context, r *front.Request, q *keyQuestion) error {
	return a.readKey(r, q, func(bad *mistake.List) {
		k := q.key.Clone()
		applyKey(&q.change, &k)
		bad.AddNew(mistake.In(k.Check())...)
		bad.AddNew(mistake.In(k.Exceeds(r.Key()))...)
		bad.AddNew(mistake.In(disarms(&k, r))...)
	})
}

// readKey reads the fields of a key. check adds the mistakes of the resulting key.
func (a *api) readKey(r *front.Request, q *keyQuestion, check func(*mistake.List)) error {
	patch, bad, err := readFields(a, r, keyFields)
	if err != nil {
		return err
	}
	q.change = patch
	given := patch.New()
	bad.AddNew(a.cfg.Engine.CheckAccess(query.Access{Filters: queryFilters(given.Filters),
		Types: given.Types}).Mistakes()...)
	check(&bad)
	return bad.ByField().Err()
}

// readFilters reads mandatory filters.
func readFilters(m body.Mistakes, at body.Path, v body.Value, into *[]auth.Filter) {
	var filters []tokenFilter
	body.Items(m, at, v, &filters)
	*into = claimed(filters)
}

// readTypes reads a list of query types. Null means all.
func readTypes(m body.Mistakes, at body.Path, v body.Value, into *[]string) {
	if !v.Null() {
		body.Items(m, at, v, into)
	}
}

// readPerMinute reads a limit. Null means the default limits.
func readPerMinute(m body.Mistakes, at body.Path, v body.Value, into **auth.Limits) {
	var perMinute *int
	if v.Decode(m, at, &perMinute); perMinute != nil {
		*into = &auth.Limits{PerMinute: *perMinute}
	}
}

// readInstant reads an instant. Null means none.
func readInstant(m body.Mistakes, at body.Path, v body.Value, into *time.Time) {
	var text *string
	if !v.Decode(m, at, &text) || text == nil {
		return
	}
	instant, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		m.Wrong(at, "must be an instant such as 2027-01-31T00:00:00Z, or null, not "+
			shortened(*text), "")
		return
	}
	*into = instant
}

// rotationFields are the fields of a rotation: the grace period of the replaced secret.
var rotationFields = body.Of(
	body.Custom("grace", func(g *time.Duration) *time.Duration { return g }, lifetime(maxGrace)).
		Called("ttl", "graceperiod").
		Shaped(openapi.Any("How long the replaced secret stays valid: seconds, or a duration such as `1h`, at most 30 days; by default it ends at once",
			openapi.Whole("", 1, int(maxGrace/time.Second)), openapi.Text(""))))

// readRotation reads the grace period of the replaced secret. Without one it ends at once.
func (a *api) readRotation(_ context.Context, r *front.Request, q *keyQuestion) error {
	patch, bad, err := readFields(a, r, rotationFields)
	if err != nil {
		return err
	}
	q.grace = patch.New()
	return bad.Err()
}

// maxGrace is the longest time for which a replaced secret stays valid.
const maxGrace = 30 * 24 * time.Hour
