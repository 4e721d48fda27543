package merge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// place finds the row that each key of the partials counts for.
func (g *merged) place(found [][]*state.Partial) {
	cells := make([][]int32, len(g.stretches))
	if len(g.keys) > 0 {
		g.texts = g.site.Keys(g.keyTexts())
		g.rows, g.values = len(g.texts), make([][]string, len(g.texts))
	} else {
		cells = g.cells()
	}
	months := g.months(cells)
	for i, partials := range found {
		of := make([]state.Source, len(partials))
		for j, p := range partials {
			of[j] = state.Source{Partial: p, Rows: cells[j]}
		}
		for _, m := range months {
			days := of[m.begin:m.end]
			if p := g.site.Rollups.Of(g.aggregates[i].Aggregate, m.cut, m.Interval, m.first, days); p != nil {
				clear(days)
				days[0] = state.Source{Partial: p, Rows: m.rows}
			}
		}
		g.sources = append(g.sources, slices.DeleteFunc(of, func(s state.Source) bool { return s.Partial == nil }))
	}
}

// cells are the rows of the cells of each stretch.
func (g *merged) cells() [][]int32 {
	w, segments := g.p.Counted(), calendar.Segments(g.p.Range, g.p.Grain)
	number := func(int64) int64 { return 0 }
	if g.p.Type.Shape == catalog.Series {
		width, at := g.p.Grain.Width(), 0
		number = func(t int64) int64 {
			for at+1 < len(segments) && segments[at+1].From <= t {
				at++
			}
			return calendar.FloorDiv(t+segments[at].Shift, width)
		}
	}
	cells, numbers := make([][]int32, len(g.stretches)), []int64{}
	for i, s := range g.stretches {
		first := calendar.FloorDiv(s.From, g.width)
		cells[i] = make([]int32, calendar.FloorDiv(s.To-1, g.width)-first+1)
		for cell := range cells[i] {
			cells[i][cell] = -1
			if t := max(s.From, (first+int64(cell))*g.width); t >= w.From && t < w.To {
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

// A month is a UTC month that lies in the range as a whole.
type month struct {
	calendar.Interval
	begin, end int     // of its stretches
	first      int32   // the first row that its days count for
	rows       []int32 // all from there on; with keys nil
	cut        string  // tells apart what rows of a series may be made of its cells
}

// months returns the months of the range. cells are the rows of each stretch.
func (g *merged) months(cells [][]int32) (found []month) {
	w, begin := g.p.Counted(), -1
	for i, s := range g.stretches {
		if s.From >= w.From && beginsMonth(s.From) {
			begin = i
		}
		if begin >= 0 && s.To <= w.To && beginsMonth(s.To) {
			found = append(found, month{Interval: calendar.Interval{From: g.stretches[begin].From, To: s.To},
				begin: begin, end: i + 1})
		}
	}
	for i := range found {
		m := &found[i]
		if len(g.keys) > 0 {
			continue
		}
		rows := slices.Concat(cells[m.begin:m.end]...)
		m.first, m.cut = slices.Min(rows), g.cutText(m.Interval)
		for row := m.first; row <= slices.Max(rows); row++ {
			m.rows = append(m.rows, row)
		}
	}
	return found
}

func beginsMonth(at int64) bool {
	return at == calendar.StartOfDay(at) && time.UnixMilli(at).UTC().Day() == 1
}

// cutText describes the rows that a series makes of the cells of a stretch.
func (m *Merge) cutText(s calendar.Interval) string {
	if m.p.Type.Shape != catalog.Series {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, m.p.Grain)
	segments := calendar.Segments(m.p.Range, m.p.Grain)
	for i, segment := range segments {
		if segment.From < s.To && (i+1 == len(segments) || segments[i+1].From > s.From) {
			fmt.Fprintf(&b, ", %d from %d", segment.Shift, max(segment.From, s.From))
		}
	}
	return b.String()
}
