package query

import (
	"strconv"
	"time"
)

// preparedBytes bounds the requests that an engine remembers as it resolved them. One takes 2 to 20 kB.
const preparedBytes = 8 << 20

// stands says whether p is what its request is resolved to at any instant for which appendMoment writes
// the same: its answers do not change by the clock.
func (p *Prepared) stands() bool {
	for i := range p.parameters {
		if one := &p.parameters[i]; one.err == nil && one.plan.byClock() {
			return false
		}
	}
	return true
}

// size is about how many bytes p takes.
func (p *Prepared) size() int64 {
	const fixed, parameter, condition = 1_000, 1_000, 100
	size := fixed
	for i := range p.parameters {
		size += parameter + 2*len(p.parameters[i].key)
		if plan := p.parameters[i].plan; plan != nil {
			size += condition * (len(plan.Filters) + len(plan.Mandatory))
		}
	}
	return int64(size)
}

// appendMoment appends what a request needs to know of now, unless its answers change by the clock: the
// minute, as presets and plan.progress do. The instants at which one ends and the next begins stand by
// themselves: ranges and buckets end there, and progress is rounded up to the millisecond.
func appendMoment(b []byte, now time.Time) []byte {
	minute := now.Truncate(time.Minute)
	rounded := now.Add(time.Millisecond - 1).Truncate(time.Minute)
	b = appendKeyNumbers(b, minute.Unix(), rounded.Unix())
	return strconv.AppendBool(b, now.Equal(minute))
}

// appendKey appends a text that is the same for equal requests and no others.
func (q *Request) appendKey(b []byte) []byte {
	b = appendKeyTexts(b, q.ID, q.StartDate, q.EndDate, q.TimeZone)
	o := q.options()
	b = appendKeyNumbers(o.appendKey(b), int64(len(q.Parameters)))
	for i := range q.Parameters {
		p := &q.Parameters[i]
		b = appendKeyTexts(b, p.Name, p.ID, p.StartDate, p.EndDate)
		o := p.options(i)
		b = o.appendKey(b)
	}
	return b
}

// appendKey tells nil from empty: it leaves an option to the request.
func (o *options) appendKey(b []byte) []byte {
	if o.preset+o.granularity+string(o.compare)+o.sortBy+o.sortOrder == "" && o.limit == nil && o.pageNumber == 0 && o.filters == nil && o.groupBy == nil {
		return append(b, '-') // most parameters have none
	}
	b = appendKeyTexts(b, o.preset, o.granularity, string(o.compare), o.sortBy, o.sortOrder)
	limit, filters, groups := int64(-1), int64(-1), int64(-1)
	if o.limit != nil {
		limit = int64(*o.limit)
	}
	if o.filters != nil {
		filters = int64(len(o.filters))
	}
	if o.groupBy != nil {
		groups = int64(len(o.groupBy))
	}
	b = append(strconv.AppendBool(b, o.limit == nil), ' ')
	b = appendKeyNumbers(b, limit, int64(o.pageNumber), filters, groups)
	for _, f := range o.filters {
		b = appendKeyNumbers(appendKeyTexts(b, f.Field, string(f.Op)), int64(len(f.Values)))
		b = appendKeyTexts(b, f.Values...)
	}
	return appendKeyTexts(b, o.groupBy...)
}
