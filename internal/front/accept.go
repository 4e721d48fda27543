package front

import (
	"net/http"
	"strconv"
	"strings"
)

// Accepts returns how much a client wants the media type name, from 0 (not at all) to 1, and whether Accept has this
// type itself, and not only a pattern such as */*: see RFC 9110, section 12.5.1. Without Accept every type is wanted.
func Accepts(h http.Header, name string) (q float64, named bool) {
	lines := h.Values("Accept")
	if len(lines) == 0 {
		return 1, false
	}
	group, _, _ := strings.Cut(name, "/")
	best := 0 // 3 the type itself, 2 its group, 1 everything
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			pattern, weights, _ := strings.Cut(part, ";")
			pattern = strings.TrimSpace(pattern)
			match := 0
			switch {
			case strings.EqualFold(pattern, name):
				match = 3
			case strings.EqualFold(pattern, group+"/*"):
				match = 2
			case pattern == "*/*":
				match = 1
			}
			if match > best {
				best, q = match, weightOf(weights)
			}
		}
	}
	return q, best == 3
}

// weightOf returns the weight among the parameters of a media type, or 1.
func weightOf(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || q < 0 {
			return 0
		}
		return min(q, 1)
	}
	return 1
}

// ProblemType is the media type of errors of RFC 9457.
const ProblemType = "application/problem+json"

// WantsProblem reports whether a client asks for errors as ProblemType: Accept has it, and does not prefer JSON.
func WantsProblem(h http.Header) bool {
	q, named := Accepts(h, ProblemType)
	plain, _ := Accepts(h, "application/json")
	return named && q > 0 && q >= plain
}

// problemURL is the address of the page that explains error codes.
const problemURL = "https://github.com/sightline-analytics/sightline/blob/main/docs/errors.md#"

// A Problem is an error in the form of RFC 9457. The other fields of an error follow its own.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// NewProblem returns the error with this code, whose usual text is title.
func NewProblem(code, title, detail string, status int) Problem {
	return Problem{Type: problemURL + code, Title: title, Status: status, Detail: detail}
}
