package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
)

// An Annotation is the body of a [store.AnnotationDefinition]: what happened when. Its text is not unique, unlike the
// name of its definition, so that the same thing can happen twice.
type Annotation struct {
	// YYYY-MM-DD, a day in the zone of the reader, or an instant in RFC 3339; from 1970 to 2100
	At   string `json:"at"`
	Text string `json:"text"` // 1 to [MaxText] characters
}

// checkAnnotation returns all mistakes in d.
func checkAnnotation(d *store.Definition) (bad ask.Errors) {
	if bad = check(d); len(bad) > 0 {
		return bad
	}
	add := func(field, message string) {
		bad = append(bad, &ask.Error{Code: ask.Invalid, Field: "body." + field, Message: message})
	}
	var body struct {
		At   json.RawMessage `json:"at"`
		Text json.RawMessage `json:"text"`
	}
	_ = json.Unmarshal(d.Body, &body) // it is a valid object
	var a Annotation
	if err := json.Unmarshal(body.At, &a.At); err != nil {
		add("at", mistake.Want("a string", mistake.Kind(body.At)))
	} else if wrong := checkTime(a.At); wrong != "" {
		add("at", wrong)
	}
	if err := json.Unmarshal(body.Text, &a.Text); err != nil {
		add("text", mistake.Want("a string", mistake.Kind(body.Text)))
	} else if wrong := checkText(a.Text, MaxText); wrong != "" {
		add("text", wrong)
	}
	return bad
}

// checkTime returns what is wrong with the time of an annotation, or "".
func checkTime(at string) string {
	day, _, isInstant := strings.Cut(at, "T")
	_, err := calendar.ParseDate(day)
	if isInstant && err == nil {
		if _, bad := time.Parse(time.RFC3339, at); bad != nil {
			err = calendar.ErrFormat
		}
	}
	switch {
	case at == "":
		return mistake.Required
	case errors.Is(err, calendar.ErrFormat):
		return "must be a date such as 2026-11-27, or an instant such as 2026-11-27T14:05:00Z"
	case err != nil:
		return fmt.Sprintf("%q %s", day, err)
	}
	return ""
}
