package clickhouse

import "sync"

// How the groups of one process share the changes of their days, as version.go has them.
//
// Where much is written, groups overlap and are of the same days. What one of them has begun the
// others need not begin again: a change stays open while groups that take part in it are under way.
// The last ends it. One that is done before adds one to both numbers: the version moves on before
// its rows are acknowledged, and the change is as open as it was.
//
// A group takes part in the changes of all of its days from its start, before it knows which of
// its rows are repeats. So a change passes from group to group, and most need no row in
// versions but that for their end. One that was alone and had nothing but repeats needs none.

// A note is what is added to the numbers of a day.
type note struct {
	changedDay
	begun, ended uint64
}

// An openChange is the change of a day for the groups of this process that take part in it.
type openChange struct {
	groups int
	begun  uint64 // how often it was noted as begun, and not yet as ended
}

// openChanges are those of all days.
type openChanges struct {
	mu sync.Mutex
	of map[changedDay]*openChange
}

// A part is that of one group in the changes of its days.
type part struct {
	all     *openChanges
	in      map[changedDay]*openChange
	changed map[changedDay]bool // days whose rows the group changes, under begun changes
}

// join takes part in the changes of days.
func (c *openChanges) join(days []changedDay) *part {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[changedDay]*openChange{}
	}
	p := &part{all: c, in: make(map[changedDay]*openChange, len(days)), changed: map[changedDay]bool{}}
	for _, d := range days {
		if p.in[d] != nil {
			continue
		}
		if c.of[d] == nil {
			c.of[d] = &openChange{}
		}
		p.in[d] = c.of[d]
		p.in[d].groups++
	}
	return p
}

// toBegin is what is to be noted before rows of days are changed. Changes that are open stay so,
// since p is in them.
func (p *part) toBegin(days []changedDay) (notes []note) {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	for _, d := range days {
		if p.in[d].begun == 0 {
			notes = append(notes, note{changedDay: d, begun: 1})
		}
	}
	return notes
}

// begin counts what toBegin asked for and was noted. Two groups may have begun a change at once.
func (p *part) begin(days []changedDay, noted []note) {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	for _, n := range noted {
		p.in[n.changedDay].begun++
	}
	for _, d := range days {
		p.changed[d] = true
	}
}

// end ends the part, and is what is to be noted then. A group that failed may have rows stored
// yet: it stays in the changes of their days, so that nobody ends those, and later groups begin others.
func (p *part) end(failed bool) (notes []note) {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	for d, open := range p.in {
		changed := p.changed[d]
		if failed && changed {
			delete(p.all.of, d)
			continue
		}
		open.groups--
		n := note{changedDay: d}
		switch {
		case open.groups == 0:
			delete(p.all.of, d)
			n.ended = open.begun
		case changed:
			n.ended = 1
			if open.begun == 1 {
				n.begun = 1
			} else {
				open.begun--
			}
		}
		if n.ended > 0 {
			notes = append(notes, n)
		}
	}
	return notes
}
