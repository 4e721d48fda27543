package track

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// campaign sets the campaign source of e, unless e has a referrer. The source is the first of utm_source,
// ref and source that the item has, as a field or in the query of its address.
func (f *fields) campaign(e *store.Event) {
	if e.ReferrerDomain != "" {
		return
	}
	landing := f.landing()
	source := cmp.Or(e.UTMSource, landing.text(maxUTM, "utm_source"),
		f.text(maxUTM, "ref"), landing.text(maxUTM, "ref"), f.text(maxUTM, "source"), landing.text(maxUTM, "source"))
	medium := cmp.Or(e.UTMMedium, landing.text(maxUTM, "utm_medium"))
	domain, kind := referrer.Campaign(source, medium)
	e.ReferrerDomain, e.CampaignKind = domain, string(kind)
}

// landing returns the parameters in the query of the item's address. It has none if the address has no query.
func (f *fields) landing() *fields {
	address, _, _ := strings.Cut(f.peek("path"), "#")
	_, query, _ := strings.Cut(address, "?")
	parameters, _ := url.ParseQuery(query) // it returns what it understands
	o := object{}
	for name := range parameters {
		o[name] = parameters.Get(name)
	}
	return newFields(o)
}
