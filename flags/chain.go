package flags

// blocked returns the flags whose dependencies form a cycle or a chain of more than MaxChain flags. A flag that
// depends on such a flag is also blocked, since its chain is even longer.
func blocked(all []Flag) map[place]bool {
	live := map[place]*Flag{}
	for i := range all {
		if f := &all[i]; f.RemovedAt.IsZero() {
			live[f.place()] = f
		}
	}
	// open: uncounted dependencies of a flag; above: flags that depend on it
	open, above := map[place]int{}, map[place][]place{}
	var ready []place
	for at, f := range live {
		for _, key := range f.Dependencies {
			need := place{f.Environment, key}
			if live[need] != nil {
				open[at]++
				above[need] = append(above[need], at)
			}
		}
		if open[at] == 0 {
			ready = append(ready, at)
		}
	}
	chain, found := map[place]int{}, map[place]bool{} // chain: length of the longest chain below a flag
	for at := range live {
		found[at] = true
	}
	for ; len(ready) > 0; ready = ready[1:] {
		at := ready[0]
		if chain[at] < MaxChain {
			delete(found, at)
		}
		for _, next := range above[at] {
			chain[next] = max(chain[next], chain[at]+1)
			if open[next]--; open[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return found
}

func (f *Flag) place() place { return place{f.Environment, f.Key} }
