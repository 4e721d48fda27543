package ask

import (
	"strconv"
)

// AppendAccessKey appends a text of whose rows a caller sees, which of them, and which types.
func AppendAccessKey(a *Access, b []byte) []byte {
	b = AppendKeyTexts(b, string(a.Subject.Kind), a.Subject.ID)
	b = AppendKeyNumbers(b, int64(len(a.Filters)), int64(len(a.Types)))
	b = strconv.AppendBool(b, a.Types == nil)
	for _, f := range a.Filters {
		b = AppendKeyNumbers(AppendKeyTexts(b, f.Field, string(f.Op)), int64(len(f.Values)))
		b = AppendKeyTexts(b, f.Values...)
	}
	return AppendKeyTexts(b, a.Types...)
}

// AppendKeyTexts appends each of texts behind its length.
func AppendKeyTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...)
	}
	return b
}

// AppendKeyNumbers appends each of numbers, followed by a blank.
func AppendKeyNumbers(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = append(strconv.AppendInt(b, n, 10), ' ')
	}
	return b
}

// AppendRequestKey appends a text that is the same for equal requests and no others.
func AppendRequestKey(q *Request, b []byte) []byte {
	b = AppendKeyTexts(b, q.ID, q.StartDate, q.EndDate, q.TimeZone)
	o := OptionsOf(q)
	b = AppendKeyNumbers(o.appendKey(b), int64(len(q.Parameters)))
	for i := range q.Parameters {
		p := &q.Parameters[i]
		b = AppendKeyTexts(b, p.Name, p.ID, p.StartDate, p.EndDate)
		o := ParameterOptions(p, i)
		b = o.appendKey(b)
	}
	return b
}

// appendKey tells nil from empty: it leaves an option to the request.
func (o *Options) appendKey(b []byte) []byte {
	if o.preset+o.Granularity+o.WeekStart+string(o.Compare)+o.SortBy+o.SortOrder == "" && o.Limit == nil && o.PageNumber == 0 && o.Filters == nil && o.GroupBy == nil {
		return append(b, '-') // most parameters have none
	}
	b = AppendKeyTexts(b, o.preset, o.Granularity, o.WeekStart, string(o.Compare), o.SortBy, o.SortOrder)
	limit, filters, groups := int64(-1), int64(-1), int64(-1)
	if o.Limit != nil {
		limit = int64(*o.Limit)
	}
	if o.Filters != nil {
		filters = int64(len(o.Filters))
	}
	if o.GroupBy != nil {
		groups = int64(len(o.GroupBy))
	}
	b = append(strconv.AppendBool(b, o.Limit == nil), ' ')
	b = AppendKeyNumbers(b, limit, int64(o.PageNumber), filters, groups)
	for _, f := range o.Filters {
		b = AppendKeyNumbers(AppendKeyTexts(b, f.Field, string(f.Op)), int64(len(f.Values)))
		b = AppendKeyTexts(b, f.Values...)
	}
	return AppendKeyTexts(b, o.GroupBy...)
}
