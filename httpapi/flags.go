package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/store"
)

// A flagQuestion is the decoded request about flags, filled in by the steps. Callers name a client of flags by its id
// alone. The id belongs to a website, or else to the caller's own organisation, which owns the caller's key. So no
// caller reaches another organisation's flags, whatever ids websites have.
type flagQuestion struct {
	id      string       // id of the client in the request
	client  flags.Client // the client with that id
	context flags.Context
	keys    []string // the flags to evaluate if all is false
	all     bool
	patch   flags.Patch
	size    int // of the body of a change, in bytes
}

// bytesPerCost is how many bytes of a new or changed flag cost as much as one request.
const bytesPerCost = 16 << 10

// cost returns what a new or changed flag takes from the limit of its key.
func (q *flagQuestion) cost() int { return max(1, (q.size+bytesPerCost-1)/bytesPerCost) }

const ofrepPrefix = "/ofrep/v1/evaluate/flags"

// flagRoutes returns the rows of feature flags.
func (a *api) flagRoutes() []*route {
	type steps = front.Steps[flagQuestion]
	manage := func(method, path, about string, s steps,
		describe func(*describer) described) *route {
		return &route{Route: front.Route{Method: method, Path: path, Class: auth.ClassOther, Scope: auth.ManageFlags,
			May: auth.ToManageFlags(), Steps: s},
			about: about, of: []string{auth.KindWebsite, auth.KindOrganization},
			body:   method == http.MethodPost || method == http.MethodPatch,
			stores: changes(method, "flags, history of flags"), off: withoutFlags, describe: describe}
	}
	evaluate := func(method, path, about string, s steps,
		describe func(*describer) described) *route {
		s.Bucket = a.flagBucket
		return &route{Route: front.Route{Method: method, Path: path, Class: auth.ClassEvaluate,
			Anonymous: auth.ClassFlags, Steps: s},
			about: about, access: ByKeyOrClient, body: method == http.MethodPost, stores: changes(method, nothing),
			off: withoutFlags, open: true, describe: describe}
	}
	return []*route{
		manage(http.MethodGet, "/public/v1/flags/definitions", "Flags of a client",
			steps{Allow: a.allowFlags, Answer: a.listFlags},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "listFlags", Tag: tagFlags,
					NotModified: true, Answer: openapi.Of[definitionsBody](d.reflect),
					Params: []openapi.Param{clientParam(),
						openapi.Query("environment",
							openapi.Text("Only flags of this environment; default: flags without one"))}}}
			}),
		manage(http.MethodPost, "/public/v1/flags", "Create a flag, or restore a removed one",
			steps{Allow: a.allowManage, Read: a.readFlag, Cost: (*flagQuestion).cost, Answer: a.createFlag},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "createFlag", Tag: tagFlags,
					Body: openapi.Ref("NewFlag"), Answer: openapi.Of[flagBody](d.reflect),
					About: "Creating a flag with the key of a removed one restores it with its id and history."},
					errors: []code{codeConflict, codeFull}}
			}),
		manage(http.MethodPatch, "/public/v1/flags/{id}", "Change a flag",
			steps{Allow: a.allowManage, Read: a.readFlag, Cost: (*flagQuestion).cost, Answer: a.changeFlag},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "changeFlag", Tag: tagFlags,
					Params: []openapi.Param{flagID(), ifMatch()}, Body: openapi.Ref("FlagPatch"),
					Answer: openapi.Of[flagBody](d.reflect),
					About:  "Fields that the body leaves out do not change. With `If-Match` the change is made only at that revision."}, errors: []code{codeNotFound, codeConflict, codePrecondition, codeFull}}
			}),
		manage(http.MethodDelete, "/public/v1/flags/{id}", "Remove a flag",
			steps{Allow: a.allowFlags, Answer: a.removeFlag},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "removeFlag", Tag: tagFlags,
					Params: []openapi.Param{flagID(), ifMatch(), clientParam()}, Answer: done()},
					errors: []code{codeNotFound, codePrecondition, codeFull}}
			}),
		evaluate(http.MethodGet, "/public/v1/flags/evaluate", "Evaluate one flag for a context",
			steps{Allow: a.allowEvaluation, Read: a.readOne, Answer: a.evaluateFlag},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "evaluateFlag", Tag: tagFlags,
					NotModified: true, Answer: openapi.Of[resultBody](d.reflect),
					Params: append([]openapi.Param{clientParam(),
						openapi.Query("key", openapi.Text("The flag")).Must()},
						contextParams()...)}}
			}),
		evaluate(http.MethodGet, "/public/v1/flags/bulk", "Evaluate several flags, or all, for a context",
			steps{Allow: a.allowEvaluation, Read: a.readSeveral, Answer: a.evaluateFlags},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "evaluateFlags", Tag: tagFlags,
					NotModified: true, Answer: openapi.Of[resultsBody](d.reflect),
					About: "Without `keys` the answer has all flags of the client, if they have at most 1 MiB.",
					Params: append([]openapi.Param{clientParam(),
						openapi.Joined("keys", openapi.List("Keys of at most 100 flags, joined by commas", openapi.Text(""), 0,
							flags.MaxKeys))}, contextParams()...)}}
			}),
		evaluate(http.MethodPost, "/public/v1/flags/bulk", "The same with a body",
			steps{Allow: a.allowEvaluation, Read: a.readSeveralBody, Answer: a.evaluateFlags},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "evaluateFlagsByBody", Tag: tagFlags,
					Params: []openapi.Param{openapi.Query("clientId", openapi.Text("The client, unless the body names it"))},
					Body:   openapi.Ref("FlagContext"), Answer: openapi.Of[resultsBody](d.reflect)}}
			}),
		evaluate(http.MethodPost, ofrepPrefix+"/{key}", "Evaluate one flag, for OpenFeature",
			steps{Allow: a.allowOFREP, Read: a.readOFREP, Answer: a.answerOFREP},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "evaluateOFREP", Tag: tagOFREP,
					Body: openapi.Ref("OFREPRequest"), Answer: openapi.Of[ofrepResult](d.reflect),
					About:  "OFREP, the remote evaluation protocol of OpenFeature. The header `X-Client-Id` names the client; without it, the key does.",
					Params: append([]openapi.Param{openapi.Path("key", openapi.Text("The flag"))}, ofrepClient()...)},
					errors: []code{codeNotFound}}
			}),
		evaluate(http.MethodPost, ofrepPrefix, "Evaluate all flags, for OpenFeature",
			steps{Allow: a.allowOFREP, Read: a.readOFREP, Answer: a.answerAllOFREP},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "evaluateAllOFREP", Tag: tagOFREP,
					NotModified: true, Body: openapi.Ref("OFREPRequest"), Params: ofrepClient(),
					About: "All flags of the client. A flag that reads a part of the context that is too large has an errorCode in place of a value.",
					Answer: openapi.Object("All flags of the client",
						openapi.Member("flags", openapi.List("", openapi.Of[ofrepResult](d.reflect), 0, 0))).Needs("flags")}}
			}),
		{Route: front.Route{Method: http.MethodGet, Path: "/public/v1/flags/health", Class: auth.ClassHealth,
			Steps: steps{Answer: a.reportFlags}},
			about: "Whether flags are up to date", access: Public, off: withoutFlags, open: true,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getFlagsHealth", Tag: tagFlags,
					Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
						openapi.Member("service", openapi.Text("")),
						openapi.Member("status", openapi.OneOf("", "ok", "stale")),
					).Needs("success", "service", "status")}}
			}},
	}
}

func withoutFlags(cfg *Config) bool { return cfg.Flags == nil }

// flagBucket returns the id of the bucket for the client and the caller's network. Clients without known flags count by
// network alone, since callers can make up any number of ids. It asks no store, so that evaluation continues
// while databases are unavailable.
func (a *api) flagBucket(_ context.Context, r *front.Request, q *flagQuestion) (string, error) {
	if id := namedClient(r); a.cfg.Flags.Evaluator().Has(flags.OfWebsite(id)) {
		return id + "|" + r.Network(), nil
	}
	return r.Network(), nil
}

// namedClient returns the client that the URL or a header names.
func namedClient(r *front.Request) string {
	values, _ := r.Query() // a malformed query names no client
	for _, id := range []string{values.Get("clientId"), r.Header.Get("X-Client-Id"),
		r.Header.Get("Databuddy-Client-Id")} {
		if id != "" {
			return id
		}
	}
	return ""
}

// allowEvaluation allows everyone to evaluate flags. The body may name the client, too.
func (a *api) allowEvaluation(_ context.Context, r *front.Request, q *flagQuestion) error {
	q.id = namedClient(r)
	return nil
}

// evaluated returns the client whose flags are evaluated. Without a key it is a website. With a key it may be the key's
// own organisation, which no other caller can evaluate. If the directory fails, the id of the key's owner means
// the organisation.
func (a *api) evaluated(ctx context.Context, r *front.Request, q *flagQuestion) flags.Client {
	if q.client != (flags.Client{}) {
		return q.client
	}
	site := flags.OfWebsite(q.id)
	if k := r.Key(); !k.ReachesEverything() || k.Owner != q.id {
		return site
	}
	if _, err := a.cfg.Directory.Owner(ctx, store.Subject{Kind: store.KindWebsite, ID: q.id}); err == nil {
		return site
	}
	return flags.OfOrganization(q.id)
}

// allowManage checks that the key may manage flags. The client in the body is checked later.
func (a *api) allowManage(_ context.Context, r *front.Request, _ *flagQuestion) error {
	if err := permit(r, r.Route.May, ""); err != nil {
		return err
	}
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	return unknown(values).Err()
}

// allowFlags checks that the key may manage the flags of the client in the URL.
func (a *api) allowFlags(ctx context.Context, r *front.Request, q *flagQuestion) error {
	if err := permit(r, r.Route.May, ""); err != nil {
		return err
	}
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	known := []string{"clientId"}
	if r.Method != http.MethodDelete {
		known = append(known, "environment")
	}
	bad := unknown(values, known...)
	for _, name := range known {
		_, mistakes := single(values, name)
		bad = append(bad, mistakes...)
	}
	if len(bad) > 0 {
		return bad
	}
	q.context.Environment = values.Get("environment")
	return a.allowClient(ctx, r, q, values.Get("clientId"))
}

// allowClient checks that the key may manage the flags of the client with this id. The client is a website that
// the key reaches, or the key's organisation.
func (a *api) allowClient(ctx context.Context, r *front.Request, q *flagQuestion, id string) error {
	if id == "" {
		return mistake.List{{Field: "clientId",
			Message: "is required: the id of a website or of the key's organisation"}}
	}
	q.client = flags.OfWebsite(id)
	r.Resource = auth.Resource{Kind: auth.KindWebsite, ID: id}
	return reach(r, id, func() (ok bool, err error) {
		r.Resource.Owner, err = a.cfg.Directory.Owner(ctx, subject(r))
		if errors.Is(err, store.ErrNotFound) && id == r.Key().Owner {
			q.client, err = flags.OfOrganization(id), nil
			r.Resource = auth.Resource{Kind: auth.KindOrganization, ID: id, Owner: id}
		}
		return r.Principal.Allows(r.Route.May, r.Resource), err
	}, noClient)
}

// noClient returns the error for a client that does not exist, or whose flags the key must not manage.
func noClient() error {
	return &denied{scope: auth.ManageFlags, field: "clientId",
		why: "must be the id of a website that the key reaches, or of its organisation"}
}
