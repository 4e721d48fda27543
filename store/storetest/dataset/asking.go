package dataset

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// Asking returns a random question with groups of filters, a choice of metrics, goals, a funnel, retention or paths.
func (w *Dataset) Asking(rng *rand.Rand) reference.Question {
	shapes := slices.Concat(reference.BehaviourTypes(), reference.BehaviourTypes()[2:3])
	switch n := rng.IntN(100); {
	case n < 3:
		return w.askAllTime(rng)
	case n < 30:
		return w.askType(rng, w.types[rng.IntN(len(w.types))])
	case n < 65:
		all := reference.Datasets()
		return w.askChoice(rng, all[rng.IntN(len(all))])
	default:
		return w.askBehaviour(rng, shapes[rng.IntN(len(shapes))])
	}
}

// askAllTime returns a question of any type about all days since the first row.
func (w *Dataset) askAllTime(rng *rand.Rand) reference.Question {
	a := &asker{Rand: rng, dataset: w, kind: w.types[rng.IntN(len(w.types))]}
	q := a.question()
	q.Preset, q.StartDate, q.EndDate, q.Compare, q.Complete = reference.AllTime, "", "", "", false
	if q.SortBy == "difference" { // there is no other period
		q.SortBy, q.SortOrder = "", ""
	}
	if q.Grain == "hourly" || q.Grain == "minute" {
		q.Grain = "daily"
	}
	if a.kind.Kind == store.KindWebsite && a.chance(40) {
		q.Mandatory = a.mandatoryGroup(fields{names: a.kind.Filters, deeds: a.kind.Allows("did")})
	}
	return q
}

// askType returns a question of a type with groups of filters and properties.
func (w *Dataset) askType(rng *rand.Rand, kind reference.Type) reference.Question {
	a := &asker{Rand: rng, dataset: w, kind: kind, asking: true}
	q := a.question()
	q.Totals = a.chance(50)
	f := fields{names: kind.Filters, deeds: kind.Kind == store.KindWebsite && kind.Name != "blocked_traffic" &&
		kind.Name != "blocked_traffic_trends"}
	f.properties = kind.Allows("property:a")
	if f.properties {
		f.names = append(slices.Clone(f.names), "event_name")
	}
	if f.properties && len(q.GroupBy) == 1 && a.chance(25) {
		q.GroupBy[0] = a.propertyField()
	}
	if kind.Name == "flag_outcomes" { // groups select either exposures or outcomes
		f.names = reference.SessionFields()
	}
	a.addGroups(&q, f)
	if a.chance(25) {
		q.Mandatory = a.mandatoryGroup(f)
	}
	return a.short(q)
}

// askChoice returns a choice of metrics of a dataset.
func (w *Dataset) askChoice(rng *rand.Rand, d reference.Dataset) reference.Question {
	kind := reference.Type{Name: d.Name, Kind: d.Kind, Filters: d.Filters}
	if d.Name == "events" {
		kind.Filters = append(slices.Clone(d.Filters), "event_name")
	}
	a := &asker{Rand: rng, dataset: w, kind: kind, asking: true}
	chosen := a.choose(d)
	for _, m := range chosen.Metrics {
		a.kind.Columns = append(a.kind.Columns, reference.Column{Name: m.Column(), Kind: reference.Number})
	}
	a.kind.Series = slices.Contains(chosen.Dimensions, "date")
	q := a.question()
	q.Type, q.Dataset, q.Metrics, q.Dimensions, q.Totals = "", d.Name, chosen.Metrics, chosen.Dimensions, a.chance(40)
	if d.Name == "pageviews" && a.chance(50) {
		q.Dataset = ""
	}
	counted := counts.MatchString(q.Metrics[0].Name) && !a.kind.Series && len(q.Dimensions) > 0
	if q.SortBy == "difference" {
		q.SortBy, q.SortOrder = "", ""
	}
	if counted && q.Compare != "" && a.chance(60) {
		q.SortBy = "difference"
	} else if q.SortBy != "" && len(q.Dimensions) > 0 && a.chance(30) {
		q.SortBy = pickFrom(a, q.Dimensions)
	}
	if a.kind.Series && q.Grain == "hourly" && len(q.Dimensions) > 2 {
		q.Grain = "daily"
	}
	f := fields{names: d.Filters, properties: d.Events, deeds: d.Kind == store.KindWebsite && d.Name != "blocked"}
	if d.Events {
		f.names = append(slices.Clone(f.names), "event_name")
	}
	a.addGroups(&q, f)
	if a.chance(15) {
		q.Mandatory = a.mandatoryGroup(f)
	}
	return a.short(q)
}

// choose returns the metrics and dimensions of a choice.
func (a *asker) choose(d reference.Dataset) (q reference.Question) {
	used := map[string]bool{}
	add := func(m reference.Metric) {
		if !used[m.Column()] {
			used[m.Column()] = true
			q.Metrics = append(q.Metrics, m)
		}
	}
	for range 1 + a.IntN(4) {
		if d.Properties && a.chance(50) {
			m := reference.Metric{Name: pickFrom(a, reference.PropertyMetrics()), Property: a.numberKey()}
			if a.chance(15) {
				m.As = pickFrom(a, []string{"revenue", "x_1", "visitors"})
			}
			add(m)
			continue
		}
		if m := pickFrom(a, d.Metrics); m != "percentage" {
			add(reference.Metric{Name: m})
		}
	}
	if len(q.Metrics) == 0 {
		add(reference.Metric{Name: d.Metrics[0]})
	}
	if a.chance(35) && counts.MatchString(q.Metrics[0].Name) {
		add(reference.Metric{Name: "percentage"})
	}
	for range []int{0, 1, 1, 1, 2, 2, 3, 4}[a.IntN(8)] {
		f := pickFrom(a, d.Dimensions)
		switch n := a.IntN(100); {
		case n < 30:
			f = "date"
		case n < 55 && d.Events:
			f = pickFrom(a, []string{"event_name", a.propertyField(), a.propertyField()})
		}
		if !used[f] {
			used[f] = true
			q.Dimensions = append(q.Dimensions, f)
		}
	}
	return q
}

// counts matches metrics whose shares are asked.
var counts = regexp.MustCompile(`^(count|sum|distinct|clicks|requests|users|samples|pageviews|visitors|sessions|(total|successful|unique)_.*)$`)

// askBehaviour returns a question of goals, goals_trends, funnel, retention or paths.
func (w *Dataset) askBehaviour(rng *rand.Rand, kind reference.Type) reference.Question {
	a := &asker{Rand: rng, dataset: w, kind: kind, asking: true}
	q := a.question()
	a.widen(&q)
	if n := len(q.GroupBy); n > 0 && kind.Name == "goals" && a.chance(40) {
		q.GroupBy[n-1] = a.propertyField()
	}
	switch kind.Name {
	case "goals", "goals_trends":
		for i := range 1 + a.IntN(4) {
			g := reference.Goal{Name: []string{"Z", "a", "größe", "b 2"}[i], Action: a.action(0)}
			if a.chance(50) {
				g.Value = a.numberKey()
			}
			q.Goals = append(q.Goals, g)
		}
	case "funnel":
		a.funnel(&q)
	case "retention":
		if a.chance(70) {
			start := a.action(0)
			q.Start = &start
		}
		if a.chance(60) {
			back := a.action(0)
			q.Return = &back
		}
		q.Rolling = a.chance(40)
		a.cohorts(&q)
	case "paths":
		if a.chance(40) {
			from := a.written("path", pickFrom(a, []string{"", a.anchor.text["path"]}))
			q.From = &from
		}
		if a.chance(25) {
			to := pickFrom(a, []string{"", "/docs", a.anchor.text["path"]})
			q.To = &to
		}
	case "why":
		a.why(&q)
	}
	q.Filters = nil
	if q.Why == nil || a.chance(40) { // two periods with rows are rare enough
		a.addGroups(&q, fields{names: reference.SessionFields(), deeds: true})
	}
	if a.chance(15) {
		q.Mandatory = a.mandatoryGroup(fields{names: reference.SessionFields(), deeds: true})
	}
	return a.short(q)
}

// why asks which values made a metric change.
func (a *asker) why(q *reference.Question) {
	w := &reference.Why{Metric: pickFrom(a, []string{"visitors", "sessions", "pageviews"})}
	fields := reference.SessionFields()
	if a.chance(35) {
		goal := a.action(0)
		w.Metric, w.Goal = "", &goal
		fields = append(fields, "event_name", a.propertyField())
	} else {
		fields = append(fields, "path")
	}
	if a.chance(70) {
		for _, i := range a.Perm(len(fields))[:1+a.IntN(3)] {
			w.By = append(w.By, fields[i])
		}
	}
	if a.chance(90) { // few values changed surely
		w.MinWeight = new([]float64{0, 0, 0, 0.5, 3}[a.IntN(5)])
	}
	w.PerDimension = []int{0, 1, 3, 100}[a.IntN(4)]
	a.widen(q)
	if q.Compare == "" || a.chance(50) {
		q.Compare = reference.PreviousPeriod
	}
	q.Why, q.SortBy, q.SortOrder, q.Page, q.GroupBy, q.Grain = w, "", "", 0, nil, ""
	q.Limit = []int{0, 1, 7, 100}[a.IntN(4)]
}

// widen moves the dates of a question apart, since visitors need days to come back.
func (a *asker) widen(q *reference.Question) {
	start, err := time.Parse(time.DateOnly, q.StartDate)
	end, endErr := time.Parse(time.DateOnly, q.EndDate)
	if err != nil || endErr != nil || a.chance(30) {
		return
	}
	q.StartDate = start.AddDate(0, 0, -a.IntN(5)).Format(time.DateOnly)
	q.EndDate = end.AddDate(0, 0, a.IntN(5)).Format(time.DateOnly)
	if q.Grain == "hourly" {
		q.Grain = "daily"
	}
}

// cohorts chooses buckets of which the range has at most 60.
func (a *asker) cohorts(q *reference.Question) {
	q.Grain = pickFrom(a, []string{"daily", "daily", "weekly", "monthly", ""})
	start, err := time.Parse(time.DateOnly, q.StartDate)
	end, endErr := time.Parse(time.DateOnly, q.EndDate)
	days := 366
	if err == nil && endErr == nil {
		days = int(end.Sub(start).Hours() / 24)
	}
	switch {
	case days > 300:
		q.Grain = "monthly"
	case days > 50 && q.Grain == "daily":
		q.Grain = "weekly"
	}
}

// funnel adds the steps of a funnel.
func (a *asker) funnel(q *reference.Question) {
	page := func(path string) reference.Step {
		return reference.Step{Action: reference.Action{Page: &reference.Text{Op: "eq", Values: []string{path}}}}
	}
	event := func(name string) reference.Step {
		return reference.Step{Action: reference.Action{Event: &reference.Text{Op: "eq", Values: []string{name}}}}
	}
	switch a.IntN(4) {
	case 0:
		q.Steps = []reference.Step{page("/"), page("/pricing"), event(signup), event(orderPaid)}
	case 1:
		q.Steps = []reference.Step{page("/"), event(signup)}
	default:
		for range 2 + a.IntN(3) {
			q.Steps = append(q.Steps, reference.Step{Action: a.action(0)})
		}
	}
	if a.chance(20) {
		q.Steps[0].Name = "the first"
	}
	q.Window = pickFrom(a, []string{"", "", "1m", "30m", "60m", "1h", "24h", "1d", "48h", "2d", "90d"})
	q.Within = pickFrom(a, []string{"", "visitor", "visitor", "session"})
	switch a.IntN(3) {
	case 0:
		q.Order = "any"
	case 1:
		for range 1 + a.IntN(2) {
			q.Exclude = append(q.Exclude, reference.Exclusion{Action: a.action(0), After: 1 + a.IntN(len(q.Steps)-1)})
		}
	}
	q.SortBy, q.SortOrder = "", ""
}

// short returns q with a range in which filters may ask what people did.
func (a *asker) short(q reference.Question) reference.Question {
	start, err := time.Parse(time.DateOnly, q.StartDate)
	end, endErr := time.Parse(time.DateOnly, q.EndDate)
	if err == nil && endErr == nil && end.Sub(start) > 360*24*time.Hour {
		q.EndDate = start.AddDate(0, 0, 360).Format(time.DateOnly)
	}
	return q
}
