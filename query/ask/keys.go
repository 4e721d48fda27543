package ask

import (
	"strconv"

	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// AppendKey appends a text of whose rows a caller sees, which of them, and which types.
func (a *Access) AppendKey(b []byte) []byte {
	b = keytext.Texts(b, string(a.Subject.Kind), a.Subject.ID, a.Name)
	b = appendWebsites(b, a.Websites)
	b = keytext.Numbers(b, int64(len(a.Filters)), int64(len(a.Types)))
	b = strconv.AppendBool(b, a.Types == nil)
	b = appendFilters(b, a.Filters)
	return keytext.Texts(b, a.Types...)
}

func appendWebsites(b []byte, all []Website) []byte {
	b = keytext.Numbers(b, int64(len(all)))
	for _, w := range all {
		b = keytext.Texts(b, w.ID, w.Name)
	}
	return b
}

// AppendKey appends a text that is the same for equal requests and no others.
func (q *Request) AppendKey(b []byte) []byte {
	b = keytext.Texts(b, q.ID, q.StartDate, q.EndDate, q.TimeZone)
	b = keytext.Numbers(q.Options.appendKey(b), int64(len(q.Parameters)))
	for i := range q.Parameters {
		p := &q.Parameters[i]
		b = keytext.Texts(b, p.Name, p.ID, p.StartDate, p.EndDate)
		b = p.appendChoice(p.Options.appendKey(b))
	}
	return b
}

// appendFilters appends all, of which the number is known.
func appendFilters(b []byte, all []Filter) []byte {
	for i := range all {
		f := &all[i]
		b = keytext.Numbers(keytext.Texts(b, f.Field, string(f.Op)), int64(len(f.Values)))
		b = keytext.Texts(b, f.Values...)
		if f.Parts() == nil && f.Did == nil && f.Segment == "" {
			b = append(b, '-') // most filters are leaves
			continue
		}
		if f.Did != nil {
			b = f.Did.Action.appendKey(keytext.Texts(append(b, 'd'), f.Did.In))
		}
		if f.Segment != "" {
			b = keytext.Texts(append(b, 's'), f.Segment)
		}
		b = appendGroup(appendGroup(b, f.And), f.Or)
		if f.Not != nil {
			b = appendFilters(append(b, 'n'), []Filter{*f.Not})
		}
		b = append(b, '.')
	}
	return b
}

func appendGroup(b []byte, all []Filter) []byte {
	if all == nil {
		return append(b, '-')
	}
	return appendFilters(keytext.Numbers(b, int64(len(all))), all)
}

// appendChoice appends what p asks for beside a name and options.
func (p *Parameter) appendChoice(b []byte) []byte {
	if p.Dataset+p.Window+p.Within+p.Order == "" && p.Metrics == nil && p.Dimensions == nil && p.Goals == nil &&
		p.Steps == nil && p.Exclude == nil && p.Rolling == nil &&
		p.Start == nil && p.Return == nil && p.From == nil && p.To == nil && p.Saved == nil && len(p.Why.Parts()) == 0 {
		return append(b, '-') // most parameters have none
	}
	b = keytext.Texts(b, p.Dataset, p.Window, p.Within, p.Order)
	b = keytext.Numbers(b, int64(len(p.Metrics)), int64(len(p.Dimensions)), int64(len(p.Goals)), int64(len(p.Steps)),
		int64(len(p.Exclude)))
	for _, m := range p.Metrics {
		b = keytext.Texts(b, m.Name, m.Property, m.As)
	}
	b = keytext.Texts(b, p.Dimensions...)
	for i := range p.Goals {
		b = p.Goals[i].appendKey(keytext.Texts(b, p.Goals[i].Name, p.Goals[i].Value))
	}
	for i := range p.Steps {
		b = p.Steps[i].appendKey(keytext.Texts(b, p.Steps[i].Name))
	}
	for i := range p.Exclude {
		e := &p.Exclude[i]
		b = e.appendKey(keytext.Numbers(b, int64(e.After), int64(e.Before)))
	}
	b = append(b, truthKey(p.Rolling)...)
	for _, a := range []*Action{p.Start, p.Return} {
		if a == nil {
			b = append(b, '-')
			continue
		}
		b = a.appendKey(append(b, '+'))
	}
	for _, text := range []*string{p.From, p.To} {
		if text == nil {
			b = append(b, '-')
			continue
		}
		b = keytext.Texts(append(b, '+'), *text)
	}
	b = p.Why.appendKey(b)
	if p.Saved != nil {
		b = keytext.Texts(keytext.Numbers(append(b, '+'), int64(len(p.Saved))), p.Saved...)
	}
	return b
}

func (a *Action) appendKey(b []byte) []byte {
	for _, t := range []*Text{a.Event, a.Page, a.Click} {
		if t == nil {
			b = append(b, '-')
			continue
		}
		b = keytext.Numbers(keytext.Texts(b, string(t.Op)), int64(len(t.Values)))
		b = keytext.Texts(b, t.Values...)
	}
	return appendFilters(keytext.Numbers(b, int64(len(a.Filters))), a.Filters)
}
