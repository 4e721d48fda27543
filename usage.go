package sightline

import (
	"context"
	"errors"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// usage counts events for quotas. Its engine has a single query type.
type usage struct{ engine *query.Engine }

func newUsage(events store.Store, now func() time.Time) (*usage, error) {
	types, err := query.NewRegistry(query.Type{
		Name: "usage", Title: "Usage", Description: "Events that count for a quota", Category: "Usage",
		Visualization: "metric",
		Subject:       store.KindWebsite, Source: "activity", Shape: query.Totals, Columns: []string{"total_events"},
	})
	if err != nil {
		return nil, err
	}
	// its queries do not repeat
	engine, err := query.New(query.Config{Store: events, Now: now,
		EngineOptions: query.EngineOptions{Types: types, ResultCache: -1, MaxPartials: -1}})
	return &usage{engine}, err
}

// Events implements track.Usage. The range must consist of whole UTC days.
func (u *usage) Events(ctx context.Context, website string, from, to time.Time) (int64, error) {
	answer, err := u.engine.Run(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: website}},
		query.Request{
			Parameters: []query.Parameter{{Name: "usage"}}, StartDate: from.Format(time.DateOnly),
			EndDate: to.AddDate(0, 0, -1).Format(time.DateOnly),
		})
	if err != nil {
		return 0, err
	}
	if r := answer.Data[0]; !r.Success {
		return 0, errors.Join(errors.New(r.Error), r.Cause)
	}
	n, _ := answer.Data[0].Data.Value(0, "total_events").(int64)
	return n, nil
}
