package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// partsOfSource returns the forms in which sources may contain a part of an address, a name or
// a text: without https://, http:// and www. at its beginning, as it is and in ASCII.
func partsOfSource(value string) []string {
	value = strings.ToLower(value)
	for _, scheme := range []string{"https://", "http://"} {
		if rest, ok := strings.CutPrefix(value, scheme); ok {
			value = rest
			break
		}
	}
	value = strings.TrimPrefix(value, "www.")
	return slices.Compact([]string{value, address.ASCII(value)})
}

// countries by code, after none: that one's code and name are empty.
var countries = append([]country.Country{{}}, country.All()...)

// countries returns the codes that c names: by code or usual name, or, for parts of texts, by
// English name.
func (c Condition) countries() []string {
	found := []string{}
	if !wholeValue(c.Op) {
		for _, known := range countries {
			if c.isPart(known.Name) {
				found = append(found, known.Code)
			}
		}
		return found
	}
	for _, v := range c.Values {
		if code, ok := country.Code(v); ok || v == "" {
			found = append(found, code)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// domains returns the stored sources that c names: domains, and texts of campaigns. The stored
// source of direct traffic is empty. A value of a whole comparison may be an address, a host, a
// name or a text, and is also taken as it is, so that a value copied from a row finds it.
func (c Condition) domains() []string {
	found := []string{}
	if !wholeValue(c.Op) {
		for _, src := range append([]referrer.Source{{Name: "Direct"}}, referrer.Sources()...) {
			if c.isPart(src.Name) {
				found = append(found, src.Domain)
			}
		}
		return found
	}
	for _, v := range c.Values {
		found = append(found, sourcesNamed(v)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// sourcesNamed returns the stored sources that a whole value names.
func sourcesNamed(value string) []string {
	given := strings.TrimPrefix(strings.ToLower(value), "https://")
	if given == "" || given == "direct" {
		return []string{""}
	}
	found := []string{given}
	if host := referrer.Host(value); host != "" {
		found = append(found, host, referrer.Domain(value, ""))
	}
	if src, ok := referrer.Named(value); ok {
		found = append(found, src.Domain)
	}
	return found
}

// meaningless returns the values of c that name no country or no referrer: they would find no
// row, or all but none.
func (c Condition) meaningless() []string {
	var found []string
	if !wholeValue(c.Op) {
		return nil
	}
	for _, v := range c.Values {
		switch c.Field.Match {
		case catalog.ByCountry:
			if _, ok := country.Code(v); !ok && v != "" {
				found = append(found, v)
			}
		case catalog.ByReferrer:
			if v != "" && referrer.Host(v) == "" && (strings.IndexAny(v, "/?#") == 0 || strings.Contains(v, "://")) {
				found = append(found, v)
			}
		case catalog.Exact, catalog.AnyCase, catalog.ByPath:
		}
	}
	return found
}

// refuse adds the meaningless values of the leaf c to list.
func (c *Condition) refuse(at ask.FieldPath, code ask.Code, list *ask.Issues) {
	if ops := c.Field.Ops; ops != nil && !slices.Contains(ops, c.Op) {
		list.Add(at.Member("op"),
			ask.Error{Code: code, Message: fmt.Sprintf("%s takes %s, not %s", c.Field.Name, mistake.Or(ops...), c.Op)})
	}
	for _, v := range c.wrong {
		if list.Full() { // looking for suggestions takes time
			return
		}
		e := ask.Error{Code: code, Message: mistake.Quote(v) +
			" is not a referrer: use a host such as news.example, the name of a source such as Google, the text of a campaign, or direct"}
		if c.Field.Match == catalog.ByCountry {
			e = ask.Error{Code: code, Message: mistake.Quote(v) + " is not a country",
				Suggestion: mistake.Nearest(v, countryNames(), nil)}
			if e.Suggestion != "" {
				e.Message += "; did you mean " + mistake.Quote(e.Suggestion) + "?"
			}
		}
		list.Add(at.Member("value"), e)
	}
}

// countryNames returns the English names of all countries.
func countryNames() []string {
	names := make([]string, 0, len(countries))
	for _, c := range countries[1:] {
		names = append(names, c.Name)
	}
	return names
}
