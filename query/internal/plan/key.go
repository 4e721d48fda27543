package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// ByClock says whether the rows of p's answer change with the time alone, while no stored row does: its range ends now,
// it or the period that it is compared with is cut there, an outage lasts, or it has rows of cohorts for periods that
// have begun.
func (p *Plan) ByClock() bool {
	lasts := func(tb *catalog.Table) bool { return tb.Rows == catalog.OutageRows }
	return p.Type.UntilNow() || !p.Until.Equal(p.Range.To) || p.Other != nil && p.Other.Plan.ByClock() ||
		p.Range.To.After(p.Now) && slices.ContainsFunc(p.Type.Tables, lasts) ||
		p.Type.Cohorts() && len(p.Begun()) < len(calendar.Buckets(p.Range, p.Grain))
}

// AppendKey appends a text that equal plans share and no others. It leaves out a single subject, the id of the
// parameter and the clock, which counts if ByClock says so. Fields, zones and types are written by name.
func (p *Plan) AppendKey(b []byte) []byte {
	b = keytext.Texts(b, p.Type.Identity(), p.Range.Zone.String())
	for _, w := range p.Websites {
		b = keytext.Texts(append(b, 'w'), w.ID, w.Name)
	}
	b = keytext.Numbers(b, int64(p.Range.StartDate), int64(p.Range.EndDate), p.Range.From.UnixMilli(),
		p.Range.To.UnixMilli(),
		p.Until.UnixMilli(), int64(p.Grain), int64(p.Limit), int64(p.Offset))
	for _, is := range []bool{p.Range.FromTime, p.Range.ToTime, p.Keyed, p.OfKeys} {
		b = strconv.AppendBool(b, is)
	}
	b = append(b, '\n')
	b = keytext.Numbers(b, int64(len(p.Group)), int64(len(p.Mandatory)), int64(len(p.Filters)), int64(len(p.Sort)))
	for _, f := range p.Group {
		b = keytext.Texts(b, f.Name)
	}
	for _, c := range p.Mandatory {
		b = c.AppendKey(b)
	}
	for _, c := range p.Filters {
		b = c.AppendKey(b)
	}
	for _, o := range p.Sort {
		b = strconv.AppendBool(keytext.Texts(b, o.Column), o.Desc)
	}
	b = p.Why.appendKey(p.Difference.appendKey(p.Behaviour.appendKey(b)))
	if p.Other != nil {
		b = p.Other.Plan.AppendKey(keytext.Texts(b, string(p.Other.By), strings.Join(p.Other.Unequal, " ")))
	}
	if p.Totals != nil {
		b = append(b, "totals"...)
	}
	return b
}

// AppendKey appends a text of all of c, including values that follow from the lists of countries and sources: another
// version of the program may have other lists.
func (c Condition) AppendKey(b []byte) []byte {
	b = keytext.Numbers(b, int64(c.Group), int64(len(c.Parts)))
	for _, part := range c.Parts {
		b = part.AppendKey(b)
	}
	switch {
	case c.Group != Leaf:
		return b
	case c.Did != nil:
		return c.Did.AppendKey(b)
	}
	b = keytext.Texts(b, c.Field.Identity(), string(c.Op))
	b = strconv.AppendBool(b, c.OnEvents)
	b = keytext.Numbers(b, int64(len(c.Values)), int64(len(c.Codes)))
	return keytext.Texts(keytext.Texts(b, c.Values...), c.Codes...)
}
