package track

import (
	"context"

	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

const maxSource = 64

// custom reads an item of /track, of /events, its older form, or of an even older form, which is sent to /.
func (r *reader) custom(ctx context.Context, f *fields, site store.Website) (row, error) {
	s, err := r.base(ctx, f, site.ID)
	if err != nil {
		return row{}, err
	}
	e := store.Event{
		Website: site.ID, ID: s.id, Kind: store.Custom, Time: r.clock.moment(f), Identity: s.Identity, Agent: s.Agent,
		Name: f.need(intake.MaxName, "name", "eventName"), Path: f.path(),
		Namespace: f.text(maxSource, "namespace"), Source: f.text(maxSource, "source"), Properties: f.properties(),
	}
	if p := f.problem(); p != nil {
		return row{}, p
	}
	return eventRow(kindCustom, e), nil
}
