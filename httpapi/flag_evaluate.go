package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// resultBody is the response for one flag.
type resultBody struct {
	Success bool `json:"success"`
	flags.Result
}

// resultsBody is the response for several flags, by key. It lacks keys that are not evaluated.
type resultsBody struct {
	Success bool                    `json:"success"`
	Flags   map[string]flags.Result `json:"flags"`
	Count   int                     `json:"count"`
}

// readOne reads the flag and the context from the URL. It ignores unknown parameters, which newer clients may
// send.
func (a *api) readOne(_ context.Context, r *front.Request, q *flagQuestion) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	q.context, q.keys = contextOf(values), []string{values.Get("key")}
	bad := q.check("key")
	if len(q.keys) == 0 {
		bad.Add("key", mistake.Required)
	}
	return bad.Err()
}

// readSeveral reads the flags and the context from the URL. Without keys, all flags are evaluated.
func (a *api) readSeveral(_ context.Context, r *front.Request, q *flagQuestion) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	q.context, q.all, q.keys = contextOf(values), !values.Has("keys"), strings.Split(values.Get("keys"), ",")
	return q.check("keys").Err()
}

// contextOf returns the context in a URL. It ignores properties that are not a JSON object.
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

// A severalFlags is the body of a request for several flags.
type severalFlags struct {
	client  string
	keys    *[]string
	context flags.Context
}

// severalFields are the fields of severalFlags.
var severalFields = body.Of(
	body.Member("clientId", func(s *severalFlags) *string { return &s.client }),
	body.Member("keys", func(s *severalFlags) **[]string { return &s.keys }),
	body.Custom("environment", func(s *severalFlags) *string { return &s.context.Environment }, readID),
	body.Custom("userId", func(s *severalFlags) *string { return &s.context.UserID }, readID),
	body.Custom("email", func(s *severalFlags) *string { return &s.context.Email }, readID),
	body.Custom("organizationId", func(s *severalFlags) *string { return &s.context.OrganizationID }, readID),
	body.Custom("teamId", func(s *severalFlags) *string { return &s.context.TeamID }, readID),
	body.Member("properties", func(s *severalFlags) *map[string]any { return &s.context.Properties }),
)

// readSeveralBody reads the flags and the context from a body, with keys in an array. It ignores unknown fields, which
// newer clients may send.
func (a *api) readSeveralBody(_ context.Context, r *front.Request, q *flagQuestion) error {
	js, err := a.readJSON(r)
	if err != nil {
		return err
	}
	patch, wrong := severalFields.ReadKnown(js)
	several := patch.New()
	q.id, q.context = cmp.Or(several.client, q.id), several.context
	if q.all = several.keys == nil; !q.all {
		q.keys = *several.keys
	}
	wrong.AddNew(q.check("keys")...)
	return wrong.Err()
}

// readID reads an id in a context, which may be a number.
func readID(m body.Mistakes, at body.Path, v body.Value, into *string) {
	text, ok := flags.IDText(v.Raw())
	if *into = text; !ok {
		m.Wrong(at, notAnID(v.Raw()), "")
	}
}

// check returns the mistakes in the client, the context and the keys, which are in field. It trims the keys and drops
// empty ones.
func (q *flagQuestion) check(field string) mistake.List {
	var bad mistake.List
	if q.id == "" {
		bad.Add("clientId", mistake.Required)
	}
	long := mistake.Long(flags.MaxKey)
	if field == "keys" {
		long = fmt.Sprintf("must be of at most %d characters each", flags.MaxKey)
	}
	var keys []string
	for _, key := range q.keys {
		if key = strings.TrimSpace(key); key != "" {
			keys = append(keys, key)
		}
		if utf8.RuneCountInString(key) > flags.MaxKey {
			bad.Add(field, long)
			break
		}
	}
	if q.keys = keys; len(keys) > flags.MaxKeys {
		bad.Add(field, mistake.AtMost(flags.MaxKeys, "keys", len(keys)))
	}
	return append(bad, mistake.In(q.context.Check())...)
}

// evaluateFlag answers with the result of one flag.
func (a *api) evaluateFlag(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	result, err := a.cfg.Flags.Evaluator().Evaluate(ctx, a.evaluated(ctx, r, q), q.keys[0], &q.context)
	if err != nil {
		return nil, notEvaluated(err)
	}
	return tagged(resultBody{true, result})
}

// maxResults is the maximum size of keys, values and payloads in a response with several flags, in bytes.
const maxResults = 1 << 20

// sizeOf returns the size of keys, values and payloads in bytes.
func sizeOf(results map[string]flags.Result) (size int) {
	for key := range results {
		result := results[key]
		size += len(key) + len(result.Value.JSON) + len(result.Payload)
	}
	return size
}

// evaluateFlags answers with the results of the requested keys, or of all flags.
func (a *api) evaluateFlags(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	results, err := a.evaluate(ctx, r, q)
	if err != nil {
		return nil, err
	}
	if size := sizeOf(results); size > maxResults {
		message := "must name fewer flags: these have %d bytes of values and payloads together, more than the %d of one answer"
		if q.all {
			message = "is required: all flags of the client have %d bytes of values and payloads, more than the %d of one answer; " +
				"name the flags that you need"
		}
		return nil, mistake.List{{Field: "keys", Message: fmt.Sprintf(message, size, maxResults)}}
	}
	return tagged(resultsBody{true, results, len(results)})
}

func (a *api) evaluate(ctx context.Context, r *front.Request, q *flagQuestion) (results map[string]flags.Result,
	err error) {
	client := a.evaluated(ctx, r, q)
	if q.all {
		results, err = a.cfg.Flags.Evaluator().EvaluateAll(ctx, client, &q.context)
	} else {
		results, err = a.cfg.Flags.Evaluator().EvaluateKeys(ctx, client, q.keys, &q.context)
	}
	return results, notEvaluated(err)
}

// notEvaluated returns err if it is the caller's mistake, else an UnavailableError.
func notEvaluated(err error) error {
	if err == nil || errors.Is(err, flags.ErrInvalid) {
		return err
	}
	return &front.UnavailableError{Part: "flags", Err: err}
}

// reportFlags answers whether evaluation uses current flags or the last known flags.
func (a *api) reportFlags(ctx context.Context, _ *front.Request, _ *flagQuestion) (*front.Answer, error) {
	status := "ok"
	if a.cfg.Flags.Evaluator().Check(ctx) != nil {
		status = "stale"
	}
	return front.JSON(struct {
		Success bool   `json:"success"`
		Service string `json:"service"`
		Status  string `json:"status"`
	}{true, "flags", status})
}
