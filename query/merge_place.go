package query

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/partial"
)

// place tells what row each key of the partials counts for.
func (g *merging) place(found [][]*partial.Partial) {
	cells := make([][]int32, len(g.stretches))
	if len(g.keys) > 0 {
		g.texts = g.site.Keys(g.keyNames())
		g.rows, g.values = len(g.texts), make([][]string, len(g.texts))
	} else {
		cells = g.cells()
	}
	months := g.months(cells)
	for i, partials := range found {
		of := make([]partial.Source, len(partials))
		for j, p := range partials {
			of[j] = partial.Source{Partial: p, Rows: cells[j]}
		}
		for _, m := range months {
			days := of[m.begin:m.end]
			if p := g.site.RollUp(g.leaves[i].Aggregate, m.cut, m.Stretch, m.first, days); p != nil {
				clear(days)
				days[0] = partial.Source{Partial: p, Rows: m.rows}
			}
		}
		g.sources = append(g.sources, slices.DeleteFunc(of, func(s partial.Source) bool { return s.Partial == nil }))
	}
}

// cells are the rows of the quarters of an hour of each stretch.
func (g *merging) cells() [][]int32 {
	w, segments := g.p.counted(), calendar.Segments(g.p.Range)
	number := func(int64) int64 { return 0 }
	if g.p.Type.Shape == Series {
		width, at := g.p.Grain.Width(), 0
		number = func(t int64) int64 {
			for at+1 < len(segments) && segments[at+1].From <= t {
				at++
			}
			return floorDiv(t+segments[at].Shift, width)
		}
	}
	cells, numbers := make([][]int32, len(g.stretches)), []int64{}
	for i, s := range g.stretches {
		cells[i] = make([]int32, (s.To-s.From)/quarter)
		for cell := range cells[i] {
			cells[i][cell] = -1
			if t := s.From + int64(cell)*quarter; t >= w.from && t < w.to {
				cells[i][cell] = int32(len(numbers))
				numbers = append(numbers, number(t))
			}
		}
	}
	if len(numbers) == 0 {
		return cells
	}
	g.first = slices.Min(numbers)
	g.rows = int(slices.Max(numbers)-g.first) + 1
	for _, rows := range cells {
		for cell, i := range rows {
			if i >= 0 {
				rows[cell] = int32(numbers[i] - g.first)
			}
		}
	}
	return cells
}

// floorDiv is n / by, rounded down.
func floorDiv(n, by int64) int64 {
	if n < 0 {
		return (n - by + 1) / by
	}
	return n / by
}

// A month is a UTC month that lies in the range as a whole.
type month struct {
	partial.Stretch
	begin, end int     // of its stretches
	first      int32   // the first row that its days count for
	rows       []int32 // all from there on; with keys nil
	cut        string  // tells apart what rows of a series may be made of its cells
}

// months are those of the range. cells are the rows of each stretch.
func (g *merging) months(cells [][]int32) (found []month) {
	w, begin := g.p.counted(), -1
	for i, s := range g.stretches {
		if s.From >= w.from && beginsMonth(s.From) {
			begin = i
		}
		if begin < 0 || s.To > w.to || !beginsMonth(s.To) {
			continue
		}
		m := month{Stretch: partial.Stretch{From: g.stretches[begin].From, To: s.To}, begin: begin, end: i + 1}
		if len(g.keys) == 0 {
			rows := slices.Concat(cells[m.begin:m.end]...)
			m.first, m.cut = slices.Min(rows), g.cutText(m.Stretch)
			for row := m.first; row <= slices.Max(rows); row++ {
				m.rows = append(m.rows, row)
			}
		}
		found = append(found, m)
	}
	return found
}

func beginsMonth(at int64) bool {
	return at == floorDay(at) && time.UnixMilli(at).UTC().Day() == 1
}

// cutText tells what rows a series makes of the cells of a stretch.
func (m *merge) cutText(s partial.Stretch) string {
	if m.p.Type.Shape != Series {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, m.p.Grain)
	segments := calendar.Segments(m.p.Range)
	for i, segment := range segments {
		if segment.From < s.To && (i+1 == len(segments) || segments[i+1].From > s.From) {
			fmt.Fprintf(&b, ", %d from %d", segment.Shift, max(segment.From, s.From))
		}
	}
	return b.String()
}
