package golden

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CheckSQL is Check for a file of statements, as SQL lays them out: blanks and line feeds
// count inside quotes alone.
func CheckSQL(t testing.TB, path string, got []byte) {
	t.Helper()
	check(t, path, got, sameWords, *update)
}

// token is a quoted text, a name or number, a run of blanks, or one other sign.
var token = regexp.MustCompile(`(?s)'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|` + "`[^`]*`" + `|[\pL\d_$]+|\s+|.`)

func sameWords(a, b []byte) bool { return slices.Equal(words(a), words(b)) }

// words are the tokens of text without the blanks.
func words(text []byte) []string {
	return slices.DeleteFunc(token.FindAllString(string(text), -1), blank)
}

func blank(token string) bool { return strings.TrimSpace(token) == "" }

// SQL lays out a statement for reading: a clause a line, and sub-queries indented.
func SQL(statement string) string {
	p := printer{token.FindAllString(statement, -1)}
	return p.query("")
}

// A printer holds the tokens that are not laid out yet.
type printer struct{ rest []string }

// next takes a token, which is empty at the end of the statement.
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

// ended says whether the query or group is over.
func (p *printer) ended() bool { return len(p.rest) == 0 || p.rest[0] == ")" }

// query lays out the clauses up to the end of the query.
func (p *printer) query(indent string) string {
	var all []string
	for !p.ended() {
		all = append(all, p.clause(indent))
	}
	return strings.Join(all, "\n")
}

// clauses are the words that clauses begin with.
var clauses = []string{"WITH", "SELECT", "FROM", "LEFT", "INNER", "CROSS", "ARRAY", "WHERE", "GROUP", "UNION", "ORDER", "LIMIT"}

// clause lays out what stands before the next clause; of WITH, a sub-query after the other.
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

// brackets lays out what follows an opening bracket, with both: a sub-query on lines of
// its own, anything else as it is.
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
