package ask

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/store"
)

// CheckSubject returns the mistakes of a program that does not say whose rows are asked for, or nil. Without this
// check, the answer would have no rows.
func (a *Access) CheckSubject() Errors {
	var list Issues
	if a.Websites != nil {
		a.checkWebsites(&list)
		return list.Sorted()
	}
	kinds := []store.SubjectKind{store.KindWebsite, store.KindLink, store.KindSchedule}
	if !slices.Contains(kinds, a.Subject.Kind) {
		list.Add(InField("Access.Subject.Kind"),
			Error{Message: fmt.Sprintf("must be %s, not %s", mistake.Or(kinds...),
				mistake.Quote(string(a.Subject.Kind)))})
	}
	if a.Subject.ID == "" {
		list.Add(InField("Access.Subject.ID"),
			Error{Message: "is required: the id of the website, link or monitor whose rows are asked for"})
	}
	return list.Sorted()
}

// checkWebsites adds the mistakes in the websites of a.
func (a *Access) checkWebsites(list *Issues) {
	if a.Subject != (store.Subject{}) {
		list.addf(InField("Access.Subject"), "cannot be given with Websites")
	}
	at, n := InField("Access.Websites"), len(a.Websites)
	if n == 0 || n > MaxWebsites {
		list.addf(at, "must be 1 to %d websites, not %d", MaxWebsites, n)
		return
	}
	known := map[string]bool{}
	for i, w := range a.Websites {
		switch {
		case w.ID == "":
			list.addText(at.Item(i).Member("ID"), mistake.Required)
		case known[w.ID]:
			list.addf(at.Item(i).Member("ID"), "names %s twice", mistake.Quote(w.ID))
		}
		known[w.ID] = true
	}
}
