package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

func blockedTypes() []Type {
	fields := []string{"reason", "bot_name"}
	return []Type{
		{
			Name: "blocked_traffic", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "reason", "bot_name"), metrics("requests", "percentage"), columns(Instant, "last_seen")),
			Filters: fields, answer: (*evaluation).blockedTraffic,
		},
		{
			Name: "blocked_traffic_trends", Kind: store.KindWebsite, Series: true,
			Columns: slices.Concat(columns(Date, "date"), metrics("requests")),
			Filters: fields, GroupBy: fields, answer: (*evaluation).blockedTrends,
		},
	}
}

// A blockedTally counts the rejected requests of one kind.
type blockedTally struct {
	requests int
	last     *row
}

func (t *blockedTally) add(r *row) {
	t.requests += int(r.requests)
	if t.last == nil || r.at > t.last.at {
		t.last = r
	}
}

func (a *evaluation) blockedTraffic() *table {
	g := tallies[blockedTally](a, 2)
	sum := 0
	for _, r := range a.among(of(blockedRow)) {
		g.open(a.combination(r), r.reason, r.bot).tally.add(r)
		sum += int(r.requests)
	}
	t := a.ordered("requests", "reason", "bot_name")
	for _, one := range g.list {
		n := one.tally.requests
		t.rows = append(t.rows, append(texts(one.combination), text(one.key[0]), text(one.key[1]), count(n),
			ratio(100*n, sum), timeOf(one.tally.last)))
	}
	return t
}

func (a *evaluation) blockedTrends() *table {
	rows := a.among(of(blockedRow))
	g := fill[blockedTally](a, rows)
	for _, r := range rows {
		at(a, g, a.combination(r), r.at).add(r)
	}
	return lay(a, g, func(t *blockedTally) []value { return []value{count(t.requests)} })
}
