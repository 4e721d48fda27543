package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
)

// resultBody answers for one flag.
type resultBody struct {
	Success bool `json:"success"`
	flags.Result
}

// resultsBody answers for several, by key. A key that is not evaluated is not there.
type resultsBody struct {
	Success bool                    `json:"success"`
	Flags   map[string]flags.Result `json:"flags"`
	Count   int                     `json:"count"`
}

// readOne takes from the address which flag is evaluated, and for whom. Parameters that nobody
// knows do no harm: those of clients to come.
func (a *api) readOne(_ context.Context, r *front.Request, q *flagQuestion) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	q.context, q.keys = contextOf(values), []string{values.Get("key")}
	err := q.check()
	if err == nil && len(q.keys) == 0 {
		return query.Errors{{Code: query.Invalid, Field: "key", Message: "is missing"}}
	}
	return err
}

// readSeveral takes the same for several flags: all of them when there are no keys.
func (a *api) readSeveral(_ context.Context, r *front.Request, q *flagQuestion) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	q.context, q.all, q.keys = contextOf(values), !values.Has("keys"), strings.Split(values.Get("keys"), ",")
	return q.check()
}

// contextOf is that of an address. Properties that are no JSON object are none.
func contextOf(values url.Values) flags.Context {
	c := flags.Context{
		Environment: values.Get("environment"), UserID: values.Get("userId"), Email: values.Get("email"),
		OrganizationID: values.Get("organizationId"), TeamID: values.Get("teamId"),
	}
	if json.Unmarshal([]byte(values.Get("properties")), &c.Properties) != nil {
		c.Properties = nil
	}
	return c
}

// readSeveralBody takes the same from a body, where keys are an array.
func (a *api) readSeveralBody(_ context.Context, r *front.Request, q *flagQuestion) error {
	js, err := a.readJSON(r)
	if err != nil {
		return err
	}
	var body struct {
		Client string    `json:"clientId"`
		Keys   *[]string `json:"keys"`
	}
	var bad query.Errors
	for _, v := range []any{&body, &q.context} {
		if err := decodeInto("", js, v, false); err != nil {
			bad = append(bad, err)
		}
	}
	if len(bad) > 0 {
		return bad
	}
	if body.Client != "" {
		q.client = body.Client
	}
	q.all = body.Keys == nil
	if body.Keys != nil {
		q.keys = *body.Keys
	}
	return q.check()
}

// check says what is wrong with the client and the keys, which it makes ready: without blanks
// around them, and none empty.
func (q *flagQuestion) check() error {
	var bad query.Errors
	mistake := func(field, text string) {
		bad = append(bad, &query.Error{Code: query.Invalid, Field: field, Message: text})
	}
	if q.client == "" {
		mistake("clientId", "is missing")
	}
	var keys []string
	for _, key := range q.keys {
		if key = strings.TrimSpace(key); key != "" {
			keys = append(keys, key)
		}
		if utf8.RuneCountInString(key) > flags.MaxKey {
			mistake("keys", fmt.Sprintf("has one of more than %d characters", flags.MaxKey))
			break
		}
	}
	if q.keys = keys; len(keys) > flags.MaxKeys {
		mistake("keys", fmt.Sprintf("are more than %d", flags.MaxKeys))
	}
	if len(bad) > 0 {
		return bad
	}
	return nil
}

// evaluateFlag answers one flag.
func (a *api) evaluateFlag(ctx context.Context, _ *front.Request, q *flagQuestion) (*front.Answer, error) {
	result, err := a.cfg.Flags.Evaluator.Evaluate(ctx, q.client, q.keys[0], &q.context)
	if err != nil {
		return nil, notEvaluated(err)
	}
	return tagged(resultBody{true, result})
}

// evaluateFlags answers the keys that were asked for, or all.
func (a *api) evaluateFlags(ctx context.Context, _ *front.Request, q *flagQuestion) (*front.Answer, error) {
	results, err := a.evaluate(ctx, q)
	if err != nil {
		return nil, err
	}
	return tagged(resultsBody{true, results, len(results)})
}

func (a *api) evaluate(ctx context.Context, q *flagQuestion) (results map[string]flags.Result, err error) {
	if q.all {
		results, err = a.cfg.Flags.Evaluator.EvaluateAll(ctx, q.client, &q.context)
	} else {
		results, err = a.cfg.Flags.Evaluator.EvaluateKeys(ctx, q.client, q.keys, &q.context)
	}
	return results, notEvaluated(err)
}

// notEvaluated is a caller's mistake, or that what is known of the client does not do.
func notEvaluated(err error) error {
	if err == nil || errors.Is(err, flags.ErrInvalid) {
		return err
	}
	return &front.UnavailableError{Part: "flags", Err: err}
}

// reportFlags says whether evaluation goes by what is so now, or by what was last known.
func (a *api) reportFlags(ctx context.Context, _ *front.Request, _ *flagQuestion) (*front.Answer, error) {
	status := "ok"
	if a.cfg.Flags.Evaluator.Check(ctx) != nil {
		status = "stale"
	}
	return front.JSON(struct {
		Success bool   `json:"success"`
		Service string `json:"service"`
		Status  string `json:"status"`
	}{true, "flags", status})
}
