package notice

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Variant is one of an experiment, with its visitors and how many of them converted.
type Variant struct {
	Name                string
	Visitors, Converted float64
}

// leastVisitors is the number of visitors that each variant of an experiment needs before it is decided.
const leastVisitors = 100

// zDecided is the width of the interval of a conversion rate, in standard deviations. A notice looks again and again
// and tells the first time that one variant is ahead, so it needs far more than the 1.96 of one look: 3.89 is passed by
// chance once in ten thousand looks.
const zDecided = 3.89

// Decided returns the variant whose conversion rate is surely above that of all others, if there is one, and the next
// best: their Wilson intervals do not overlap.
func Decided(all []Variant) (best, next Variant, ok bool) {
	if len(all) < 2 {
		return best, next, false
	}
	sorted := slices.SortedFunc(slices.Values(all), func(a, b Variant) int {
		return cmp.Or(cmp.Compare(b.Rate(), a.Rate()), strings.Compare(a.Name, b.Name))
	})
	low, _ := sorted[0].interval()
	for i, v := range sorted {
		_, high := v.interval()
		if v.Visitors < leastVisitors || i > 0 && high >= low {
			return best, next, false
		}
	}
	return sorted[0], sorted[1], true
}

// Rate returns the share of visitors that converted, from 0 to 1.
func (v Variant) Rate() float64 { return v.Converted / max(v.Visitors, 1) }

// interval returns the Wilson score interval of the rate of v.
func (v Variant) interval() (low, high float64) {
	n, p, z := v.Visitors, v.Rate(), zDecided
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (middle - half) / (1 + z*z/n), (middle + half) / (1 + z*z/n)
}
