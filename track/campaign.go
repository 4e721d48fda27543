package track

import (
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

// campaign sets the campaign tags and the click id of e, and without a referrer also the campaign source. Each is a
// field of the item, or a parameter in the query of its address. The source is the first of utm_source, ref and source.
func (f *fields) campaign(e *store.Event) {
	page, _, _ := f.raw("path")
	landing := intake.Parameters(page)
	for _, tag := range []struct {
		into *string
		name string
	}{
		{&e.UTMSource, "utm_source"}, {&e.UTMMedium, "utm_medium"}, {&e.UTMCampaign, "utm_campaign"},
		{&e.UTMTerm, "utm_term"},
		{&e.UTMContent, "utm_content"}, {&e.GCLID, "gclid"},
	} {
		*tag.into = intake.Tag(f.text(intake.MaxUTM, tag.name), landing, tag.name)
	}
	if e.ReferrerDomain != "" {
		return
	}
	e.ReferrerDomain, e.CampaignKind = intake.Campaign(landing, intake.Tags{
		Source: e.UTMSource, Medium: e.UTMMedium, Ref: f.text(intake.MaxUTM, "ref"),
		OtherSource: f.text(intake.MaxUTM, "source"),
		Ad:          intake.Ad(landing, func(id string) string { return f.text(intake.MaxUTM, id) }),
	})
}
