package query

import (
	"fmt"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// unknown is the mistake of naming what is not there: what says what kind of name it
// is, and allowed are the names that would do.
func unknown(code Code, what, name string, allowed []string) Error {
	return refused(code, fmt.Sprintf("unknown %s %s", what, quote(name)), name, allowed)
}

// unknownType is unknown for a query type.
func unknownType(name string, allowed []string) Error {
	return choice(UnknownType, "unknown query type "+quote(name), name, allowed, typeSynonyms)
}

// refused is a mistake in the choice of a name, with the names that would do.
func refused(code Code, message, name string, allowed []string) Error {
	return choice(code, message, name, allowed, nameSynonyms)
}

func choice(code Code, message, name string, allowed []string, also mistake.Synonyms) Error {
	e := Error{Code: code, Allowed: allowed}
	e.Message, e.Suggestion = mistake.Choice(message, name, allowed, also)
	return e
}
