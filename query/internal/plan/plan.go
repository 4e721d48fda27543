// Package plan resolves requests: it looks up every name and applies every default.
//
//	resolved, mistakes := plan.Resolve(types, access, request, now, zones)
//	for _, one := range resolved.Parameters {
//		if one.Err != nil { … }                  // this parameter fails alone
//		key := one.Plan.AppendKey(nil)           // equal plans have equal keys
//		steps := plan.StepsOf(one.Plan)          // what is done with the rows after aggregation
//	}
//
// No later stage looks up names or applies defaults. The package is pure: the clock is an argument.
package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// A Plan is one parameter, resolved: no name is left to look up and no default to apply.
type Plan struct {
	Type    *catalog.BoundType
	ID      string        // the parameter's own id; empty when it had none
	Subject store.Subject // without an id for several Websites
	// Websites are those whose rows count, if there are several, or if the plan asks for the website of rows. Otherwise
	// it is nil.
	Websites []ask.Website
	Range    calendar.Range
	Until    time.Time   // rows count before it: the end of Range, or where a comparison cuts it
	Other    *Comparison // nil: compared with nothing
	// Totals asks for the numbers over all rows; nil: they are not asked for, or the type has none.
	Totals *Plan
	// Properties counts the rows with each property that a choice has metrics of. It is asked if the answer shows no
	// value of one of them. It is nil without these.
	Properties *Plan
	Keyed      bool // rows carry the values of their dimensions behind their columns
	OfKeys     bool // all rows with the keys of an answer, in no order
	// Difference orders the rows of both periods; nil: Sort orders them.
	Difference *Difference
	Grain      calendar.Grain
	Now        time.Time        // of the request; ends downtime, and is the only clock
	Group      []*catalog.Field // leading columns by groupBy
	Filters    []Condition      // the caller's
	Mandatory  []Condition      // the access's; they cut the data first
	Behaviour  *Behaviour       // nil for most types
	Why        *Why             // of a type that explains a change; else nil
	Sort       []catalog.Order  // without the keys that break ties
	Limit      int              // 0: all, for a series that asked for no limit and for the other period
	Offset     int
}

// A Condition is a filter on fields that exist. It is a leaf, or a group of conditions.
type Condition struct {
	Group Group
	Parts []Condition // of a group

	Did *Did // of a leaf on what else people did, which has nothing else

	// Of any other leaf, with values in the form of the field: a path normalised, a device in lower case.
	Field  *catalog.Field
	Op     ask.Op
	Values []string
	Codes  []string // of byCountry and byReferrer: the stored values that Values name
	wrong  []string // of byCountry and byReferrer: those of Values that name nothing
	never  []never  // what no stored text can have

	OnEvents bool // events have the field themselves
}

// A Group says how a condition is made of its parts.
type Group uint8

// The groups.
const (
	Leaf   Group = iota // no parts
	AllOf               // all parts hold
	AnyOf               // at least one part holds
	NoneOf              // no part holds
)

// String is c for people and golden files.
func (c Condition) String() string {
	switch {
	case c.Did != nil:
		return c.Did.String()
	case c.Group == Leaf:
		return fmt.Sprintf("%s %s %q", c.Field.Name, c.Op, c.Values)
	}
	parts := make([]string, len(c.Parts))
	for i, part := range c.Parts {
		parts[i] = part.String()
	}
	return map[Group]string{AllOf: "all of", AnyOf: "any of", NoneOf: "none of"}[c.Group] + " (" +
		strings.Join(parts, "; ") + ")"
}

// Counted is the time whose rows count.
func (p *Plan) Counted() calendar.Interval {
	return calendar.Interval{From: p.Range.From.UnixMilli(), To: p.Until.UnixMilli()}
}

// Columns returns the output columns of p, in order: the columns of groupBy, then of the type. A statement of p selects
// them in this order, unrounded. The column date holds bucket numbers, booleans are 0 or 1, instants are milliseconds.
// The slice must not be changed.
func (p *Plan) Columns() []catalog.Output {
	own := p.Type.Outputs
	if p.Behaviour != nil && p.Behaviour.WithinSession {
		own = ofSessions(own)
	}
	if len(p.Group) == 0 {
		return own
	}
	cols := make([]catalog.Output, 0, len(p.Group)+len(own))
	for _, f := range p.Group {
		cols = append(cols, catalog.Output{Name: f.ShownAs(), Format: catalog.String})
	}
	return append(cols, own...)
}

// ofSessions returns the columns of a funnel whose steps sessions reach.
func ofSessions(cols []catalog.Output) []catalog.Output {
	cols = slices.Clone(cols)
	for i := range cols {
		if cols[i].Name == "visitors" {
			cols[i].Name, cols[i].Label = "sessions", "Sessions"
		}
	}
	return cols
}

// Block is the number of rows that the limit counts as one: all steps of a funnel are shown, or none.
func (p *Plan) Block() int {
	if p.Behaviour == nil {
		return 1
	}
	return max(1, len(p.Behaviour.Steps))
}

// String is p on a few lines, for people and golden files.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s %s\n", p.Type.Name, p.Subject.Kind, p.subjectIDs())
	fmt.Fprintf(&b, "range %s to %s %s, %s\n", p.Range.From.Format(time.RFC3339), p.Range.To.Format(time.RFC3339),
		p.Range.Zone, p.Grain)
	if !p.Until.Equal(p.Range.To) {
		fmt.Fprintf(&b, "until %s\n", p.Until.Format(time.RFC3339Nano))
	}
	if p.Other != nil {
		fmt.Fprintf(&b, "beside %s\n", p.Other.By)
	}
	if p.Totals != nil {
		b.WriteString("totals\n")
	}
	for _, f := range p.Group {
		fmt.Fprintf(&b, "by %s\n", f.Name)
	}
	for _, c := range p.Mandatory {
		fmt.Fprintf(&b, "always %s\n", c)
	}
	for _, c := range p.Filters {
		fmt.Fprintf(&b, "where %s\n", c)
	}
	for _, o := range p.Sort {
		fmt.Fprintf(&b, "order %s desc=%t\n", o.Column, o.Desc)
	}
	if p.Difference != nil {
		fmt.Fprintf(&b, "order difference of %s desc=%t\n", p.Difference.Column, p.Difference.Desc)
	}
	fmt.Fprintf(&b, "limit %d offset %d\n", p.Limit, p.Offset)
	return b.String()
}

// Resolved is a request in which everything is decided, by parameter in its order.
type Resolved struct {
	Parameters []Parameter
	Range      calendar.Range // of the request
	Grain      calendar.Grain // of the request
}

// A Parameter has the plan of one parameter, or the mistake in it.
type Parameter struct {
	Name string
	ID   string
	Plan *Plan
	Err  *ask.Error // instead of plan
	Key  []byte     // of plan
}

// resolver turns the parameters of one request into plans.
type resolver struct {
	types        *catalog.Registry
	access       ask.Access
	req          *ask.Request
	options      ask.GivenOptions // of the request
	rng          calendar.Range   // of the request
	grain        calendar.Grain   // of the request
	now          time.Time
	ranges       ranges      // first of the rows that the access may see
	filters      []Condition // of the request
	mandatory    []Condition // of the access
	mandatoryErr *ask.Error  // the access's filters are not usable
}

// Resolve decides all that req leaves open, for a subject without rows. It returns all mistakes of the request. A
// mistake of one parameter is in its Parameter.
func Resolve(r *catalog.Registry, a ask.Access, req ask.Request, now time.Time, zones *ask.Zones) (*Resolved,
	ask.Errors) {
	return ResolveSince(r, a, req, now, zones, time.Time{})
}

// ResolveSince is Resolve for a subject of which a may see rows since first, where the preset all_time begins. A zero
// first means that no row exists.
func ResolveSince(r *catalog.Registry, a ask.Access, req ask.Request, now time.Time, zones *ask.Zones,
	first time.Time) (*Resolved, ask.Errors) {
	var list ask.Issues
	rd := ask.CheckRequest(&req, ask.TimeZone, zones, &list)
	ask.CheckResolved(&req, a.Websites != nil, &list)
	zone := rd.Zone
	if zone == nil {
		zone = a.Zone
	}
	if zone == nil {
		zone = time.UTC
	}
	known := ranges{now, first, zone}
	rng, ok := known.of(req.Preset, &req.Options)
	switch {
	case ok:
		ask.CheckGrainOf(ask.InField("granularity"), ask.Invalid, rd.Grain, rng, &list)
	case !ask.NeedsRange(&req):
		rng = known.hullOf(&req)
	case len(list.Errors) == 0:
		rng = known.requested(&rd, &list)
	}
	if errs := list.Sorted(); errs != nil {
		return nil, errs
	}
	v := &resolver{types: r, access: a, req: &req, options: ask.OptionsOf(&req), grain: rd.Grain, now: now,
		ranges: known, rng: rng, mandatoryErr: checkMandatory(a.Filters)}
	v.filters = conditions(r, req.Filters)
	if v.mandatoryErr == nil {
		v.mandatory = conditions(r, a.Filters)
	}
	found := &Resolved{Parameters: make([]Parameter, len(req.Parameters)), Range: v.rng, Grain: v.grain}
	for i, p := range req.Parameters {
		found.Parameters[i] = v.parameter(i, p)
	}
	return found, nil
}

// Mandatory returns the filters of a on the fields that they name, or an error if they are not usable.
func Mandatory(r *catalog.Registry, a ask.Access) ([]Condition, error) {
	if err := checkMandatory(a.Filters); err != nil {
		return nil, err
	}
	return conditions(r, a.Filters), nil
}

// checkMandatory refuses filters of an access that cannot be used. Leaving them out
// would show what the caller must not see.
func checkMandatory(all []ask.Filter) *ask.Error {
	var list ask.Issues
	CheckAccessFilters(all, &list)
	if errs := list.Sorted(); errs != nil {
		return &ask.Error{Code: ask.Internal, Message: "The mandatory filters of this access are not usable",
			Err: fmt.Errorf("query: Access.Filters: %w", errs)}
	}
	return nil
}

// parameter resolves the i-th parameter.
func (v *resolver) parameter(i int, p ask.Parameter) Parameter {
	found := Parameter{Name: p.Called(), ID: p.ID}
	if v.mandatoryErr != nil {
		found.Err = v.mandatoryErr
		return found
	}
	list := ask.Issues{Limit: ask.MaxParameterIssues}
	ask.CheckParameter(&p, i, &list)
	if ty := v.typeOf(i, &p, &list); len(list.Errors) == 0 {
		own := ask.ParameterOptions(&p, i)
		found.Plan = v.plan(i, p, ty, own.Over(v.options), &list)
	}
	if found.Err = mergeErrors(list.Sorted()); found.Err != nil {
		found.Plan = nil
	}
	return found
}

// mergeErrors returns one error for all mistakes of a parameter: the first, with the texts of all. Texts about options
// get the name of the option.
func mergeErrors(errs ask.Errors) *ask.Error {
	if len(errs) == 0 {
		return nil
	}
	first, texts := *errs[0], make([]string, len(errs))
	for i, e := range errs {
		texts[i] = e.Message
		if _, field, own := strings.Cut(e.Field, "]."); own && e.Code == ask.Invalid {
			texts[i] = mistake.Sentence(field, e.Message)
		}
	}
	first.Message = strings.Join(texts, "; ")
	return &first
}

// typeNamed looks up a type, which must be one for the subject and the access.
func (v *resolver) typeNamed(at ask.FieldPath, name string, list *ask.Issues) *catalog.BoundType {
	ty := v.types.Named(name)
	switch {
	case ty == nil:
		list.Add(at, v.types.NoSuchType(name, v.allowed()))
	case !v.allows(name):
		list.Add(at, ask.Refused(ask.Forbidden, fmt.Sprintf("this access does not include %q", name), "", v.allowed()))
	case ty.Subject != v.access.Kind():
		list.Add(at, ask.Error{Code: ask.WrongSubject, Allowed: v.allowed(),
			Message: fmt.Sprintf("%q needs %s in the address, not %s", name, idOf(ty.Subject),
				idOf(v.access.Kind()))})
	case v.access.Websites != nil && ty.Several != nil:
		return ty.Several
	default:
		return ty
	}
	return nil
}

func (v *resolver) allows(name string) bool {
	return v.access.Types == nil || slices.Contains(v.access.Types, name)
}

// allowed are the types that this access can ask of this subject.
func (v *resolver) allowed() []string {
	var names []string
	for _, ty := range v.types.All() {
		if ty.Subject == v.access.Kind() && v.allows(ty.Name) {
			names = append(names, ty.Name)
		}
	}
	return names
}

// idOf is the name by which requests give the id of a subject.
func idOf(kind store.SubjectKind) string { return string(kind) + "_id" }
