package golden

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CheckSQL is like Check, for a file of statements in the layout of SQL. Differences in spaces and line feeds only
// count within quotes.
func CheckSQL(t testing.TB, path string, got []byte) {
	t.Helper()
	check(t, path, got, sameWords, *update)
}

// token matches a quoted text, a name or number, a sequence of spaces, or one other character.
var token = regexp.MustCompile(`(?s)'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|` + "`[^`]*`" + `|[\pL\d_$]+|\s+|.`)

func sameWords(a, b []byte) bool { return slices.Equal(words(a), words(b)) }

// words returns the tokens of text without spaces.
func words(text []byte) []string {
	return slices.DeleteFunc(token.FindAllString(string(text), -1), blank)
}

func blank(token string) bool { return strings.TrimSpace(token) == "" }

// SQL formats a statement for readers, with one line per clause and indented sub-queries.
func SQL(statement string) string {
	p := printer{token.FindAllString(statement, -1)}
	return p.query("")
}

// A printer holds the tokens that are not formatted yet.
type printer struct{ rest []string }

// next removes and returns a token. It returns an empty text at the end of the statement.
func (p *printer) next() string {
	if len(p.rest) == 0 {
		return ""
	}
	first := p.rest[0]
	p.rest = p.rest[1:]
	if blank(first) {
		return " "
	}
	return first
}

// ended reports whether the query or the brackets end here.
func (p *printer) ended() bool { return len(p.rest) == 0 || p.rest[0] == ")" }

// query formats the clauses up to the end of the query.
func (p *printer) query(indent string) string {
	var all []string
	for !p.ended() {
		all = append(all, p.clause(indent))
	}
	return strings.Join(all, "\n")
}

// clauses lists the first words of clauses.
var clauses = []string{"WITH", "SELECT", "FROM", "LEFT", "INNER", "CROSS", "ARRAY", "WHERE", "GROUP", "UNION", "ORDER",
	"LIMIT"}

// clause formats the tokens up to the next clause. The sub-queries of WITH are formatted one after the other.
func (p *printer) clause(indent string) string {
	kind := p.next()
	text := kind
	if kind == "(" {
		text = p.brackets(indent)
	}
	for !p.ended() && !slices.Contains(clauses, p.rest[0]) {
		switch word := p.next(); {
		case word == "(":
			text += p.brackets(indent)
		case word == "," && kind == "WITH":
			text += ",\n" + indent + strings.TrimSpace(p.next())
		default:
			text += word
		}
	}
	return indent + strings.TrimSpace(text)
}

// brackets formats the tokens after an opening bracket, and both brackets. A sub-query gets its own lines. Other
// tokens stay on the line.
func (p *printer) brackets(indent string) string {
	inside := slices.IndexFunc(p.rest, func(t string) bool { return t != "(" && !blank(t) })
	if inside >= 0 && p.rest[inside] == "SELECT" {
		return "(\n" + p.query(indent+"  ") + "\n" + indent + p.next()
	}
	text := "("
	for !p.ended() {
		if word := p.next(); word == "(" {
			text += p.brackets(indent)
		} else {
			text += word
		}
	}
	return text + p.next()
}
