package intake

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/referrer"
)

// Tags are the texts of an event that name its campaign. Empty ones are absent.
type Tags struct {
	Source, Medium string // utm_source and utm_medium
	Ref            string // ref
	OtherSource    string // source
	Ad             bool   // see Ad
}

// Campaign returns the campaign source of an event without a referrer, and its kind. The source is the first of
// utm_source, ref and source, as a tag or in the parameters of the landing address. See referrer.Campaign.
func Campaign(landing url.Values, t Tags) (domain, kind string) {
	source := cmp.Or(Tag(t.Source, landing, "utm_source"), Tag(t.Ref, landing, "ref"),
		Tag(t.OtherSource, landing, "source"))
	domain, of := referrer.Campaign(source, Tag(t.Medium, landing, "utm_medium"), t.Ad)
	return domain, string(of)
}

// Ad reports whether an event has a click id that only visits from ads have, as a field or in the parameters of the
// landing address. field returns the field with a name; it is empty if there is none.
func Ad(landing url.Values, field func(name string) string) bool {
	return slices.ContainsFunc(referrer.PaidClickIDs(), func(id string) bool {
		return Tag(field(id), landing, id) != ""
	})
}

// Tag returns a campaign tag or a click id of an event: the given one, else the parameter of the landing address with
// its name. A text that means direct traffic is none.
func Tag(given string, landing url.Values, name string) string {
	in := Cut(address.Clean(landing.Get(name)), MaxUTM)
	for _, text := range []string{given, in} {
		if text != "" && !referrer.IsDirect(text) {
			return text
		}
	}
	return ""
}

// Parameters returns the parameters in the query of an address, without invalid ones; nil if it has no query.
func Parameters(s string) url.Values {
	s, _, _ = strings.Cut(s, "#")
	_, query, ok := strings.Cut(s, "?")
	if !ok {
		return nil
	}
	parameters, _ := url.ParseQuery(query)
	return parameters
}
