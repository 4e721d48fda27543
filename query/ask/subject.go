package ask

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/store"
)

// CheckSubject returns the mistakes of a program that does not say whose rows are asked for, or nil. Without this
// check, the answer would have no rows.
func CheckSubject(s store.Subject) Errors {
	var list Issues
	kinds := []store.SubjectKind{store.KindWebsite, store.KindLink, store.KindSchedule}
	if !slices.Contains(kinds, s.Kind) {
		list.Add(InField("Access.Subject.Kind"),
			Error{Message: fmt.Sprintf("must be %s, not %s", mistake.Or(kinds...), mistake.Quote(string(s.Kind)))})
	}
	if s.ID == "" {
		list.Add(InField("Access.Subject.ID"),
			Error{Message: "is required: the id of the website, link or monitor whose rows are asked for"})
	}
	return list.Sorted()
}
