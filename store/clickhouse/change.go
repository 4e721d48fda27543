package clickhouse

import "sync"

// This file explains how concurrent groups of writes in one process share the changes of their days. The file
// version.go explains changes.
//
// Under load, groups overlap and usually change the same days. If one group has recorded the begin of a change, the
// others need not record it again, because a change stays open while any of its groups is running. The last group
// ends it. A group that finishes earlier adds one to both numbers of the day. This makes the version larger before
// the rows of the group are acknowledged, and leaves the change open.
//
// A group joins the changes of all its days at its start, before it knows which of its rows are repeats. So each
// group can continue a change that another group began. Most groups add only one row to the table versions, at their
// end. A group that runs alone and has only repeats adds none.

// A note is the addition to the numbers of one day.
type note struct {
	changedDay
	begun, ended uint64
}

// An openChange is the change of one day, shared by the groups of this process that take part in it.
type openChange struct {
	groups int
	begun  uint64 // how often its begin was recorded without an end
}

// openChanges has the open changes of all days.
type openChanges struct {
	mu sync.Mutex
	of map[changedDay]*openChange
}

// A part is the participation of one group in the changes of its days.
type part struct {
	all     *openChanges
	in      map[changedDay]*openChange
	changed map[changedDay]bool // days whose rows the group changes; their changes have begun
}

// join adds a group to the changes of days.
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

// toBegin returns the notes to store before rows of days change. Changes that are open now stay open, because p
// is part of them.
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

// begin counts the stored notes of toBegin. Two groups may have begun the same change at the same time.
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

// end ends p and returns the notes to store. After a failure, rows of the group may still arrive. So the group
// stays part of its changes, which nobody ends then, and later groups begin new ones.
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
