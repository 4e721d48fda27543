package plan

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// A Did is an [ask.Did] on the fields that it names.
type Did struct {
	Action
	// the visitor of the row acted in the range of the plan; false: the session of the row did, at any time
	InRange bool
}

// didOf returns d, which is at that place, on the fields that it names. It adds mistakes to list.
func didOf(at ask.FieldPath, d *ask.Did, list *ask.Issues) *Did {
	return &Did{actionOf(at.Member("did"), &d.Action, list), d.In == ask.InRange}
}

// String is d for people and golden files.
func (d *Did) String() string {
	where := "session"
	if d.InRange {
		where = "range"
	}
	return fmt.Sprintf("did (%s; %s) in %s", d.Text, d.Filters, where)
}

// AppendKey appends a text that equal ones share and no others.
func (d *Did) AppendKey(b []byte) []byte {
	return d.Action.AppendKey(strconv.AppendBool(keytext.Texts(b, "", "did"), d.InRange))
}

// Asks reports whether c asks what else people did.
func (c *Condition) Asks() bool {
	for leaf := range c.Leaves() {
		if leaf.Did != nil {
			return true
		}
	}
	return false
}

// refuseDid adds a mistake to list if a filter of the caller, as o gives it, asks what people did and the range is too
// long for that.
func (p *Plan) refuseDid(o *ask.GivenOptions, list *ask.Issues) {
	days := p.Range.Len()
	if p.Type.UntilNow() || days <= ask.MaxDidDays {
		return
	}
	if i := slices.IndexFunc(p.Filters, func(c Condition) bool { return c.Asks() }); i >= 0 {
		list.Add(o.At("filters"), ask.Error{Code: ask.BadFilter,
			Message: fmt.Sprintf("did is for ranges of at most %d days, and this one has %d; use a shorter range",
				ask.MaxDidDays, days)})
	}
}
