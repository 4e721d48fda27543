package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
)

// The routes below ofrepPrefix speak OFREP, the remote evaluation protocol of OpenFeature, which
// has bodies of its own: https://github.com/open-feature/protocol.

// ofrepResult is one flag that was evaluated.
type ofrepResult struct {
	Key      string         `json:"key"`
	Reason   string         `json:"reason"`
	Variant  string         `json:"variant,omitempty"`
	Value    flags.Value    `json:"value"`
	Metadata map[string]any `json:"metadata"` // texts and numbers
}

// ofrepReasons are OpenFeature's words for reasons.
var ofrepReasons = map[flags.Reason]string{
	flags.UserRuleMatch:          "TARGETING_MATCH",
	flags.TargetGroupMatch:       "TARGETING_MATCH",
	flags.MultivariantEvaluated:  "SPLIT",
	flags.RolloutEnabled:         "SPLIT",
	flags.RolloutDisabled:        "SPLIT",
	flags.BooleanDefault:         "DEFAULT",
	flags.DependencyNotSatisfied: "DISABLED",
}

// ofrepOf returns result as OFREP has it. Its own reason, its hash version and its payload, as text, are metadata.
func ofrepOf(key string, result flags.Result) ofrepResult {
	metadata := map[string]any{"reason": string(result.Reason), "hashVersion": result.HashVersion}
	if result.Payload != nil {
		metadata["payload"] = string(result.Payload)
	}
	return ofrepResult{key, ofrepReasons[result.Reason], result.Variant, result.Value, metadata}
}

// allowOFREP finds the client whose flags are meant: the one that is named, else that of the key.
// Evaluation is public, so the key needs no scope.
func (a *api) allowOFREP(_ context.Context, r *front.Request, q *flagQuestion) error {
	if q.id = namedClient(r); q.id == "" && r.Key() != nil {
		q.client = clientOf(r.Key())
	}
	if q.id == "" && q.client == (flags.Client{}) {
		return query.Errors{{Code: query.Invalid, Field: "clientId",
			Message: "is required: name it in the address or in X-Client-Id, or send a key of an organisation or of one website"}}
	}
	return nil
}

// clientOf returns the client of k: its only website, or without a list its organisation. It returns the zero client
// for a key of several websites.
func clientOf(k *auth.Key) flags.Client {
	if k.All && len(k.Resources) == 0 {
		return flags.OfOrganization(k.Owner)
	}
	sites := slices.DeleteFunc(slices.Clone(k.Resources), func(r auth.Resource) bool { return r.Kind != auth.KindWebsite })
	if len(sites) != 1 {
		return flags.Client{}
	}
	return flags.OfWebsite(sites[0].ID)
}

// notAnID reports a list or an object in the place of an id.
const notAnID = "must be a string, a number, true or false, not an array or an object"

// readOFREP reads the context from the body. Attributes without a field of a [flags.Context] are properties.
func (a *api) readOFREP(_ context.Context, r *front.Request, q *flagQuestion) error {
	js, err := a.readJSON(r)
	if err != nil {
		return err
	}
	var body struct {
		Context map[string]json.RawMessage `json:"context"`
	}
	if wrong, bad := errors.AsType[*json.UnmarshalTypeError](json.Unmarshal(js, &body)); bad {
		return &contextError{flags.FieldErrors{{Field: "context", Message: mistake.Type(wrong)}}}
	}
	var wrong flags.FieldErrors
	for _, field := range []struct {
		name string
		to   *string
	}{
		{"userId", &q.context.UserID}, {"targetingKey", &q.context.UserID}, {"email", &q.context.Email}, {"organizationId", &q.context.OrganizationID},
		{"teamId", &q.context.TeamID}, {"environment", &q.context.Environment},
	} {
		text, ok := flags.IDText(body.Context[field.name])
		delete(body.Context, field.name)
		switch {
		case !ok:
			wrong = append(wrong, flags.FieldError{Field: field.name, Message: notAnID})
		case text != "":
			*field.to = text
		}
	}
	q.context.Properties = make(map[string]any, len(body.Context))
	for name, value := range body.Context {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			return err // the body as a whole is JSON
		}
		q.context.Properties[name] = v
	}
	if more, ok := errors.AsType[flags.FieldErrors](q.context.Check()); ok {
		wrong = append(wrong, more...)
	}
	if len(wrong) > 0 {
		return &contextError{wrong}
	}
	return nil
}

// answerOFREP answers the flag of the path.
func (a *api) answerOFREP(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	result, err := a.cfg.Flags.Evaluator.Evaluate(ctx, a.evaluated(ctx, r, q), r.Segment, &q.context)
	switch {
	case err != nil:
		return nil, notEvaluated(err)
	case result.Reason == flags.FlagNotFound:
		return nil, flags.ErrNotFound
	}
	return front.JSON(ofrepOf(r.Segment, result))
}

// answerAllOFREP answers all flags, and 304 to who has the same already.
func (a *api) answerAllOFREP(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	q.all = true
	results, err := a.evaluate(ctx, r, q)
	if err != nil {
		return nil, err
	}
	if size := sizeOf(results); size > maxResults {
		return nil, query.Errors{{Code: query.Invalid, Message: fmt.Sprintf(
			"All flags of the client have %d bytes of values and payloads, more than the %d of one answer: evaluate each flag by its key", size, maxResults)}}
	}
	body := struct {
		Flags []ofrepResult `json:"flags"`
	}{[]ofrepResult{}}
	for _, key := range slices.Sorted(maps.Keys(results)) {
		body.Flags = append(body.Flags, ofrepOf(key, results[key]))
	}
	return tagged(body)
}

// A contextError is all that is wrong in what OpenFeature calls the context.
type contextError struct{ flags.FieldErrors }

// Unwrap makes these mistakes of the request.
func (e *contextError) Unwrap() error { return e.FieldErrors }

// ofrepError is the body of an error: OFREP's, with the fields of all others beside them.
type ofrepError struct {
	Key       string `json:"key,omitempty"`
	ErrorCode string `json:"errorCode"`
	Details   string `json:"errorDetails"`
	errorBody
}

// asOFREP adds to body, which tells r of err, what OFREP has for it.
func asOFREP(r *front.Request, err error, body errorBody) ofrepError {
	e := ofrepError{Key: r.Segment, ErrorCode: "GENERAL", Details: body.Error, errorBody: body}
	var wrong *contextError
	switch {
	case errors.As(err, &wrong):
		e.ErrorCode = "INVALID_CONTEXT"
	case body.Code == codes[codeInvalidJSON].Code:
		e.ErrorCode = "PARSE_ERROR"
	case body.Code == codes[codeNotFound].Code:
		e.ErrorCode = "FLAG_NOT_FOUND"
	}
	return e
}
