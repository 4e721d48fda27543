package reference

// tallyAgents is like tallyPageviews, and also counts the sessions of each key that started in the range.
func (a *evaluation) tallyAgents(key keyOf) *groups[pageTally] {
	g := a.tallyPageviews(key)
	for _, s := range a.site.sessions {
		if !a.begins(s) {
			continue
		}
		k := key(s.entry())
		for _, c := range a.combinationsOf(s) {
			if one := g.find(c, k...); one != nil && (k != nil || a.merged) {
				one.tally.sessions++
			}
		}
	}
	return g
}

func (a *evaluation) browsersGrouped() *table {
	g := a.tallyAgents(by("browser_name"))
	sum := visitors(g)
	t := a.ordered("visitors", "name")
	for _, one := range g.list {
		p := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), count(p.pageviews), count(len(p.visitors)), ratio(100*len(p.visitors), sum),
			count(p.sessions), count(len(p.versions))))
	}
	return t
}

// versions lists the versions of named browsers or systems.
func (a *evaluation) versions(family, version string) *table {
	g := a.tallyAgents(func(r *row) []string {
		if r.get(family) == "" {
			return nil
		}
		return []string{r.get(family), r.get(version)}
	})
	sum := visitors(g)
	t := a.ordered("visitors", "name", "version")
	for _, one := range g.list {
		p := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[1]), count(p.pageviews), count(len(p.visitors)), count(p.sessions),
			ratio(100*len(p.visitors), sum)))
	}
	return t
}
