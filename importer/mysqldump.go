package importer

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// This file reads dumps of the MySQL database of Umami, as mysqldump and mariadb-dump write them. A line INSERT INTO
// has many rows, each in parentheses. CREATE TABLE has the columns, unless INSERT names them. As in dumps of
// PostgreSQL, session comes before website_event.

// umamiMySQL is the format of dumps of Umami 2 and later on MySQL or MariaDB.
func umamiMySQL() format {
	f := umamiDump()
	f.name, f.title = "umami-mysql", "dump of the MySQL database of Umami by mysqldump"
	f.split, f.read = byTuple, readMySQLDump
	f.is = func(line []byte) bool {
		for _, begin := range []string{"-- MySQL dump ", "-- MariaDB dump ", "/*M!999999"} {
			if bytes.HasPrefix(line, []byte(begin)) {
				return true
			}
		}
		return false
	}
	return f
}

// insertInto begins a statement with rows.
const insertInto = "INSERT INTO "

// tuples splits a dump by mysqldump into lines, and INSERT statements into what stands before their rows and the rows.
type tuples struct {
	*window

	inside bool // an INSERT statement
}

func (t *tuples) next() (piece, error) {
	for {
		if t.inside {
			if p, err, ok := t.tuple(); ok {
				return p, err
			}
			continue
		}
		t.skipEnds()
		for len(t.rest()) < len(insertInto) && t.more() {
			continue
		}
		if bytes.HasPrefix(t.rest(), []byte(insertInto)) {
			return t.insert()
		}
		return (&lines{t.window}).next()
	}
}

// insert returns what stands before the rows of a statement.
func (t *tuples) insert() (piece, error) {
	values := []byte("VALUES")
	for {
		if i := bytes.Index(t.rest(), values); i >= 0 {
			t.inside = true
			return t.end(t.begin(), i+len(values)), nil
		}
		if !t.more() {
			p := t.begin()
			if t.full() {
				return t.tooLong(p), errTooLong
			}
			return t.end(p, len(t.rest())), malformed("an INSERT without VALUES")
		}
	}
}

// tuple returns the next row of a statement. It reports false where the statement ends.
func (t *tuples) tuple() (_ piece, err error, ok bool) {
	t.take(len(t.rest()) - len(bytes.TrimLeft(t.rest(), ", \r\n")))
	if len(t.rest()) == 0 && t.more() {
		return piece{}, nil, false
	}
	if len(t.rest()) == 0 || t.rest()[0] != '(' {
		if t.inside = false; bytes.HasPrefix(t.rest(), []byte(";")) {
			return t.end(t.begin(), 1), nil, true
		}
		return piece{}, nil, false
	}
	p, quoted := t.begin(), false
	for i := 1; ; i++ {
		for i+1 >= len(t.rest()) && t.more() { // a byte after a backslash
			continue
		}
		if i >= len(t.rest()) {
			t.inside = false
			switch {
			case t.full():
				return t.tooLong(p), errTooLong, true
			case !errors.Is(t.err, io.EOF):
				return p, t.err, true
			}
			return t.end(p, len(t.rest())), malformed("the end of a row is missing"), true
		}
		switch c := t.rest()[i]; {
		case quoted && c == '\\':
			i++
		case c == '\'':
			quoted = !quoted // a doubled quote ends a text and begins it again
		case c == ')' && !quoted:
			return t.end(p, i+1), nil, true
		}
	}
}

func readMySQLDump() reader {
	d := &dump{sessions: map[string][]string{}, texts: map[string]string{}}
	created, named := map[string][]string{}, "" // the columns by table, and the table that is being created
	return func(line []byte) (getter, error) {
		text := string(line)
		switch {
		case strings.HasPrefix(text, insertInto):
			table, columns, _ := strings.Cut(strings.TrimSuffix(text[len(insertInto):], "VALUES"), "(")
			d.table = strings.Trim(table, "` ")
			if d.columns = created[d.table]; columns != "" {
				d.columns = strings.FieldsFunc(columns, func(r rune) bool { return strings.ContainsRune("`, )\r\n", r) })
			}
			return nil, errHeader
		case strings.HasPrefix(text, "("):
			if d.table != umamiEvents && d.table != umamiSessions {
				return nil, errHeader
			}
			values, err := sqlValues(text)
			if err != nil || len(values) != len(d.columns) {
				return nil, malformed("another number of values than the table " + d.table + " has columns")
			}
			row := map[string]string{}
			for i, name := range d.columns {
				row[name] = values[i]
			}
			return d.row(row)
		case strings.HasPrefix(text, "CREATE TABLE "):
			named = strings.Trim(text[len("CREATE TABLE "):], "` (")
		case strings.HasPrefix(text, "  `") && named != "":
			column, _, _ := strings.Cut(text[len("  `"):], "`")
			created[named] = append(created[named], column)
		case strings.HasPrefix(text, ")"):
			named = ""
		}
		return nil, errHeader
	}
}

// errValues: a row of a dump cannot be read.
var errValues = errors.New("values of SQL")

// sqlValues returns the values of a row in parentheses: texts without their escapes, and an empty text for NULL.
func sqlValues(tuple string) (all []string, err error) {
	rest := strings.TrimPrefix(tuple, "(")
	for {
		rest = strings.TrimPrefix(strings.TrimLeft(rest, " "), "_binary ")
		value := ""
		if strings.HasPrefix(rest, "'") {
			if value, rest, err = sqlText(rest[1:]); err != nil {
				return nil, err
			}
		} else {
			end := strings.IndexAny(rest, ",)")
			if end < 0 {
				return nil, errValues
			}
			if value, rest = strings.TrimSpace(rest[:end]), rest[end:]; value == "NULL" {
				value = ""
			}
		}
		if all = append(all, value); rest == "" || rest[0] != ',' {
			if rest != ")" {
				return nil, errValues
			}
			return all, nil
		}
		rest = rest[1:]
	}
}

// sqlText returns the text that begins behind a quote, and what follows it.
func sqlText(s string) (text, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if at := strings.IndexByte("0nrtbZ", s[i]); at >= 0 {
				b.WriteByte("\x00\n\r\t\b\x1a"[at])
			} else {
				b.WriteByte(s[i])
			}
		case c == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
			b.WriteByte(c)
		case c == '\'':
			return b.String(), s[i+1:], nil
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errValues
}
