package body

import (
	"strconv"
	"strings"
)

// A Path is the place of a value in a body: a field, an item of it, and so on, or the same below an item of an outer
// list. The zero Path is the whole body. Paths of up to three levels take no memory until they are written.
type Path struct {
	outer string // the list; empty: none
	item  int    // of outer, from 1
	field string
	index int // of an item of field, from 1; 0: all of the field
	part  string
	below string // such as [0].op
}

// At returns the place of a field of the body.
func At(field string) Path { return Path{field: field} }

// In returns the place of the i-th item of a list of the body, or of a field of this item.
func In(list string, i int, field string) Path { return Path{outer: list, item: i + 1, field: field} }

// Item returns the place of the i-th item of p.
func (p Path) Item(i int) Path {
	if p.index == 0 && p.part == "" {
		p.index = i + 1
	} else {
		p.below += "[" + strconv.Itoa(i) + "]"
	}
	return p
}

// Member returns the place of the field of p called name.
func (p Path) Member(name string) Path {
	switch {
	case p.field == "":
		p.field = name
	case p.part == "" && p.below == "":
		p.part = name
	default:
		p.below += "." + name
	}
	return p
}

// String returns p as messages show it, such as parameters[1].filters[0].op.
func (p Path) String() string {
	s := p.field
	if p.index > 0 {
		s += "[" + strconv.Itoa(p.index-1) + "]"
	}
	if p.part != "" {
		s += "." + p.part
	}
	s += p.below
	switch {
	case p.outer == "":
		return s
	case s != "":
		s = "." + s
	}
	return p.outer + "[" + strconv.Itoa(p.item-1) + "]" + s
}

// Contains reports whether q is p or a part of it. A list does not contain its items that have paths by [In].
func (p Path) Contains(q Path) bool {
	if p.outer != q.outer || p.item != q.item {
		return false
	}
	if p.field == "" || p.field == q.field && p.index == q.index && p.part == "" {
		return true
	}
	rest, below := strings.CutPrefix(q.below, p.below)
	return p.field == q.field && p.index == q.index && p.part == q.part && below &&
		(rest == "" || rest[0] == '[' || rest[0] == '.')
}

// Names returns what p is sorted by: its item in the outer list, from 1, its field, the item of this, from 1, and the
// part of that. A number is 0, and a name empty, for a place above it.
func (p Path) Names() (item int, field string, index int, part string) {
	return p.item, p.field, p.index, p.part
}
