package storetest

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

func pagesConcatenate(c *client, info query.Info) (found []string) {
	for i := range 3 {
		q := c.question(info)
		if i > 0 {
			q.req.SortBy = info.Sortable[c.rng.IntN(len(info.Sortable))]
			q.req.SortOrder = []string{"asc", "desc"}[c.rng.IntN(2)]
		}
		whole := c.ask(q)
		if whole.fault != "" {
			return append(found, fmt.Sprintf("%v: %s", q, whole.fault))
		}
		limit := max(1+c.rng.IntN(3), (len(whole.rows)+4)/5)
		texts, fault := c.pages(q, limit, len(whole.rows)/limit+2)
		if fault != "" {
			found = append(found, fmt.Sprintf("%s: pages of %d: %v", fault, limit, q))
		}
		if diff := differingRow(whole.texts, texts); diff != "" {
			found = append(found, fmt.Sprintf("the whole against pages of %d: %v\n%s", limit, q, diff))
		}
	}
	if len(info.Granularity) > 0 {
		q := c.question(info)
		second := c.ask(q.with(func(r *query.Request) { r.Limit, r.Page = nil, 2 }))
		if second.fault != "" || len(second.rows) != 0 {
			found = append(found, fmt.Sprintf("the second page of a series without limit has rows: %v", q))
		}
	}
	return found
}

// pages returns the rows of the first n pages. The last page must be empty, and every page must report
// correctly whether more rows follow.
func (c *client) pages(q question, limit, n int) (texts []string, fault string) {
	for page := 1; page <= n; page++ {
		a := c.ask(q.with(func(r *query.Request) { r.Limit, r.Page = &limit, page }))
		switch {
		case a.fault != "":
			return texts, a.fault
		case page == n && len(a.rows) > 0:
			return texts, "rows after the last"
		case len(texts) > 0 && page > 1 && len(a.rows) > limit:
			return texts, "a page longer than its limit"
		}
		if len(a.rows) < limit && a.more {
			fault = fmt.Sprintf("page %d says that more follow", page)
		}
		texts = append(texts, a.texts...)
	}
	return texts, fault
}

// same returns a finding if two questions have different answers.
func (c *client) same(q, other question) []string {
	want, got := c.ask(q), c.ask(other)
	if want.fault != "" || got.fault != "" {
		return []string{fmt.Sprintf("%v: %s%s", q, want.fault, got.fault)}
	}
	if diff := differingRow(want.texts, got.texts); diff != "" {
		return []string{fmt.Sprintf("%v\nagainst %v\n%s", q, other, diff)}
	}
	return nil
}

func eqIsIn(c *client, info query.Info) (found []string) {
	for _, field := range c.filterFields(info, 4) {
		q := c.question(info)
		value := []string{c.value(field)}
		for one, many := range map[query.Op]query.Op{query.Eq: query.In, query.Ne: query.NotIn} {
			found = append(found, c.same(q.where(query.Filter{Field: field, Op: one, Values: value}),
				q.where(query.Filter{Field: field, Op: many, Values: value}))...)
		}
	}
	return found
}

func filtersCommute(c *client, info query.Info) (found []string) {
	for range 2 {
		fields := c.filterFields(info, 2)
		if len(fields) < 2 {
			return nil
		}
		a := query.Filter{Field: fields[0], Op: query.Eq, Values: []string{c.value(fields[0])}}
		b := query.Filter{Field: fields[1], Op: query.Ne, Values: []string{c.value(fields[1])}}
		q := c.question(info)
		found = append(found, c.same(q.where(a, b), q.where(b, a))...)
	}
	return found
}

func presetIsDates(c *client, info query.Info) (found []string) {
	for range 3 {
		q := c.question(info)
		name := presets[c.rng.IntN(len(presets))]
		loc, err := time.LoadLocation(q.req.TimeZone)
		if err != nil {
			return append(found, err.Error())
		}
		first, last := reference.Preset(name, q.now.In(loc), q.req.WeekStart)
		start, end := first.Format(time.DateOnly), last.Format(time.DateOnly)
		preset := q.with(func(r *query.Request) { r.Preset, r.StartDate, r.EndDate = name, "", "" })
		dates := q.with(func(r *query.Request) { r.StartDate, r.EndDate = start, end })
		found = append(found, c.same(dates, preset)...)
		if m := c.ask(preset).meta; m.StartDate != start || m.EndDate != end {
			found = append(found, fmt.Sprintf("%s is %s to %s, want %s to %s: %v", name, m.StartDate, m.EndDate, start,
				end, preset))
		}
	}
	return found
}

// ownIsAlone gives a parameter all options of its request, and gives the request other options and another
// parameter.
func ownIsAlone(c *client, info query.Info) (found []string) {
	for range 2 {
		q := c.question(info)
		for _, field := range c.filterFields(info, 1) {
			q = q.where(query.Filter{Field: field, Op: query.Ne, Values: []string{c.value(field)}})
		}
		limit := 1 + c.rng.IntN(5)
		alone := q.with(func(r *query.Request) {
			r.Limit, r.Page, r.Granularity, r.Compare = &limit, 1+c.rng.IntN(2), shortest(info), query.PreviousPeriod
			r.SortBy, r.SortOrder = info.Sortable[c.rng.IntN(len(info.Sortable))], "asc"
			if len(info.Groupable) > 0 {
				r.GroupBy = info.Groupable[:1]
			}
		})
		own := alone.with(func(r *query.Request) {
			r.Parameters = []query.Parameter{r.Parameters[0], {Name: info.Name}}
			giveOwn(r, []string{"dates", "limit", "page", "filters", "groupBy", "granularity", "sortBy", "sortOrder",
				"compare"})
		})
		found = append(found, c.same(alone, own)...)
	}
	return found
}

var presets = []string{"today", "yesterday", "last_7d", "last_14d", "last_28d", "last_30d", "last_90d", "last_180d",
	"last_365d", "this_week", "last_week", "this_month", "last_month", "last_6m", "last_12m", "this_year", "last_year"}
