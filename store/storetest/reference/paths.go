package reference

// A transitionTally counts the transitions between two paths.
type transitionTally struct {
	transitions int
	sessions    map[*session]bool
	visitors    set
}

// paths counts the transitions between pageviews of sessions. An empty path is the entry or the exit.
func (a *evaluation) paths() *table {
	var g groups[transitionTally]
	leaving := map[string]int{} // transitions by the path before them
	add := func(from, to string, r *row) {
		t := &g.open(a.combination(r), from, to).tally
		if t.sessions == nil {
			t.sessions = map[*session]bool{}
		}
		t.transitions++
		t.sessions[r.session] = true
		t.visitors.add(r.Visitor())
		leaving[from]++
	}
	for _, s := range a.site.sessions {
		for i, r := range s.pageviews {
			if !a.passes(r) {
				continue
			}
			if i == 0 {
				add("", r.path, r)
			} else if earlier := s.pageviews[i-1]; a.period.holds(earlier.at) && earlier.path != r.path {
				add(earlier.path, r.path, r)
			}
			if i == len(s.pageviews)-1 {
				add(r.path, "", r)
			}
		}
	}
	t := a.ordered("transitions", "from_path", "to_path")
	for _, one := range g.list {
		from, to := one.key[0], one.key[1]
		if a.q.From != nil && pathOf(*a.q.From) != from || a.q.To != nil && pathOf(*a.q.To) != to {
			continue
		}
		t.rows = append(t.rows, append(texts(one.combination), text(from), text(to), count(one.tally.transitions),
			count(len(one.tally.sessions)), count(len(one.tally.visitors)),
			ratio(100*one.tally.transitions, leaving[from])))
	}
	return t
}
