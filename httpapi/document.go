package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query"
	requests "github.com/sightline-analytics/sightline/query/ask"
)

// documentRoutes returns the route of the OpenAPI document.
func (a *api) documentRoutes() []*route {
	type steps = front.Steps[question]
	return []*route{
		{Route: front.Route{Method: http.MethodGet, Path: "/v1/openapi.json", Class: auth.ClassPublic,
			Steps: steps{Answer: a.showDocument}},
			about: "Describe this API by OpenAPI", access: Public,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getDocument", Tag: tagHealth, NotModified: true,
					Params: []openapi.Param{openapi.Query("form",
						openapi.OneOf("`plain` has no alternatives of several schemas, for generators of clients that cannot choose among them", "plain"))},
					Answer: openapi.Map("An OpenAPI document", &openapi.Schema{})}}
			}},
	}
}

// A describer makes the document of an API from the tables of routes and codes and from the catalog of query types.
type describer struct {
	queries map[string]*openapi.Schema
	reflect *openapi.Describer
	formats []exporter.Format
}

// documentAnswer returns the response with the OpenAPI document of a, with its enabled routes and the documents of cfg.
func (a *api) documentAnswer() (*response, error) {
	d := &describer{
		queries: describeQueries(a.cfg.Engine.Types(), a.cfg.Engine.Datasets()), reflect: reflected(),
		formats: slices.Concat([]exporter.Format{exporter.NDJSON(), exporter.CSV()}, a.cfg.ExportFormats),
	}
	doc := openapi.New(openapi.Info{
		Title: "Sightline", Version: "1", Summary: "Web analytics",
		License:     openapi.License{Name: "MIT License", Identifier: "MIT"},
		Description: "Answers get further fields, and codes of errors further values, in new versions: clients should ignore what they do not know. Routes for GET also answer HEAD.",
	})
	doc.Servers = []openapi.Server{{URL: "..", Description: "The service that this document comes from"}}
	doc.Tags = tags()
	doc.AddScheme("bearer", map[string]string{"type": "http", "scheme": "bearer",
		"description": "An API key or a panel token"})
	doc.AddScheme("apiKey", map[string]string{"type": "apiKey", "in": "header", "name": "x-api-key",
		"description": "An API key or a panel token"})
	d.describeKeys()
	d.describeWebsites()
	d.describeDefinitions()
	examples, failures := openapi.Examples(), map[string]bool{}
	for _, r := range a.routes() {
		if r.off != nil && r.off(&a.cfg) {
			continue
		}
		row := r.describe(d)
		op := row.Operation
		op.Summary, op.Security, op.Example = r.about, r.requirements(), examples[r.Method+" "+r.Path]
		op.Further = statuses(r, row)
		for _, name := range op.Further {
			failures[name] = true
		}
		doc.Add(r.Method, r.Path, op)
	}
	d.errors(doc, failures)
	doc.Schemas(requestSchemas())
	doc.Schemas(keySchemas())
	doc.Schemas(websiteSchemas())
	doc.Schemas(d.answers())
	doc.Schemas(d.queries)
	doc.Schemas(d.reflect.Components)
	for _, other := range a.cfg.Documents {
		if err := doc.Merge(other); err != nil {
			return nil, fmt.Errorf("httpapi: Config.Documents: %w", err)
		}
	}
	js, err := doc.Encode()
	return &response{body: js, form: jsonForm}, err
}

// reflected returns a describer of the bodies of answers, which are structs.
func reflected() *openapi.Describer {
	return &openapi.Describer{
		Endings: []string{"Body", "Record"},
		Names: map[reflect.Type]string{
			reflect.TypeFor[query.Response](): "QueryAnswer", reflect.TypeFor[query.Meta](): "QueryMeta",
			reflect.TypeFor[mistake.FieldError](): "Mistake",
			reflect.TypeFor[flags.Result]():       "FlagResult", reflect.TypeFor[resultBody](): "EvaluatedFlag",
			reflect.TypeFor[resultsBody]():     "EvaluatedFlags",
			reflect.TypeFor[definitionsBody](): "Flags",
			reflect.TypeFor[flagRecord]():      "Flag", reflect.TypeFor[flagBody](): "ChangedFlag",
			reflect.TypeFor[stepRecord]():  "ScheduleStep",
			reflect.TypeFor[auth.Filter](): "KeyFilter", reflect.TypeFor[auth.Did](): "KeyDid",
			reflect.TypeFor[auth.Text]():   "KeyText",
			reflect.TypeFor[auditRecord](): "AuditEntry", reflect.TypeFor[keyBody](): "KeyAnswer",
			reflect.TypeFor[selfBody](): "SelfAnswer", reflect.TypeFor[websiteBody](): "WebsiteAnswer",
			reflect.TypeFor[managedBody](): "ManagedWebsites", reflect.TypeFor[trackerBody](): "TrackerAnswer",
			reflect.TypeFor[ofrepResult](): "OFREPResult", reflect.TypeFor[explainedBody](): "Explanation",
			reflect.TypeFor[explainedEntry](): "ExplainedParameter",
			reflect.TypeFor[explainArg]():     "StatementArgument", reflect.TypeFor[besideRows](): "Compared",
			reflect.TypeFor[tokenBody](): "Token",
		},
		Known: map[reflect.Type]*openapi.Schema{
			reflect.TypeFor[query.Result]():  openapi.Ref("Result"),
			reflect.TypeFor[query.Table]():   openapi.List("", openapi.Object("").OrNull(), 0, 0),
			reflect.TypeFor[query.Instant](): openapi.Moment(""),
			reflect.TypeFor[health.Time]():   openapi.Moment(""),
			reflect.TypeFor[netip.Prefix]():  openapi.Text("A network"),
			reflect.TypeFor[query.Code]():    openapi.Ref("ParameterCode"),
			reflect.TypeFor[query.Op](): openapi.OneOf("",
				slices.Concat(oneValue, manyValues, decimals, noValue)...),
			reflect.TypeFor[query.Compare](): requests.CompareSchema(""),
			reflect.TypeFor[query.Format](): openapi.OneOf("", query.String, query.Integer, query.Number,
				query.Boolean, query.Date, query.DateTime, query.JSON),
			reflect.TypeFor[query.Role]():   openapi.OneOf("", query.DimensionRole, query.MetricRole),
			reflect.TypeFor[query.Source](): openapi.OneOf("", query.Remembered, query.Merged, query.Statement),
			reflect.TypeFor[query.Reason](): openapi.OneOf("", query.Off, query.NotRememberable, query.NotMergeable,
				query.FirstAsked, query.DaysChanged, query.NoRoom, query.StatesTooLarge, query.NotStored),
			reflect.TypeFor[flags.Value]():     {Description: "true or false, or the value of a variant. Absent while a flag with variants is off: use your default"},
			reflect.TypeFor[flags.Type]():      openapi.OneOf("", flags.Boolean, flags.Rollout, flags.Multivariant),
			reflect.TypeFor[flags.Status]():    openapi.OneOf("", flags.Active, flags.Inactive, flags.Archived),
			reflect.TypeFor[flags.Unit]():      openapi.OneOf("", flags.ByUser, flags.ByOrganization, flags.ByTeam),
			reflect.TypeFor[flags.Attribute](): openapi.OneOf("", flags.OnUserID, flags.OnEmail, flags.OnProperty),
			reflect.TypeFor[flags.Operator]():  openapi.OneOf("", flags.Operators()...),
			reflect.TypeFor[flags.ValueType](): openapi.OneOf("", flags.StringValue, flags.NumberValue,
				flags.JSONValue),
			reflect.TypeFor[flags.Action](): openapi.OneOf("", flags.Enable, flags.Disable, flags.UpdateRollout),
			reflect.TypeFor[flags.Step]():   openapi.Ref("ScheduleStep"),
			reflect.TypeFor[flags.Reason](): openapi.OneOf("", flags.UserRuleMatch, flags.TargetGroupMatch,
				flags.MultivariantEvaluated, flags.RolloutEnabled, flags.RolloutDisabled, flags.BooleanDefault,
				flags.DependencyNotSatisfied, flags.FlagNotFound),
			reflect.TypeFor[auth.KeyState](): openapi.OneOf("", auth.Revoked, auth.Expired, auth.Disabled,
				auth.Active),
			reflect.TypeFor[selfKind]():      openapi.OneOf("", selfKey, selfToken),
			reflect.TypeFor[auth.Scope]():    openapi.Text("A scope of keys"),
			reflect.TypeFor[health.Report](): openapi.Ref("Health"),
		},
	}
}

// report returns the schema of the state of the service.
func (d *describer) report() *openapi.Schema { return openapi.Of[health.Report](d.reflect) }

// answers returns the schemas of answers that do not follow from the declarations of their structs.
func (d *describer) answers() map[string]*openapi.Schema {
	openapi.Of[query.Response](d.reflect)
	openapi.Of[query.ResultMeta](d.reflect)
	batch := func(of string) *openapi.Schema {
		return openapi.Object("The answers to a batch, in its order.",
			openapi.Member("success", openapi.Truth("")),
			openapi.Member("batch", &openapi.Schema{Type: openapi.Types{"boolean"}, Const: true}),
			openapi.Member("results",
				openapi.List("", openapi.Any("", openapi.Ref(of), openapi.Of[failedBody](d.reflect)), 0, 0)),
		).Needs("success", "batch", "results")
	}
	var parameter []string
	for _, c := range codes {
		parameter = append(parameter, c.Code)
	}
	known := &openapi.Describer{Components: map[string]*openapi.Schema{}, Known: map[reflect.Type]*openapi.Schema{}}
	openapi.Of[health.Report](known)
	if o := d.reflect.Components["Overview"]; o != nil {
		d.overview(o)
	}
	return map[string]*openapi.Schema{
		"BatchAnswer": batch("QueryAnswer"), "BatchExplanation": batch("Explanation"),
		"Health":        known.Components["Report"],
		"ParameterCode": openapi.OneOf("Why a parameter failed", parameter...),
	}
}

// overview sets the schemas of the rows in an overview.
func (d *describer) overview(o *openapi.Schema) {
	for _, s := range sections {
		*o.Properties.Slot(s.name) = openapi.List("", openapi.Ref(componentName(s.kind)+"Row"), 0, 0)
	}
	totals := openapi.Ref(componentName(totalsType) + "Row")
	*o.Properties.Slot("totals") = totals.OrNull()
	*o.Properties.Slot("previous") = totals.OrNull()
	*o.Properties.Slot("changes") = openapi.Map("In percent",
		&openapi.Schema{Type: openapi.Types{"number", "null"}}).OrNull()
}

// requirements returns the keys that a route accepts: one of several scopes.
func (r *route) requirements() (all []openapi.Requirement) {
	switch {
	case r.access == Public:
		return nil
	case r.access == ByKeyOrClient:
		return []openapi.Requirement{{}, {"bearer": {}}, {"apiKey": {}}}
	case r.May.AnyOf == nil:
		return []openapi.Requirement{{"bearer": {}}, {"apiKey": {}}}
	}
	kinds := r.of
	if len(kinds) == 0 {
		kinds = []string{""}
	}
	var scopes []auth.Scope
	for _, kind := range kinds {
		for _, scope := range r.May.AnyOf(kind) {
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	for _, scope := range scopes {
		all = append(all, openapi.Requirement{"bearer": {string(scope)}}, openapi.Requirement{"apiKey": {string(scope)}})
	}
	return all
}

// statuses returns the components with the errors of a route, by status. They follow from the access and the body of
// the route.
func statuses(r *route, row described) map[int]string {
	all := []code{codeValidation, codeRateLimited, codeInternal, codeUnavailable, codeTimeout}
	switch r.access {
	case Public:
	case ByKeyOrClient:
		all = append(all, codeAuthRequired)
	default:
		all = append(all, codeAuthRequired, codeForbidden)
	}
	if r.body {
		all = append(all, codeLateBody, codeTooLarge, codeMediaType)
	}
	prefix := "Error"
	if strings.HasPrefix(r.Path, ofrepPrefix) {
		prefix = "OFREPError"
	}
	by := map[int]string{}
	for _, c := range append(all, row.errors...) {
		by[codes[c].Status] = prefix + strconv.Itoa(codes[c].Status)
	}
	for status, name := range row.Further {
		by[status] = name
	}
	return by
}

// errors adds the answers to failed requests which operations name: one component for each status, with its codes.
func (d *describer) errors(doc *openapi.Document, named map[string]bool) {
	own := reflected()
	openapi.Of[errorBody](own)
	openapi.Of[ofrepError](own)
	openapi.Of[mistake.FieldError](d.reflect)
	by := map[int][]string{}
	for _, c := range codes {
		if c.Status != 0 {
			by[c.Status] = append(by[c.Status], c.Code)
		}
	}
	for status, codes := range by {
		number := strconv.Itoa(status)
		for name, body := range map[string]*openapi.Schema{"Error": own.Components["Error"],
			"OFREPError": own.Components["OfrepError"]} {
			if !named[name+number] {
				continue
			}
			doc.Schemas(map[string]*openapi.Schema{name + number: withCodes(body, codes), "Problem" +
				number: problemSchema(status, codes)})
			doc.AddResponse(name+number, describeCodes(codes), status == http.StatusTooManyRequests ||
				status == http.StatusServiceUnavailable,
				map[string]*openapi.Schema{"application/json": openapi.Ref(name + number),
					openapi.ProblemType: openapi.Ref("Problem" + number)})
		}
	}
	if !named["Unhealthy"] {
		return
	}
	doc.AddResponse("Unhealthy", "A part of the service is not available, or the service cannot answer", true,
		map[string]*openapi.Schema{
			"application/json":  openapi.Any("", openapi.Ref("Health"), openapi.Ref("Error503")),
			openapi.ProblemType: openapi.Ref("Problem503"),
		})
}

// withCodes returns a copy of the schema of an error that has one of these codes.
func withCodes(s *openapi.Schema, codes []string) *openapi.Schema {
	with := *s
	with.Properties = slices.Clone(s.Properties)
	*with.Properties.Slot("code") = openapi.OneOf("", codes...)
	*with.Properties.Slot("success") = &openapi.Schema{Type: openapi.Types{"boolean"}, Const: false}
	return &with
}

// describeCodes returns a sentence for each code.
func describeCodes(names []string) string {
	var all []string
	for _, c := range codes {
		if slices.Contains(names, c.Code) {
			all = append(all, "`"+c.Code+"`: "+c.When)
		}
	}
	return strings.Join(all, "\n\n")
}

// plainAnswer returns the response with the plain form of the document.
func (a *api) plainAnswer() (*response, error) {
	whole, err := a.document()
	if err != nil {
		return nil, err
	}
	js, err := openapi.Plain(whole.body)
	return &response{body: append(js, '\n'), form: jsonForm}, err
}

// showDocument answers with the OpenAPI document, in the form that the request asks for.
func (a *api) showDocument(_ context.Context, r *front.Request, _ *question) (*front.Answer, error) {
	values, ok := r.Query()
	if !ok {
		return nil, errMalformed
	}
	form, bad := single(values, "form")
	show := map[string]func() (*response, error){"": a.document, "plain": a.plain}[form]
	if show == nil {
		bad = append(bad, mistake.FieldError{Field: "form",
			Message: mistake.OneOf(form, "plain")})
	}
	if len(bad) > 0 {
		return nil, bad
	}
	document, err := show()
	if err != nil {
		return nil, err
	}
	return document.answer(tagOf(document.body)), nil
}
