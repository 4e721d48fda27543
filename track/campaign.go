package track

import (
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

// campaign sets the campaign source of e, unless e has a referrer. The source is the first of utm_source, ref and
// source in the item, as a field or in the query of its address.
func (f *fields) campaign(e *store.Event) {
	if e.ReferrerDomain != "" {
		return
	}
	landing, _, _ := f.raw("path")
	e.ReferrerDomain, e.CampaignKind = intake.Campaign(intake.Parameters(landing), intake.Tags{
		Source: e.UTMSource, Medium: e.UTMMedium, Ref: f.text(intake.MaxUTM, "ref"), OtherSource: f.text(intake.MaxUTM, "source"),
	})
}
