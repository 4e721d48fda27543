package notify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A number is a metric of the first row of an answer.
type number struct {
	value, previous *float64 // nil: unknown
	counts          bool
	label, unit     string
}

// numbers evaluates the notices about numbers. Those that ask the same are asked together, for up to a hundred websites
// in one question.
func (e *evaluation) numbers(ctx context.Context, all []*task) {
	groups := map[string][]*task{}
	var order []string
	for _, t := range all {
		if t.notice == nil || t.notice.Event != "" {
			continue
		}
		key := t.question + t.period
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], t)
	}
	for _, key := range order {
		group := groups[key]
		p := group[0].notice.Asks()
		for sites := range slices.Chunk(sitesOf(group), together(&p)) {
			if ctx.Err() != nil || e.stopped {
				return
			}
			if err := e.ask(ctx, group, sites); err != nil {
				e.fault(fmt.Errorf("notice %q of website %s: %w", group[0].Name, sites[0].ID, err))
			}
		}
	}
}

// sitesOf returns the websites of tasks, each once.
func sitesOf(all []*task) (sites []store.Website) {
	seen := map[string]bool{}
	for _, t := range all {
		if !seen[t.site.ID] {
			seen[t.site.ID] = true
			sites = append(sites, t.site)
		}
	}
	return sites
}

// together returns about how many websites p can be asked in one question: choices of metrics that have one row have
// one for each website when they are grouped by it.
func together(p *query.Parameter) int {
	if p.Chooses() && len(p.Dimensions) == 0 && len(p.GroupBy) == 0 {
		return query.MaxWebsites
	}
	return 1
}

// ask asks what the tasks of a group ask, about some of their websites, and decides.
func (e *evaluation) ask(ctx context.Context, group []*task, sites []store.Website) error {
	first := group[0]
	n := first.notice
	p, req := n.Asks(), n.Request()
	from, to := n.Window(e.now)
	if n.ByHour() {
		req = n.Between(from, to)
	}
	found, err := e.read(ctx, p, n.Metric, sites, req)
	if err != nil {
		return err
	}
	usual := map[string][]float64{}
	var starts []time.Time
	if n.Unusual {
		if usual, starts, err = e.weeks(ctx, first, sites, from, to); err != nil {
			return err
		}
	}
	for _, t := range group {
		one, ok := found[t.site.ID]
		if !ok {
			continue // of another chunk
		}
		r := notice.Reading{Value: one.value, Previous: one.previous, Counts: one.counts,
			Usual: notice.Known(usual[t.site.ID], starts, t.site.CreatedAt)}
		e.decide(ctx, t, t.notice.Judge(r),
			notice.Facts{Metric: one.label, Unit: one.unit, Reading: r, From: from, To: to})
	}
	return nil
}

// weeks returns the numbers of the weeks before, the newest first, and the starts of what they are about.
func (e *evaluation) weeks(ctx context.Context, t *task, sites []store.Website, from, to time.Time) (
	map[string][]float64, []time.Time, error) {
	n := t.notice
	reqs, starts := n.Weeks(t.period)
	if n.ByHour() {
		for week := 1; week <= notice.UsualWeeks; week++ {
			start, end := n.Before(from, to, week)
			reqs, starts = append(reqs, n.Between(start, end)), append(starts, start)
		}
	}
	all := map[string][]float64{}
	for _, req := range reqs {
		found, err := e.read(ctx, n.Asks(), n.Metric, sites, req)
		if err != nil {
			return nil, nil, err
		}
		for id, one := range found {
			value := 0.0
			if one.value != nil {
				value = *one.value
			}
			all[id] = append(all[id], value)
		}
	}
	return all, starts, nil
}

// read asks p about some websites, one if p cannot be asked about several, and returns the number of each.
func (e *evaluation) read(ctx context.Context, p query.Parameter, metric string, sites []store.Website,
	req query.Request) (map[string]number, error) {
	access := query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: sites[0].ID}}
	several := together(&p) > 1
	if several {
		access = query.Access{}
		for _, site := range sites {
			access.Websites = append(access.Websites, query.Website{ID: site.ID, Name: site.Name})
		}
		p.Dimensions, p.Limit = []string{byWebsite}, new(query.MaxWebsites)
	}
	req.Parameters = []query.Parameter{p}
	answer, err := e.run(ctx, access, req)
	if err != nil {
		return nil, err
	}
	table, other := answer.Data[0].Data, answer.Data[0].Previous
	cells := table.Column(metric)
	if cells == nil {
		return nil, fmt.Errorf("the answer has no column %s", metric)
	}
	none := number{counts: cells.Format == query.Integer, label: cells.Label, unit: cells.Unit}
	if cells.Zero {
		none.value, none.previous = new(0.0), new(0.0)
	}
	all := map[string]number{}
	for _, site := range sites {
		all[site.ID] = none
	}
	for row := range table.Len() {
		id := sites[0].ID
		if several {
			id = table.Column(byWebsite).Text(row)
		} else if row > 0 {
			break // the first row counts
		}
		one := none
		one.value = valueOf(cells, row)
		if other != nil && !other.Absent(row) {
			one.previous = valueOf(other.Column(metric), row)
		}
		all[id] = one
	}
	return all, nil
}

// byWebsite is the field by which questions about several websites are grouped.
const byWebsite = "website"

// valueOf returns the number in a row of a column; nil: it is null.
func valueOf(cells interface {
	Null(row int) bool
	Number(row int) float64
}, row int) *float64 {
	if cells.Null(row) {
		return nil
	}
	return new(cells.Number(row))
}
