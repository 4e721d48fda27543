package notify

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// The bounds of a table of a report.
const (
	maxReportRows    = 50
	maxReportColumns = 8
	maxCell          = 200 // characters
)

// reports sends the reports whose week or month is over. A new one is about the next of them.
func (e *evaluation) reports(ctx context.Context, all []*task) {
	for _, t := range all {
		state := e.state(t)
		if state.Period == t.period || e.stopped || ctx.Err() != nil {
			continue
		}
		isNew := state.Period == ""
		state.Period = t.period
		if isNew {
			e.store(ctx, t, state, nil)
			continue
		}
		m, err := e.report(ctx, t)
		if err != nil {
			e.fault(fmt.Errorf("report %q of website %s: %w", t.Name, t.site.ID, err))
			continue
		}
		told, err := e.messages(t.definition, e.known.ended, m)
		if err != nil {
			e.fault(err)
			continue
		}
		e.store(ctx, t, state, told)
	}
}

// report asks what a report has.
func (e *evaluation) report(ctx context.Context, t *task) (Message, error) {
	req := t.report.Request()
	answer, err := e.cfg.Engine.Run(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: t.site.ID},
		Name: t.site.Name, Owner: t.Owner, Caller: caller}, req)
	if err != nil {
		return Message{}, err
	}
	m := Message{Type: Weekly, Website: t.site.ID, Site: t.site.Name}
	var what, other string
	for i := range answer.Data {
		one := &answer.Data[i]
		if one.Meta != nil && one.Meta.Previous != nil {
			what = fmt.Sprintf("%s to %s", answer.Meta.StartDate, answer.Meta.EndDate)
			other = fmt.Sprintf(", compared with %s to %s", one.Meta.Previous.StartDate, one.Meta.Previous.EndDate)
		}
		m.Tables = append(m.Tables, tableOf(one, e.titleOf(one.Parameter)))
	}
	if what == "" {
		what = t.period
	}
	m.Text = fmt.Sprintf("%s, %s%s.", t.site.Name, what, other)
	return m, nil
}

// titleOf returns the title of a query type or dataset.
func (e *evaluation) titleOf(name string) string {
	for _, info := range e.cfg.Engine.Types() {
		if info.Name == name {
			return info.Title
		}
	}
	for _, info := range e.cfg.Engine.Datasets() {
		if info.Name == name {
			return info.Title
		}
	}
	return name
}

// tableOf returns an answer for people. One row with many numbers becomes a line for each.
func tableOf(r *query.Result, title string) Table {
	t := Table{Title: title}
	switch {
	case !r.Success:
		t.Note = r.Error
		return t
	case r.Data.Len() == 0:
		t.Note = "nothing"
		return t
	}
	var names []string
	for _, name := range r.Data.Columns() {
		if c := r.Data.Column(name); c != nil && c.Output != nil && c.AliasOf == "" {
			names = append(names, name)
		}
	}
	if r.Data.Len() == 1 {
		t.Columns = []string{"", "number", "change"}
		for _, name := range names {
			t.Rows = append(t.Rows, []string{r.Data.Column(name).Label, cell(&r.Data, 0, name), changed(r, 0, name)})
		}
		return t
	}
	names = names[:min(len(names), maxReportColumns)]
	for _, name := range names {
		t.Columns = append(t.Columns, r.Data.Column(name).Label)
	}
	for row := range min(r.Data.Len(), maxReportRows) {
		var line []string
		for _, name := range names {
			text := cell(&r.Data, row, name)
			if change := changed(r, row, name); change != "" {
				text += " (" + change + ")"
			}
			line = append(line, text)
		}
		t.Rows = append(t.Rows, line)
	}
	if r.Data.Len() > maxReportRows || r.Meta != nil && r.Meta.HasMore {
		t.Note = "There are more rows."
	}
	return t
}

// cell returns a value for people.
func cell(t *query.Table, row int, name string) string {
	switch value := t.Value(row, name).(type) {
	case nil:
		return "–"
	case int64:
		return strconv.FormatInt(value, 10)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case time.Time:
		return value.UTC().Format(time.RFC3339)
	default:
		return cut(oneLine(fmt.Sprint(value)), maxCell)
	}
}

// changed returns by how much a number has changed, or "".
func changed(r *query.Result, row int, name string) string {
	if r.Changes == nil || r.Changes.Absent(row) || r.Changes.Column(name) == nil {
		return ""
	}
	switch value := r.Changes.Value(row, name).(type) {
	case float64:
		return fmt.Sprintf("%+.1f %%", value)
	case int64:
		return fmt.Sprintf("%+d %%", value)
	}
	return ""
}
