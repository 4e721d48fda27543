package plan

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// websites returns what p has as Websites.
func (v *resolver) websites(p *Plan) []ask.Website {
	switch {
	case v.access.Websites != nil:
		return v.access.Websites
	case p.Subject.Kind == store.KindWebsite && p.asksWebsite():
		return []ask.Website{{ID: p.Subject.ID, Name: v.access.Name}}
	}
	return nil
}

// asksWebsite reports whether p asks for the website of rows.
func (p *Plan) asksWebsite() bool {
	is := func(f *catalog.Field) bool { return f == catalog.Website }
	for _, c := range p.Filters {
		for leaf := range c.Leaves() {
			if leaf.Did == nil && is(leaf.Field) {
				return true
			}
		}
	}
	return slices.ContainsFunc(p.Group, is) || slices.ContainsFunc(p.Type.DimensionFields, is) ||
		p.Type.OutputIndex(catalog.Website.Name) >= 0
}

// Subjects returns the subjects whose rows count.
func (p *Plan) Subjects() []store.Subject {
	if p.Websites == nil {
		return []store.Subject{p.Subject}
	}
	all := make([]store.Subject, len(p.Websites))
	for i, w := range p.Websites {
		all[i] = store.Subject{Kind: store.KindWebsite, ID: w.ID}
	}
	return all
}

// subjectIDs are the ids of the subjects, for people.
func (p *Plan) subjectIDs() string {
	var ids []string
	for _, s := range p.Subjects() {
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, ", ")
}

// WebsiteName returns the name of a website of p.
func (p *Plan) WebsiteName(id string) string {
	i := slices.IndexFunc(p.Websites, func(w ask.Website) bool { return w.ID == id })
	if i < 0 {
		return ""
	}
	return p.Websites[i].Name
}
