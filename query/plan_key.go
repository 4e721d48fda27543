package query

import (
	"slices"
	"strconv"
)

// byClock says whether the rows of p's answer change with the time alone, while no stored row does:
// its range ends now, it is cut there to be compared, or an outage lasts.
func (p *plan) byClock() bool {
	lasts := func(tb *table) bool { return tb.rows == outageRows }
	return p.Type.untilNow() || !p.Until.Equal(p.Range.To) ||
		p.Range.To.After(p.Now) && slices.ContainsFunc(p.Type.sources, lasts)
}

// appendKey appends a text that is the same for equal plans and no others, but for whose rows they
// read, for the id of the parameter, and for the clock, which counts where byClock says so. Fields,
// zones and types are told by their names.
func (p *plan) appendKey(b []byte) []byte {
	b = appendKeyTexts(b, p.Type.Name, p.Range.Zone.String())
	b = appendKeyNumbers(b, int64(p.Range.StartDate), int64(p.Range.EndDate), p.Range.From.UnixMilli(), p.Range.To.UnixMilli(),
		p.Until.UnixMilli(), int64(p.Grain), int64(p.Limit), int64(p.Offset))
	b = append(strconv.AppendBool(strconv.AppendBool(b, p.Keyed), p.OfKeys), '\n')
	b = appendKeyNumbers(b, int64(len(p.Group)), int64(len(p.Mandatory)), int64(len(p.Filters)), int64(len(p.Sort)))
	for _, f := range p.Group {
		b = appendKeyTexts(b, f.Name)
	}
	for _, c := range p.Mandatory {
		b = c.appendKey(b)
	}
	for _, c := range p.Filters {
		b = c.appendKey(b)
	}
	for _, o := range p.Sort {
		b = strconv.AppendBool(appendKeyTexts(b, o.column), o.desc)
	}
	if p.Other != nil {
		b = p.Other.plan.appendKey(appendKeyTexts(b, string(p.Other.by)))
	}
	return b
}

// appendKey appends a text of all of c. What follows from the field and the values by the lists of
// countries and sources is told too: another version of the program may have other lists.
func (c condition) appendKey(b []byte) []byte {
	b = appendKeyTexts(b, c.Field.Name, string(c.Op))
	b = strconv.AppendBool(b, c.onEvents)
	b = appendKeyNumbers(b, int64(len(c.Values)), int64(len(c.codes)))
	return appendKeyTexts(appendKeyTexts(b, c.Values...), c.codes...)
}

// appendKey appends a text of whose rows a caller sees, which of them, and which types.
func (a *Access) appendKey(b []byte) []byte {
	b = appendKeyTexts(b, string(a.Subject.Kind), a.Subject.ID)
	b = appendKeyNumbers(b, int64(len(a.Filters)), int64(len(a.Types)))
	b = strconv.AppendBool(b, a.Types == nil)
	for _, f := range a.Filters {
		b = appendKeyNumbers(appendKeyTexts(b, f.Field, string(f.Op)), int64(len(f.Values)))
		b = appendKeyTexts(b, f.Values...)
	}
	return appendKeyTexts(b, a.Types...)
}

// appendKeyTexts appends each of texts behind its length.
func appendKeyTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...)
	}
	return b
}

func appendKeyNumbers(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = append(strconv.AppendInt(b, n, 10), ' ')
	}
	return b
}
