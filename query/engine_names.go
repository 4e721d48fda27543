package query

import (
	"context"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Names gives the display names of profiles, of which events have only the id.
type Names interface {
	// ProfileNames returns the names of those profiles of a website that have one, by id. ids differ
	// from each other, and are at most MaxLimit.
	ProfileNames(ctx context.Context, website string, ids []string) (map[string]string, error)
}

// name fills the columns of found that show names.
func (e *Engine) name(ctx context.Context, p *plan.Plan, found *finish.Answered) *Error {
	for i, m := range p.Type.OutputMetrics {
		if m.NameOf == "" || e.names == nil || found.Len() == 0 {
			continue
		}
		of := slices.IndexFunc(p.Type.OutputMetrics, func(other *catalog.BoundMetric) bool { return other.Name == m.NameOf })
		ids := found.ColumnAt(len(p.Group) + of).Texts[:found.Len()]
		known := slices.Clone(ids)
		slices.Sort(known)
		known = slices.DeleteFunc(slices.Compact(known), func(id string) bool { return id == "" })
		if len(known) == 0 {
			continue
		}
		names, err := e.names.ProfileNames(ctx, p.Subject.ID, known)
		if err != nil {
			return &Error{Code: Unavailable, Message: "The names of profiles are unavailable; try again later", Err: err}
		}
		texts := make([]string, found.Len())
		for row, id := range ids {
			texts[row] = names[id]
		}
		found.ColumnAt(len(p.Group) + i).Column = store.Column{Kind: dialect.Text, Texts: texts}
	}
	return nil
}
