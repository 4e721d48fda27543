package importer

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// This file reads dumps of the database of Umami, as pg_dump writes them: the rows of each table stand behind a line
// COPY with its columns, one a line, with tabs between the fields, and end with a line \. alone. Tables stand in the
// order of their names, so session comes before website_event, which needs it.

// dumpBegins is the first line of a dump with words.
const dumpBegins = "-- PostgreSQL database dump"

// The tables of a dump that are read.
const (
	umamiEvents   = "website_event"
	umamiSessions = "session"
)

// umamiDump is the format of dumps of Umami 2 and later. A dump has all websites: the host of each event says whether
// it belongs to the website of the import.
func umamiDump() format {
	f := umami()
	f.name, f.title = "umami-dump", "dump of the PostgreSQL database of Umami by pg_dump"
	f.split, f.read = byLine, readUmamiDump
	f.is = func(line []byte) bool { return bytes.Equal(line, []byte(dumpBegins)) }
	return f
}

// A dump is the state of reading one.
type dump struct {
	table    string   // whose rows are being read; empty between tables
	columns  []string // of the table
	begun    bool     // dumpBegins was read
	events   bool     // the dump has umamiEvents
	sessions *lru.Cache[string, map[string]string]
}

func readUmamiDump() reader {
	sessions, err := lru.New[string, map[string]string](maxVisitors)
	if err != nil {
		panic(err) // the size is a constant
	}
	d := &dump{sessions: sessions}
	return func(line []byte) (getter, error) {
		text := string(line)
		if d.table == "" {
			return nil, d.statement(text)
		}
		if text == `\.` {
			d.table = ""
			return nil, errHeader
		}
		if d.table != umamiEvents && d.table != umamiSessions {
			return nil, errHeader
		}
		fields := strings.Split(text, "\t")
		if len(fields) != len(d.columns) {
			return nil, malformed("another number of fields than the table " + d.table + " has columns")
		}
		row := map[string]string{}
		for i, name := range d.columns {
			if fields[i] != `\N` {
				row[name] = copied(fields[i])
			}
		}
		if d.table == umamiSessions {
			maps.DeleteFunc(row, func(name, _ string) bool { return !slices.Contains(sessionColumns, name) })
			d.sessions.Add(row["session_id"], row)
			return nil, errHeader
		}
		session, _ := d.sessions.Get(row["session_id"])
		return func(column string) string {
			if value := row[column]; value != "" {
				return value
			}
			return session[column]
		}, nil
	}
}

// sessionColumns are the columns of sessions that events use.
var sessionColumns = []string{"session_id", "hostname", "browser", "os", "device", "screen", "language", "country",
	"region", "subdivision1", "city"}

// statement reads a line between the rows of tables.
func (d *dump) statement(line string) error {
	d.begun = d.begun || line == dumpBegins
	if !d.begun && line != "--" {
		return malformed("not a dump by pg_dump")
	}
	if rest, ok := strings.CutPrefix(line, "COPY "); ok {
		name, columns, ok := strings.Cut(strings.TrimSuffix(rest, ") FROM stdin;"), " (")
		if !ok {
			return malformed("a COPY without columns")
		}
		d.table = strings.ReplaceAll(name[strings.LastIndexByte(name, '.')+1:], `"`, "")
		d.columns = strings.Split(strings.ReplaceAll(columns, `"`, ""), ", ")
		d.events = d.events || d.table == umamiEvents
	}
	switch {
	case strings.HasPrefix(line, "INSERT INTO "):
		return malformed("rows as INSERT are not read; call pg_dump without --inserts")
	case line == dumpBegins+" complete" && !d.events:
		return malformed("the dump has no rows of a table " + umamiEvents + ", as Umami 2 has it")
	}
	return errHeader
}

// copied decodes the escapes of a field in the text format of COPY.
func copied(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\b`, "\b", `\f`, "\f",
		`\v`, "\v").Replace(s)
}
