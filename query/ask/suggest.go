package ask

import (
	"fmt"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/internal/synonym"
)

// Unknown is the mistake of naming what is not there: what says what kind of name it
// is, and allowed are the names that would do.
func Unknown(code Code, what, name string, allowed []string) Error {
	return Refused(code, fmt.Sprintf("unknown %s %s", what, mistake.Quote(name)), name, allowed)
}

// NoSuchType is Unknown for a query type. also are words by which people look for types.
func NoSuchType(name string, allowed []string, also mistake.Synonyms) Error {
	return choice(UnknownType, "unknown query type "+mistake.Quote(name), name, allowed, also)
}

// Refused is a mistake in the choice of a name, with the names that would do.
func Refused(code Code, message, name string, allowed []string) Error {
	return choice(code, message, name, allowed, synonym.OfNames())
}

func choice(code Code, message, name string, allowed []string, also mistake.Synonyms) Error {
	e := Error{Code: code, Allowed: allowed}
	e.Message, e.Suggestion = mistake.Choice(message, name, allowed, also)
	return e
}
