package plan

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// typeOf returns the type that p, the i-th parameter, asks for: by its name, or by a choice of metrics.
func (v *resolver) typeOf(i int, p *ask.Parameter, list *ask.Issues) *catalog.BoundType {
	if !p.Chooses() {
		return v.typeNamed(ask.InParameter(i, ""), p.Name, list)
	}
	at, d := ask.InParameter(i, "dataset"), catalog.DatasetNamed(p.Called())
	switch allowed := catalog.DatasetNames(v.access.Kind()); {
	case v.access.Types != nil:
		list.Add(at, ask.Error{Code: ask.Forbidden,
			Message: "this access includes query types by name, and no choice of metrics", Allowed: v.allowed()})
	case d == nil:
		list.Add(at, ask.Unknown(ask.UnknownType, "dataset", p.Called(), allowed))
	case d.Subject != v.access.Kind():
		list.Add(at, ask.Error{Code: ask.WrongSubject, Allowed: allowed,
			Message: fmt.Sprintf("the dataset %q needs %s in the address, not %s",
				d.Name, idOf(d.Subject), idOf(v.access.Kind()))})
	case len(list.Errors) == 0:
		return v.types.Choose(d, p, i, list)
	}
	return nil
}

// wholePlan returns the plan of the numbers over all rows of p; nil if there are none.
func wholePlan(p *Plan) *Plan {
	if p.Type.Whole == nil {
		return nil
	}
	return p.over(p.Type.Whole)
}

// over returns p with another type, which has one row.
func (p *Plan) over(ty *catalog.BoundType) *Plan {
	one := *p
	one.Type, one.Group, one.Sort, one.Limit, one.Offset = ty, nil, nil, 1, 0
	one.Other, one.Totals, one.Properties, one.Difference, one.Keyed, one.OfKeys = nil, nil, nil, nil, false, false
	return &one
}

// Further returns the plans that p's answer may need beside its own.
func (p *Plan) Further() (all []*Plan) {
	if p.Other != nil {
		all = append(all, p.Other.Plan)
	}
	all = slices.DeleteFunc(append(all, p.Totals, p.Properties), func(p *Plan) bool { return p == nil })
	return append(all, p.Why.plans()...)
}
