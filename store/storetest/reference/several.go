package reference

import (
	"slices"
	"strings"
)

// websiteField is the field that has the website of a row.
const websiteField = "website"

// websiteOps are the operators for it.
var websiteOps = []string{"eq", "ne", "in", "not_in"}

// several returns the rows of some websites as those of one website on which each visitor and session id stands behind
// the id of its own.
func (d *Data) several(ids []string) *site {
	var all []row
	for _, id := range ids {
		s := d.sites[website(id)]
		if s == nil {
			continue
		}
		for _, r := range s.rows {
			one := *r
			for _, text := range []*string{&one.SessionID, &one.AnonymousID, &one.ProfileID} {
				if *text != "" {
					*text = id + idEnd + *text
				}
			}
			all = append(all, one)
		}
	}
	return newSite(all)
}

// idEnd stands between the id of a website and the id of a visitor or session. No id has it.
const idEnd = "\x00"

// withoutSite returns an id without its website.
func withoutSite(id string) string {
	if _, after, ok := strings.Cut(id, idEnd); ok {
		return after
	}
	return id
}

// SiteName returns the name of a website in answers about several.
func SiteName(id string) string { return "Name of " + id }

// listsRows reports whether rows of t are of one session, visitor or event each.
func (t Type) listsRows() bool {
	return t.Single && t.Kind == "website" || t.Name == "profiles" || t.Name == "profile_list"
}

// ofWebsite returns columns about a row of its own with the website, where a asks about several.
func (a *evaluation) ofWebsite(cells []value, r *row) []value {
	if a.q.Websites == nil {
		return cells
	}
	return append(slices.Clip(cells), text(r.subject.ID))
}
