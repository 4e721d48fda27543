package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// This file reads dumps of the PostgreSQL database of Umami, as pg_dump writes them: the rows of each table stand
// behind a line COPY with its columns, one a line, with tabs between the fields, and end with a line \. alone. Tables
// stand in the order of their names, so session comes before website_event, which needs it.

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
	table    string              // whose rows are being read; empty between tables
	columns  []string            // of the table
	begun    bool                // dumpBegins was read
	events   bool                // the dump has umamiEvents
	sessions map[string][]string // what sessionColumns have, by the id of the session
	texts    map[string]string   // of these columns, each once
}

// maxDumpSessions bounds the sessions of a dump, which are all in memory: each takes about 300 bytes.
const maxDumpSessions = 1 << 20

// errSessions refuses an event whose session is not in memory.
var errSessions = malformed(fmt.Sprintf("the dump has more than %d sessions, and its session is behind them; import "+
	"the events as CSV, with the columns of their sessions", maxDumpSessions))

func readUmamiDump() reader {
	d := &dump{sessions: map[string][]string{}, texts: map[string]string{}}
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
		return d.row(row)
	}
}

// row reads a row of one of the tables: a session is remembered, and an event has the columns of its session.
func (d *dump) row(row map[string]string) (getter, error) {
	if d.table == umamiSessions {
		return nil, d.remember(row)
	}
	session, ok := d.sessions[row["session_id"]]
	if !ok && len(d.sessions) >= maxDumpSessions {
		return nil, errSessions
	}
	return func(column string) string {
		if value := row[column]; value != "" || !ok {
			return value
		}
		if i := slices.Index(sessionColumns, column); i >= 0 {
			return session[i]
		}
		return ""
	}, nil
}

// remember notes a session for the events behind it.
func (d *dump) remember(row map[string]string) error {
	if len(d.sessions) >= maxDumpSessions {
		return errHeader // its events are refused
	}
	values := make([]string, len(sessionColumns))
	for i, name := range sessionColumns {
		known, ok := d.texts[row[name]]
		if !ok {
			known = strings.Clone(row[name]) // a line is not held for the sake of one of its columns
			d.texts[known] = known
		}
		values[i] = known
	}
	d.sessions[strings.Clone(row["session_id"])] = values
	return errHeader
}

// sessionColumns are the columns of sessions that events use.
var sessionColumns = []string{"hostname", "browser", "os", "device", "screen", "language", "country",
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
