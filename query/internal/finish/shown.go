package finish

import (
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// Shown returns a table of rows of p as answers have it: rounded, in its zone, and with date where the dimensions of a
// choice name it.
func Shown(p *plan.Plan, rows *answer.Table) answer.Table {
	rows.RoundRows(p.Type)
	shown := *rows
	if p.Websites != nil {
		shown = shown.Named(catalog.Website.Name, catalog.WebsiteName(), p.WebsiteName)
	}
	if c := p.Type.Choice; c != nil && c.Date >= 0 && p.Type.Shape == catalog.Series {
		from, to := datePlace(c)
		return shown.Moved(from, to).In(p.Range.Zone)
	}
	return shown.In(p.Range.Zone)
}

// datePlace returns the place of the column date behind the dimensions of a choice, and the place where it is shown.
// The name behind a website is not a dimension.
func datePlace(c *catalog.Choice) (from, to int) {
	from, to = len(c.Fields), c.Date
	if at := slices.Index(c.Fields, catalog.Website); at >= 0 {
		if from++; at < to {
			to++
		}
	}
	return from, to
}

// LacksProperty reports whether rows of p show nothing of a property that p has a metric of: then perhaps no row has
// it.
func LacksProperty(p *plan.Plan, rows *answer.Table) bool {
	for _, key := range p.Type.Choice.Properties {
		shows := false
		for i, m := range p.Type.OutputMetrics {
			c := rows.ColumnAt(len(p.Group) + i)
			for row := range rows.Len() {
				shows = shows || m.Property == key && !c.Null(row) && c.Number(row) != 0
			}
		}
		if !shows {
			return true
		}
	}
	return false
}

// PropertyNotes returns a note for each property that no row has, by counts of the rows that have them.
func PropertyNotes(p *plan.Plan, counts *answer.Table) (notes []string) {
	for i, key := range p.Type.Choice.Properties {
		if counts.Len() == 0 || counts.ColumnAt(i).Number(0) == 0 {
			notes = append(notes, fmt.Sprintf("no row of the range that passes the filters has the property %s",
				mistake.Quote(key)))
		}
	}
	return notes
}

// RemovedNote returns the note for an answer that counts only the rows that are left of the days before a time.
func RemovedNote(before time.Time) string {
	return fmt.Sprintf("Rows of days before %s were removed; the answer counts only the rows that are left",
		before.UTC().Format(time.DateOnly))
}
