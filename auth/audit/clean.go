package audit

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/auth"
)

// maxText is the longest text of an entry, in bytes; what is longer is cut. Ids and
// owners are shorter, what callers choose need not be.
const maxText = 1024

// statusAt is the place of the status among the texts of an entry.
const statusAt = 11

// texts are the fields of e that hold text. They are sealed and written in this order, with
// the status before statusAt.
func texts(e *auth.Entry) [13]*string {
	return [...]*string{
		&e.RequestID, &e.KeyID, &e.Start, &e.Owner, &e.Method, &e.Route, &e.Resource.Kind, &e.Resource.ID,
		&e.Resource.Owner, (*string)(&e.Scope), &e.Outcome, &e.IP, &e.UserAgent,
	}
}

// shorten cuts what is too long to be held. A copy lets the rest be freed.
func shorten(e *auth.Entry) {
	for _, t := range texts(e) {
		if len(*t) > maxText {
			*t = strings.Clone(strings.ToValidUTF8((*t)[:maxText], ""))
		}
	}
}

// clean makes e what every log can keep as it is: whole milliseconds in UTC, and texts
// that are UTF-8 without NUL.
func clean(e *auth.Entry) {
	e.Time = time.UnixMilli(e.Time.UnixMilli()).UTC()
	if year := e.Time.Year(); year < 0 || year > 9999 {
		e.Time = time.UnixMilli(0).UTC() // no text for it could be read again
	}
	for _, t := range texts(e) {
		if utf8.ValidString(*t) && strings.IndexByte(*t, 0) < 0 {
			continue
		}
		*t = strings.ToValidUTF8(strings.ReplaceAll(*t, "\x00", "\uFFFD"), "\uFFFD")
		shorten(e) // replacements are longer than what they replace
	}
}
