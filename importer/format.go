package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// found has what a piece contains: records, or rows in our own form.
type found struct {
	records []Record
	rows    store.Batch
	// profile is nil unless the piece is a profile in our own form.
	profile *store.Profile
}

// errHeader: the piece is a header or a comment and no record.
var errHeader = errors.New("a header")

// A parser adds what the text of a piece contains to out. Its error is errHeader or the reason why it contains nothing;
// a *skipError names the reason, and other errors mean Malformed.
type parser func(text []byte, out *found) error

// A getter returns a column of the current record; empty if the record does not have it.
type getter func(column string) string

// A reader returns the columns of the text of a piece. It fails as a parser does.
type reader func(text []byte) (getter, error)

// A format is a form of sources. Its records have columns, or it has its own parser.
type format struct {
	name  string
	title string
	is    func(line []byte) bool // reports whether the first line of a source is of the format; nil if it must be named
	split func(*window) splitter

	read func() reader // returns a reader for one source
	// columns has the columns of each field. Nil means that a field is read from the column with its name.
	columns columns
	// local says that times without a zone are in Config.TimeZone. In other formats they are in UTC.
	local bool
	// requests says that the records are requests of an access log, which have an address and a status.
	requests bool
	needs    func(given map[string]string) error // returns what Config.Map lacks; may be nil
	check    func(get getter) error              // refuses a record that is not an event; may be nil
	finish   func(r *Record, get getter) error   // sets what is not the text of one column; may be nil

	parse parser // used in place of read, columns, check and finish
}

func byLine(from *window) splitter    { return &lines{from} }
func byRow(from *window) splitter     { return &rows{window: from} }
func byTuple(from *window) splitter   { return &tuples{window: from} }
func byObject(from *window) splitter  { return &values{window: from} }
func byElement(from *window) splitter { return &values{window: from, count: true} }

// formats lists all formats. The first one whose is reports true is used.
func formats() []format {
	return []format{
		{name: "sightline", title: "rows of Sightline as lines of JSON", is: isRow, split: byObject, parse: parseRow},
		{name: "combined", title: "Combined Log Format of nginx and Apache", is: isCombined, split: byLine,
			parse: parseCombined},
		caddy(), traefik(), w3c(), cloudFront(), cloudflare(), alb(), s3(), haproxy(), umami(), umami1(),
		umamiDump(), umamiMySQL(), goatCounter(), posthog(), posthogCSV(),
		{name: "matomo", title: "visits of Matomo's API Live.getLastVisitsDetails, in JSON", is: isMatomo,
			split: byElement, parse: parseMatomo},
		{name: "json", title: "JSON of any program, one object a line; its columns are in Config.Map", split: byObject,
			read: readObjects, local: true},
		{name: "csv", title: "CSV of any program, with a header; its columns are in Config.Map", split: byRow,
			read: readCSV, local: true},
	}
}

// open returns a parser for one source.
func (f *format) open(cfg *Config) parser {
	if f.parse != nil {
		return f.parse
	}
	read, bound := f.read(), f.bind(cfg)
	return func(text []byte, out *found) error {
		get, err := read(text)
		if err != nil {
			return err
		}
		if f.check != nil {
			if err := f.check(get); err != nil {
				return err
			}
		}
		r, err := bound.record(get)
		if err != nil {
			return err
		}
		if f.finish != nil {
			if err := f.finish(&r, get); err != nil {
				return err
			}
		}
		out.records = append(out.records, r)
		return nil
	}
}

// A Format is a form of files that can be imported.
type Format struct {
	Name  string // for Config.Format
	Title string
}

// Formats lists the formats of files.
func Formats() []Format {
	var all []Format
	for _, f := range formats() {
		all = append(all, Format{f.name, f.title})
	}
	return all
}

// formatNamed returns the format with a name, or nil.
func formatNamed(name string) *format {
	for _, f := range formats() {
		if f.name == name {
			return &f
		}
	}
	return nil
}

// lacks returns what Config.Map lacks for f.
func (f *format) lacks(given map[string]string) error {
	if f.needs == nil {
		return nil
	}
	return f.needs(given)
}

var errUnknownFormat = errors.New("its first lines have no known format; name the format, if it is one of them")

// detect returns the format of a source with this head: the first of its lines that has a format decides.
func detect(head []byte) (*format, error) {
	all := formats()
	for line := range firstLines(head) {
		for _, f := range all {
			if f.is != nil && f.is(line) {
				return &f, nil
			}
		}
	}
	return nil, errUnknownFormat
}

// hasObjects reports whether a source with this head has objects of JSON, perhaps after damaged lines.
func hasObjects(head []byte) bool {
	if bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")) {
		return true
	}
	for line := range firstLines(head) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t["), []byte("{")) {
			return true
		}
	}
	return false
}

// firstLines returns the first lines of head that are not empty.
func firstLines(head []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		const tried = 20
		n := 0
		for line := range bytes.Lines(head) {
			if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
				continue
			}
			if n++; !yield(line) || n == tried {
				return
			}
		}
	}
}

// refuse returns an error for sources that cannot be imported at all.
func refuse(head []byte) error {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.HasPrefix(first, []byte(`{"result":"error"`)):
		return errors.New("it is an error of Matomo: " + trimmed(first))
	case hasColumns(bytes.TrimSpace(first), "event_id", "data_key", "string_value"),
		hasColumns(bytes.TrimSpace(first), "session_id", "data_key", "string_value"):
		return errors.New("it is a table of properties of Umami; import website_event.csv, which has the events")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		if bytes.Contains(head, []byte("imported_")) {
			return errPlausible
		}
		return errors.New("it is a ZIP file; unpack it, and import the files in it")
	case isPlausible(bytes.TrimSpace(first)):
		return errPlausible
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return errors.New("it is in UTF-16; convert it to UTF-8, such as with iconv -f UTF-16 -t UTF-8")
	}
	return nil
}

// isPlausible reports whether a line is the header of a table of totals: all of them begin with the day.
func isPlausible(line []byte) bool {
	fields, err := csvLine(line, separatorOf(line))
	return err == nil && fields[0] == "date" && slices.Contains(fields, "visitors") &&
		(slices.Contains(fields, "pageviews") || slices.Contains(fields, "visits") || slices.Contains(fields, "events"))
}

var errPlausible = errors.New("it is an export of Plausible, which has only totals of days and no single events, so it cannot be imported")

// isRow reports whether a line is of an export: a row, or a mark between rows.
func isRow(line []byte) bool { return rowjson.Is(line) || rowjson.IsMark(line) }

// parseRow reads a line in our own form.
func parseRow(text []byte, out *found) error {
	if rowjson.IsMark(text) {
		return errHeader
	}
	err := rowjson.Decode(text, &out.rows)
	if err != nil && json.Valid(text) && rowjson.IsProfile(text) {
		var p store.Profile
		if p, err = rowjson.DecodeProfile(text); err == nil {
			out.profile = &p
		}
	}
	if err != nil {
		if told, ok := errors.AsType[interface {
			error
			Plain() string
		}](err); ok {
			return malformed(told.Plain())
		}
		return malformed(err.Error())
	}
	return nil
}

// ownRows returns rows in our own form as rows of the website of the import.
func (s *stream) ownRows(ctx context.Context, rows *store.Batch) (taken store.Batch, failed, err error) {
	for _, t := range schema.Tables() {
		r := schema.Row{Batch: rows}
		if t.Len(rows) == 0 {
			continue
		}
		if t.ID.Of() == store.KindWebsite {
			if s.maker.erased.hasRow(&t, r) {
				return store.Batch{}, skip(Erased), nil
			}
			t.SetSubject(r, s.cfg.Website.ID)
			continue
		}
		known, err := s.exists(ctx, store.Subject{Kind: t.ID.Of(), ID: t.Subject(r)})
		if err != nil {
			return store.Batch{}, nil, err
		}
		if !known {
			return store.Batch{}, &skipError{OtherTable, string(t.ID.Of()) + " " + t.Subject(r)}, nil
		}
	}
	if err := schema.Items(rows, func(schema.Item) {}); err != nil {
		return store.Batch{}, &skipError{NotStored, err.Error()}, nil
	}
	return *rows, nil, nil
}

// firstTime returns the time of the first record in the head of a source; the zero time if there is none.
func (f *format) firstTime(head []byte, cfg *Config) time.Time {
	from, parse := f.split(newWindow(bytes.NewReader(head), len(head)+1)), f.open(cfg)
	for {
		p, err := from.next()
		if _, one := errors.AsType[*skipError](err); err != nil && !one {
			return time.Time{}
		}
		var out found
		if err == nil && parse(p.text, &out) == nil {
			return out.time()
		}
	}
}

// firstOf returns the time of the first row of a batch; the zero time if there is none.
func firstOf(b *store.Batch) (first time.Time) {
	_ = schema.Items(b, func(it schema.Item) { // a row that cannot be stored is refused later
		if first.IsZero() {
			first = time.UnixMilli(it.Millis)
		}
	})
	return first
}
