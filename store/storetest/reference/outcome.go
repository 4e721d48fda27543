package reference

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// filtered returns a with only the filters that which selects.
func (a *evaluation) filtered(which func(Filter) bool) *evaluation {
	b := *a
	b.filters = slices.DeleteFunc(slices.Clone(a.filters), func(c *condition) bool { return !which(c.Filter) })
	return &b
}

// An outcomeTally has the outcomes of the visitors whose first exposure was one variant.
type outcomeTally struct {
	visitors, converted set
	byStatus            map[string]*set
}

// firstExposures returns the first exposure of each visitor and flag, unordered.
func (a *evaluation) firstExposures() []*row {
	type pair struct{ visitor, flag string }
	first := map[pair]*row{}
	for _, r := range a.among((*row).exposes) {
		p := pair{r.Visitor(), shown(r)[0]}
		if p.visitor != "" && (first[p] == nil || before(r, first[p]) < 0) {
			first[p] = r
		}
	}
	var list []*row
	for _, r := range first {
		list = append(list, r)
	}
	return list
}

// outcomeOf reports whether r is an outcome of flag.
func (r *row) outcomeOf(flag string) bool {
	return member(r.properties, "flag_key") == flag && member(r.properties, "variant") != ""
}

func (a *evaluation) flagOutcomes() *table {
	named := slices.ContainsFunc(a.filters,
		func(c *condition) bool { return slices.Contains(c.fields(), "event_name") && c.choosesOutcomes() })
	done := map[string][]*row{}
	for _, r := range a.filtered(Filter.choosesOutcomes).among(func(r *row) bool {
		return r.named() &&
			r.name != "$flag_evaluated"
	}) {
		done[r.Visitor()] = append(done[r.Visitor()], r)
	}
	var g groups[outcomeTally]
	for _, e := range a.filtered(func(f Filter) bool { return !f.choosesOutcomes() }).firstExposures() {
		t := &g.open(a.combination(e), shown(e)...).tally
		t.visitors.add(e.Visitor())
		for _, r := range done[e.Visitor()] {
			if r.at >= e.at && (named || r.outcomeOf(shown(e)[0])) {
				t.convert(e.Visitor(), member(r.properties, "status"))
			}
		}
	}
	t := a.ordered("visitors", "flag", "variant")
	for _, one := range g.list {
		n, k := len(one.tally.visitors), len(one.tally.converted)
		low, high := wilson(k, n)
		t.rows = append(t.rows, append(texts(one.combination), text(one.key[0]), text(one.key[1]),
			count(n), count(k), ratio(100*k, n), fraction(low), fraction(high), one.tally.statuses()))
	}
	return t
}

func (t *outcomeTally) convert(visitor, status string) {
	t.converted.add(visitor)
	if status == "" {
		return
	}
	if t.byStatus == nil {
		t.byStatus = map[string]*set{}
	}
	if t.byStatus[status] == nil {
		t.byStatus[status] = &set{}
	}
	t.byStatus[status].add(visitor)
}

// statuses returns the 50 statuses with the most conversions, as objects.
func (t *outcomeTally) statuses() value {
	type one struct {
		status string
		n      int
	}
	var list []one
	for status, visitors := range t.byStatus {
		list = append(list, one{status, len(*visitors)})
	}
	slices.SortFunc(list, func(a, b one) int { return cmp.Or(b.n-a.n, strings.Compare(a.status, b.status)) })
	var objects []string
	for _, o := range list[:min(len(list), 50)] {
		objects = append(objects, fmt.Sprintf(`{"status":%s,"visitors":%d}`, quoted(o.status), o.n))
	}
	return raw("[" + strings.Join(objects, ",") + "]")
}

// wilson returns the 95 % score interval of k among n in percent, computed from its centre p' and half width w:
//
//	p' = (p + z²/2n) / (1 + z²/n),  w = z/(1 + z²/n) · √(p(1−p)/n + z²/4n²)
func wilson(k, n int) (low, high *big.Rat) {
	z, zz := big.NewRat(196, 100), big.NewRat(196*196, 10_000)
	rat := func(a, b int) *big.Rat { return big.NewRat(int64(a), int64(b)) }
	times := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	plus := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
	by := times(rat(100, 1), new(big.Rat).Inv(plus(rat(1, 1), times(zz, rat(1, n)))))
	centre := times(by, plus(rat(k, n), times(zz, rat(1, 2*n))))
	under := plus(times(times(rat(k, n), rat(n-k, n)), rat(1, n)), times(zz, rat(1, 4*n*n)))
	exact := new(big.Float).SetPrec(200).SetRat(under)
	root, _ := exact.Sqrt(exact).Rat(nil)
	width := times(times(by, z), root)
	low, high = new(big.Rat).Sub(centre, width), plus(centre, width)
	// Here the root is rational, but it has no exact binary form.
	if k == 0 {
		low = rat(0, 1)
	}
	if k == n {
		high = rat(100, 1)
	}
	return low, high
}
