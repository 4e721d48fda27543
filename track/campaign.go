package track

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// campaign sets the campaign source of e, unless e has a referrer. The source is the first of utm_source, ref and
// source in the item, as a field or in the query of its address.
func (f *fields) campaign(e *store.Event) {
	if e.ReferrerDomain != "" {
		return
	}
	query := f.landing()
	inQuery := func(name string) string { return cut(address.Clean(query.Get(name)), maxUTM) }
	source := cmp.Or(e.UTMSource, inQuery("utm_source"), f.text(maxUTM, "ref"), inQuery("ref"), f.text(maxUTM, "source"), inQuery("source"))
	domain, kind := referrer.Campaign(source, cmp.Or(e.UTMMedium, inQuery("utm_medium")))
	e.ReferrerDomain, e.CampaignKind = domain, string(kind)
}

// landing returns the parameters in the query of the item's address, without invalid ones.
func (f *fields) landing() url.Values {
	s, _, _ := f.raw("path")
	s, _, _ = strings.Cut(s, "#")
	_, query, ok := strings.Cut(s, "?")
	if !ok {
		return nil
	}
	parameters, _ := url.ParseQuery(query)
	return parameters
}
