package reference

import "slices"

// A goalTally has the conversions of one goal.
type goalTally struct {
	conversions []*row
	visitors    set
}

func (t *goalTally) add(r *row) {
	t.conversions = append(t.conversions, r)
	t.visitors.add(r.Visitor())
}

// value returns the sum of the goal's property, or null if the goal has none.
func (t *goalTally) value(key string) value {
	if key == "" {
		return value{}
	}
	return sumCell(decimalsOf(t.conversions, key))
}

func (t *goalTally) averageValue(key string) value {
	if key == "" {
		return value{}
	}
	return averageCell(decimalsOf(t.conversions, key))
}

// conversions returns the events of a goal that pass the filters.
func (a *evaluation) conversions(g *Goal) []*row {
	d := a.names.deed(&g.Action)
	return a.among(func(r *row) bool { return a.names.is(d, r) })
}

// goals has a row for each goal and combination with a conversion, or one for each goal without groupBy.
func (a *evaluation) goals() *table {
	all := map[string]*set{}
	for _, r := range a.among((*row).counted) {
		key := joined(a.ofSession(a.combination(r)))
		if all[key] == nil {
			all[key] = &set{}
		}
		all[key].add(r.Visitor())
	}
	t := a.table("name")
	t.hidden = []string{"goal"}
	t.order = []order{{"goal", false}, {"visitors", true}}
	for i := range a.q.Goals {
		goal := &a.q.Goals[i]
		var g groups[goalTally]
		if len(a.groupBy) == 0 {
			g.open(nil)
		}
		for _, r := range a.conversions(goal) {
			g.open(a.combination(r)).tally.add(r)
		}
		for _, one := range g.list {
			visitors, among := len(one.tally.visitors), 0
			if people := all[joined(a.ofSession(one.combination))]; people != nil {
				among = len(*people)
			}
			t.rows = append(t.rows, append(texts(one.combination),
				text(goal.Name), count(visitors), count(len(one.tally.conversions)), ratio(100*visitors, among),
				one.tally.value(goal.Value), one.tally.averageValue(goal.Value), count(i)))
		}
	}
	return t
}

// ofSession returns the part of a combination that is about sessions. The rate of a goal compares with all visitors of
// that part.
func (a *evaluation) ofSession(combination []string) []string {
	var part []string
	for i, f := range a.groupBy {
		if slices.Contains(sessionFields, f) || f == websiteField {
			part = append(part, combination[i])
		}
	}
	return part
}

// goalTrends has a row for each bucket and goal.
func (a *evaluation) goalTrends() *table {
	t := a.table("date", "name")
	t.hidden = []string{"goal"}
	t.order = []order{{"date", false}, {"goal", false}}
	for i := range a.q.Goals {
		goal := &a.q.Goals[i]
		buckets := make([]goalTally, len(a.period.labels))
		for _, r := range a.conversions(goal) {
			buckets[a.period.bucket(r.at)].add(r)
		}
		for j := range buckets {
			b := &buckets[j]
			t.rows = append(t.rows, []value{
				text(a.period.labels[j]), text(goal.Name), count(len(b.visitors)), count(len(b.conversions)),
				b.value(goal.Value), count(i),
			})
		}
	}
	return t
}
