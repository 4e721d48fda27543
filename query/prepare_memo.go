package query

import (
	"slices"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// preparedBytes bounds the requests that an engine remembers as it resolved them. One takes 2 to 20 kB.
const preparedBytes = 8 << 20

// stands reports whether p is valid at any time for which appendMoment writes the same: its answers do not change by
// the clock.
func (p *Prepared) stands() bool {
	for i := range p.resolved.Parameters {
		if one := &p.resolved.Parameters[i]; one.Err == nil && one.Plan.ByClock() {
			return false
		}
	}
	return true
}

// size is about how many bytes p takes.
func (p *Prepared) size() int64 {
	const fixed, parameter, condition = 1_000, 1_000, 100
	size := fixed
	for i := range p.resolved.Parameters {
		size += parameter + 2*len(p.resolved.Parameters[i].Key)
		if plan := p.resolved.Parameters[i].Plan; plan != nil {
			for _, c := range slices.Concat(plan.Filters, plan.Mandatory) {
				size += condition + len(c.AppendKey(nil))
			}
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
	b = keytext.Numbers(b, minute.Unix(), rounded.Unix())
	return strconv.AppendBool(b, now.Equal(minute))
}
