package importer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A stream reads one source.
type stream struct {
	*run

	source *Source
	index  int
	report SourceReport
	place  *place // changes while batches are stored
	before place  // how far the source was stored when the import began
	format string
	in     *input // nil for records of the host
	seen   int64  // records since the last progress

	began time.Time // the time of the first record that has one
}

// read imports the source. Its error is about the whole import.
func (s *stream) read(ctx context.Context) error {
	if s.source.Records != nil {
		return s.records(ctx)
	}
	in, err := s.source.open()
	if err != nil {
		s.report.Problem = problem(err)
		return nil
	}
	s.in = in
	defer func() { _ = in.close() }() // only read
	if len(in.head) == 0 {
		return nil
	}
	f, err := s.pick(in.head)
	if err != nil {
		s.report.Problem = err.Error()
		return nil
	}
	s.format, s.report.Format = f.name, f.name
	s.place, s.before = s.journal.enter(in.head, "")
	if s.before.Since > 0 && s.before.Ended && !s.source.Once {
		if same, err := s.unchanged(); err != nil {
			s.report.Problem = problem(err)
			return nil
		} else if same {
			s.report.Known = true
			return nil
		}
	}
	parse := f.open(s.cfg.Map)
	return s.pieces(ctx, f.split(in.Reader), parse)
}

// pick returns the format of the source with this head.
func (s *stream) pick(head []byte) (*format, error) {
	if err := refuse(head); err != nil {
		return nil, err
	}
	if s.cfg.Format != "" {
		return formatNamed(s.cfg.Format), nil
	}
	if len(s.cfg.Map) > 0 { // only for files of other programs
		if bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) {
			return formatNamed("json"), nil
		}
		return formatNamed("csv"), nil
	}
	return detect(head)
}

// unchanged reports whether the source still ends where it was imported to.
func (s *stream) unchanged() (bool, error) {
	in, err := s.source.open()
	if err != nil {
		return false, err
	}
	defer func() { _ = in.close() }()
	_, err = io.CopyN(io.Discard, in, s.before.Done)
	if err == nil {
		_, err = in.ReadByte()
	}
	if errors.Is(err, io.EOF) { // also if the file has become shorter
		return true, nil
	}
	return false, err
}

// pieces imports the pieces of a file.
func (s *stream) pieces(ctx context.Context, from splitter, parse parser) error {
	var end int64
	for {
		p, err := from.next()
		switch {
		case errors.Is(err, io.EOF):
			s.sink.mark(mark{s.place, end, true})
			return nil
		case err != nil && !errors.Is(err, errTooLong):
			s.report.Problem = problem(err)
			s.sink.mark(mark{s.place, end, false})
			return nil
		}
		end = p.end
		var out found
		if err == nil {
			err = parse(p.text, &out)
		} else {
			err = skip(TooLong)
		}
		if errors.Is(err, errHeader) {
			continue
		}
		if err := s.take(ctx, p, &out, err); err != nil {
			return err
		}
	}
}

// take stores what a piece has, and counts it. failed is the error of parsing it.
func (s *stream) take(ctx context.Context, p piece, out *found, failed error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	again := p.start < s.before.Since
	rows, failed, err := s.rowsOf(ctx, p, out, failed)
	if err != nil {
		return err
	}
	if !again {
		s.count(p, rows.Len(), failed)
	}
	if rows.Len() > 0 && p.start >= s.before.Done {
		if err := s.sink.add(&rows, mark{s.place, p.end, false}, p.start < s.before.Doubt); err != nil {
			return err
		}
	}
	s.tell(p.start < s.before.Done)
	return nil
}

func (s *stream) count(p piece, rows int, failed error) {
	t := &s.tally.report
	t.Records++
	s.report.Records++
	if rows > 0 {
		t.Taken++
		s.report.Taken++
		t.Rows += int64(rows)
	}
	if failed == nil {
		return
	}
	at := Example{Source: s.source.Name, Number: p.number, Text: trimmed(p.text), Detail: failed.Error()}
	reason := Malformed
	if known, ok := errors.AsType[*skipError](failed); ok {
		reason, at.Detail = known.reason, known.detail
	}
	s.tally.skip(reason, at)
}

// rowsOf returns the rows of a piece. failed is the reason why the piece, or a record in it, has no row.
func (s *stream) rowsOf(ctx context.Context, p piece, out *found, parsed error) (rows store.Batch, failed, err error) {
	failed = parsed
	for i := range out.records {
		r := &out.records[i]
		if s.began.IsZero() {
			s.began = r.Time
		}
		e, wrong := s.maker.event(s.format, r)
		if wrong == nil {
			e.ID = s.idOf(r, p, i)
			rows.Events = append(rows.Events, e)
		} else if failed == nil {
			failed = wrong
		}
	}
	if out.rows.Len() > 0 {
		rows, failed, err = s.ownRows(ctx, out)
	}
	return rows, failed, err
}

// idOf returns the id of the i-th event of a piece. It is the same whenever the source is imported. Ids rise with the position in the
// source, and from one source to one that begins later, since ids decide the order of rows of one time: an access log has whole seconds.
// An id reveals no address.
func (s *stream) idOf(r *Record, p piece, i int) string {
	if r.ID != "" {
		return foreign(s.format, "event", r.ID)
	}
	text := binary.BigEndian.AppendUint64([]byte(s.place.Sum), uint64(p.start))
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(text, uint64(i)))
	return fmt.Sprintf("%012x%012x%04x%x", max(0, s.began.UnixMilli()), p.start, i, sum[:idBytes])
}

// records imports the records of a host's table. The position of a record is its number.
func (s *stream) records(ctx context.Context) error {
	s.format, s.report.Format = "records", "records"
	s.place, s.before = s.journal.enter(nil, s.source.Name)
	var n int64
	for r, err := range s.source.Records {
		if err != nil {
			s.report.Problem = err.Error()
			s.sink.mark(mark{s.place, n, false})
			return nil
		}
		n++
		p := piece{start: n - 1, end: n, number: n, text: []byte(r.URL)}
		if err := s.take(ctx, p, &found{records: []Record{r}}, nil); err != nil {
			return err
		}
	}
	s.sink.mark(mark{s.place, n, true})
	return nil
}

// tell reports the progress after every Config.Rows records.
func (s *stream) tell(again bool) {
	if s.seen++; s.cfg.Report == nil || s.seen < int64(s.cfg.Rows) {
		return
	}
	s.seen = 0
	t := &s.tally.report
	p := Progress{Source: s.source.Name, Index: s.index, Sources: s.total, Size: s.source.Size, Records: t.Records, Taken: t.Taken, Again: again}
	if s.in != nil {
		p.Read = s.in.raw.n
	}
	s.cfg.Report(p)
}
