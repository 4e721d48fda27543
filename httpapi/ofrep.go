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
)

// The routes below ofrepPrefix implement OFREP, the remote evaluation protocol of OpenFeature, which has its own
// bodies: https://github.com/open-feature/protocol.

// ofrepResult is the result of one flag, or among the results of others its error.
type ofrepResult struct {
	Key       string         `json:"key"`
	Reason    string         `json:"reason,omitempty"`
	Variant   string         `json:"variant,omitempty"`
	Value     flags.Value    `json:"value,omitzero"`
	Metadata  map[string]any `json:"metadata,omitempty"` // texts and numbers
	ErrorCode string         `json:"errorCode,omitempty"`
	Details   string         `json:"errorDetails,omitempty"`
}

const ofrepInvalidContext = "INVALID_CONTEXT"

// ofrepReasons maps reasons to the reasons of OpenFeature.
var ofrepReasons = map[flags.Reason]string{
	flags.UserRuleMatch:          "TARGETING_MATCH",
	flags.TargetGroupMatch:       "TARGETING_MATCH",
	flags.MultivariantEvaluated:  "SPLIT",
	flags.RolloutEnabled:         "SPLIT",
	flags.RolloutDisabled:        "SPLIT",
	flags.BooleanDefault:         "DEFAULT",
	flags.DependencyNotSatisfied: "DISABLED",
}

// ofrepOf converts result to OFREP. Without a value providers use the default of the program. Its metadata contain the
// original reason, the hash version and the payload as text.
func ofrepOf(key string, result flags.Result) ofrepResult {
	metadata := map[string]any{"reason": string(result.Reason), "hashVersion": result.HashVersion}
	if result.Payload != nil {
		metadata["payload"] = string(result.Payload)
	}
	reason := ofrepReasons[result.Reason]
	if result.Value.None {
		reason = "DISABLED"
	}
	return ofrepResult{Key: key, Reason: reason, Variant: result.Variant, Value: result.Value, Metadata: metadata}
}

// allowOFREP finds the client in the request, else the client of the key. Evaluation is public, so the key needs no
// scope.
func (a *api) allowOFREP(_ context.Context, r *front.Request, q *flagQuestion) error {
	if q.id = namedClient(r); q.id == "" && r.Key() != nil {
		q.client = clientOf(r.Key())
	}
	if q.id == "" && q.client == (flags.Client{}) {
		return mistake.List{{Field: "clientId",
			Message: "is required: name it in the address or in X-Client-Id, or send a key of an organisation or of one website"}}
	}
	return nil
}

// clientOf returns the client of k: its only website, or without a list its organisation. It returns the zero Client
// for a key with several websites.
func clientOf(k *auth.Key) flags.Client {
	if k.ReachesEverything() {
		return flags.OfOrganization(k.Owner)
	}
	sites := slices.DeleteFunc(slices.Clone(k.Resources),
		func(r auth.Resource) bool { return r.Kind != auth.KindWebsite })
	if len(sites) != 1 {
		return flags.Client{}
	}
	return flags.OfWebsite(sites[0].ID)
}

// notAnID returns the message for the JSON value js in place of an id.
func notAnID(js []byte) string {
	return mistake.Want("a string, a number, true or false", mistake.Kind(js))
}

// readOFREP reads the context from the body. Attributes without a field in [flags.Context] become properties.
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
		{"userId", &q.context.UserID}, {"targetingKey", &q.context.UserID}, {"email", &q.context.Email},
		{"organizationId", &q.context.OrganizationID},
		{"teamId", &q.context.TeamID}, {"environment", &q.context.Environment},
	} {
		sent := body.Context[field.name]
		text, ok := flags.IDText(sent)
		delete(body.Context, field.name)
		switch {
		case !ok:
			wrong = append(wrong, flags.FieldError{Field: field.name, Message: notAnID(sent)})
		case text != "":
			*field.to = text
		}
	}
	q.context.Properties = make(map[string]any, len(body.Context))
	for name, value := range body.Context {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			return err // the body as a whole is valid JSON
		}
		q.context.Properties[name] = v
	}
	// Flags are found by the environment. Other attributes that are too large fail only flags that read them.
	more, _ := errors.AsType[flags.FieldErrors](q.context.Check())
	ofAll := func(e flags.FieldError) bool { return e.Field == "environment" }
	if len(wrong) > 0 || slices.ContainsFunc(more, ofAll) {
		return &contextError{append(wrong, more...)}
	}
	return nil
}

// answerOFREP answers with the flag in the path.
func (a *api) answerOFREP(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	result, err := a.cfg.Flags.Evaluator().Evaluate(ctx, a.evaluated(ctx, r, q), r.Segment, &q.context)
	if wrong, ok := errors.AsType[flags.FieldErrors](err); ok {
		return nil, &contextError{wrong}
	}
	switch {
	case err != nil:
		return nil, notEvaluated(err)
	case result.Reason == flags.FlagNotFound:
		return nil, flags.ErrNotFound
	}
	return front.JSON(ofrepOf(r.Segment, result))
}

// answerAllOFREP answers with all flags, or with 304 if the caller has the same flags.
func (a *api) answerAllOFREP(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	results, faults, err := a.cfg.Flags.Evaluator().EvaluateEach(ctx, a.evaluated(ctx, r, q), &q.context)
	if err != nil {
		return nil, notEvaluated(err)
	}
	if size := sizeOf(results); size > maxResults {
		return nil, mistake.List{{Message: fmt.Sprintf(
			"All flags of the client have %d bytes of values and payloads, more than the %d of one answer: evaluate each flag by its key", size, maxResults)}}
	}
	body := struct {
		Flags []ofrepResult `json:"flags"`
	}{[]ofrepResult{}}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(results)), maps.Keys(faults))
	slices.Sort(keys)
	for _, key := range keys {
		if result, ok := results[key]; ok {
			body.Flags = append(body.Flags, ofrepOf(key, result))
		} else {
			wrong, _ := errors.AsType[flags.FieldErrors](faults[key])
			body.Flags = append(body.Flags, ofrepResult{Key: key, Value: flags.Value{None: true},
				ErrorCode: ofrepInvalidContext, Details: wrong.Plain()})
		}
	}
	return tagged(body)
}

// A contextError contains all mistakes in the context.
type contextError struct{ flags.FieldErrors }

// Unwrap returns the mistakes as mistakes of the request.
func (e *contextError) Unwrap() error { return e.FieldErrors }

// ofrepError is the body of an error: the fields of OFREP, and the fields of all other errors.
type ofrepError struct {
	Key       string `json:"key,omitempty"`
	ErrorCode string `json:"errorCode"`
	Details   string `json:"errorDetails"`
	errorBody
}

// asOFREP returns body, the description of err, with the fields of OFREP.
func asOFREP(r *front.Request, err error, body errorBody) ofrepError {
	e := ofrepError{Key: r.Segment, ErrorCode: "GENERAL", Details: body.Error, errorBody: body}
	var wrong *contextError
	switch {
	case errors.As(err, &wrong):
		e.ErrorCode = ofrepInvalidContext
	case body.Code == codes[codeInvalidJSON].Code:
		e.ErrorCode = "PARSE_ERROR"
	case body.Code == codes[codeNotFound].Code:
		e.ErrorCode = "FLAG_NOT_FOUND"
	}
	return e
}
