package importer

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A stream reads one source, record by record.
type stream struct {
	*run

	source *Source
	index  int
	report *SourceReport
	place  *place // changes while batches are stored
	before place  // how far the source was stored when the import began
	format *format
	in     *input    // nil while the source is closed, and for records of the host
	first  time.Time // of its first record; zero means unknown

	window *window
	from   splitter
	parse  parser
	pull   func() (Record, error, bool) // of records of the host
	stop   func()

	// The current piece, which has records or rows.
	piece  piece
	found  found
	failed error
	digest string // hash of the content up to the end of the piece
	at     time.Time
}

// prepare opens the source for the first time, and recognises its format and what was imported of it. It returns
// false if there is nothing to read.
func (s *stream) prepare() bool {
	if s.source.Records != nil {
		s.report.Format = "records"
		s.format = &format{name: "records"}
		name := s.source.Name
		s.place, s.before = s.journal.enter(s.journal.table(name), nil)
		s.place.Name = name
		return true
	}
	in, err := s.source.open()
	if err != nil {
		s.report.Problem = problem(err)
		return false
	}
	s.in = in
	ready, err := s.recognise()
	if err == nil && (!ready || !in.whole && !s.source.Once) {
		err = s.close()
	} else if err == nil && in.whole && s.spare(len(in.head)) {
		err = in.hold()
	}
	if err != nil {
		_ = s.close() // only read
		s.report.Problem = problem(err)
		return false
	}
	return ready
}

// recognise finds the format and the place of the source. It returns false if there is nothing to read.
func (s *stream) recognise() (bool, error) {
	if len(s.in.head) == 0 {
		s.countPadding(1)
		return false, nil
	}
	f, err := s.pick(s.in.head)
	if err != nil {
		return false, err
	}
	s.format, s.report.Format = f, f.name
	s.first = f.firstTime(s.in.head, &s.cfg)
	p, known, err := s.find(s.journal.candidates(s.in.head))
	if err != nil {
		return false, err
	}
	s.place, s.before = s.journal.enter(p, blocksOf(s.in.head))
	s.report.Known = known
	return !known, nil
}

// find returns the place among candidates whose content the source begins with. known is true if it has nothing
// else. A source that can be opened again is read up to the places; for others, one place beyond the head is
// assumed, and checked while reading.
func (s *stream) find(candidates []*place) (found *place, known bool, err error) {
	sums := map[int64]string{}
	head := sumsAt(s.in.head, candidates)
	for _, p := range candidates {
		sum, read := head[p.Read]
		switch {
		case read:
		case s.source.Once:
			return p, false, nil
		default:
			if len(sums) == 0 {
				if sums, err = s.sums(candidates); err != nil {
					return nil, false, err
				}
			}
			sum = sums[p.Read]
		}
		if sum == p.Sum {
			_, more := sums[p.Read+1]
			ends := s.in.whole && p.Read == int64(len(s.in.head)) || len(sums) > 0 && !more
			return p, ends && p.Ended && p.Done == p.Read, nil
		}
	}
	return nil, false, nil
}

// sumsAt returns the hashes of the parts of text that end where places were read to.
func sumsAt(text []byte, places []*place) map[int64]string {
	sums := map[int64]string{}
	w := newWindow(nil, 0)
	w.buf, w.w = text, len(text)
	for _, p := range backward(places) {
		if p.Read > int64(len(text)) {
			break
		}
		w.take(int(p.Read - w.at))
		sums[p.Read] = hex.EncodeToString([]byte(w.digest()))
	}
	return sums
}

// sums reads the source, and returns the hashes of the parts that end where places were read to. A part that ends
// before the source also has an entry for the next position.
func (s *stream) sums(places []*place) (map[int64]string, error) {
	in, err := s.source.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.close() }() // only read
	sums := map[int64]string{}
	w := newWindow(in, firstWindow)
	for _, p := range backward(places) {
		for w.at < p.Read {
			n := min(int64(len(w.rest())), p.Read-w.at)
			if w.take(int(n)); n == 0 && !w.more() {
				return sums, nil // the source ends, or is damaged, which reading it reports
			}
		}
		sums[p.Read] = hex.EncodeToString([]byte(w.digest()))
		if len(w.rest()) > 0 || w.more() {
			sums[p.Read+1] = ""
		}
	}
	return sums, nil
}

func backward(places []*place) iter.Seq2[int, *place] {
	return func(yield func(int, *place) bool) {
		for i := len(places) - 1; i >= 0; i-- {
			if !yield(i, places[i]) {
				return
			}
		}
	}
}

// pick returns the format of the source with this head.
func (s *stream) pick(head []byte) (*format, error) {
	if err := refuse(head); err != nil {
		return nil, err
	}
	if s.own != nil {
		return s.own, nil
	}
	if s.cfg.Format != "" {
		f := formatNamed(s.cfg.Format)
		return f, f.lacks(s.cfg.Map)
	}
	if len(s.cfg.Map) > 0 { // only for files of other programs
		if hasObjects(head) {
			return formatNamed("json"), nil
		}
		return formatNamed("csv"), nil
	}
	f, err := detect(head)
	if err == nil {
		err = f.lacks(nil)
	}
	return f, err
}

// open opens a prepared source for reading its records. It returns false if there is nothing to read.
func (s *stream) open() bool {
	if s.source.Records != nil {
		s.pull, s.stop = iter.Pull2(s.source.Records)
		return true
	}
	if s.in == nil {
		in, err := s.source.open()
		if err != nil {
			s.report.Problem = problem(err)
			return false
		}
		s.in = in
	}
	size := firstWindow
	if s.in.held {
		size = len(s.in.head) + 1
	}
	s.window = newWindow(s.in, size)
	s.window.check = s.before.Read
	s.from, s.parse = s.format.split(s.window), s.format.open(&s.cfg)
	return true
}

// close closes the source. It may be called again.
func (s *stream) close() error {
	if s.stop != nil {
		s.stop()
	}
	if s.in == nil {
		return nil
	}
	in := s.in
	s.in = nil
	if s.window != nil {
		s.readBefore += in.raw.n
	}
	return in.close()
}

// next reads until a piece that has records or rows, and counts the other ones. It returns false at the end of the
// source. Its error is about the whole import.
func (s *stream) next(ctx context.Context) (bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s.found = found{records: s.found.records[:0]}
		if s.window != nil {
			s.window.since, s.window.ended = s.window.at, ctx.Err
		}
		p, err := s.read()
		if ended := ctx.Err(); ended != nil {
			return false, ended
		}
		if s.changed() {
			return false, nil
		}
		if errors.Is(err, io.EOF) {
			s.noteEnd()
			return false, nil
		}
		if _, one := errors.AsType[*skipError](err); err != nil && !one && !errors.Is(err, errHeader) {
			s.report.Problem = problem(err) // the mark of the last rows stays
			if errors.Is(err, errEndless) || errors.Is(err, errPadding) {
				s.report.Problem = fmt.Sprintf("from line %d on %s", s.window.line, s.report.Problem)
			}
			return false, nil
		}
		if errors.Is(err, errHeader) {
			continue
		}
		s.piece, s.failed = p, err
		if s.found.any() {
			s.at = s.found.time()
			s.digest = ""
			if s.window != nil {
				s.digest = s.window.digest()
			}
			return true, nil
		}
		s.count(p, 0, err)
	}
}

// read reads and parses the next piece. The error is io.EOF after the last one, a *skipError about the piece, or
// about the source.
func (s *stream) read() (piece, error) {
	if s.pull != nil {
		return s.pulled()
	}
	p, err := s.from.next()
	s.countPadding(p.number)
	if errors.Is(err, errTooLong) {
		err = skip(TooLong)
	}
	if err != nil {
		return p, err
	}
	err = s.parse(p.text, &s.found)
	if _, one := errors.AsType[*skipError](err); err != nil && !one && !errors.Is(err, errHeader) {
		err = malformed(err.Error())
	}
	return p, err
}

// pulled returns the next record of the host. Its position is its number.
func (s *stream) pulled() (piece, error) {
	r, err, more := s.pull()
	switch {
	case !more:
		return piece{}, io.EOF
	case err != nil:
		return piece{}, err
	}
	s.found.records = append(s.found.records, r)
	n := s.piece.end + 1
	return piece{start: n - 1, end: n, number: n, text: []byte(r.URL)}, nil
}

// countPadding counts padding that was read as one record.
func (s *stream) countPadding(line int64) {
	if n := s.in.plain.takePadded(); n > 0 {
		why := fmt.Sprintf("%d NUL bytes, as of a file that was cut while it was written", n)
		s.count(piece{number: line, start: s.before.Since}, 0, malformed(why))
	}
}

// changed reports whether the source, which can be read only once, turns out to be another one than its head says.
func (s *stream) changed() bool {
	if s.window == nil || s.window.checked == "" || s.before.Read == 0 {
		return false
	}
	same := hex.EncodeToString([]byte(s.window.checked)) == s.before.Sum
	s.window.checked = ""
	if !same {
		s.report.Problem = "it begins like a source that was imported, but goes on in another way; " +
			"import it from a file, or with --again"
	}
	return !same
}

// noteEnd notes that the source was read to its end.
func (s *stream) noteEnd() {
	m := mark{end: s.piece.end, ended: true}
	if s.window != nil {
		m.end, m.sum = s.window.at, s.window.digest()
	}
	if m.end >= s.before.Done { // otherwise the source has become shorter
		s.sink.end(s.place, m)
	}
}

// any reports whether the piece has anything to store.
func (f *found) any() bool { return f.rows.Len() > 0 || len(f.records) > 0 || f.profile != nil }

// time returns the time of the first record.
func (f *found) time() time.Time {
	switch {
	case len(f.records) > 0:
		return f.records[0].Time
	case f.profile != nil:
		return f.profile.ChangedAt
	}
	return firstOf(&f.rows)
}

// take stores what the current piece has, and counts it.
func (s *stream) take(ctx context.Context) error {
	if s.found.profile != nil {
		return s.takeProfile()
	}
	p := s.piece
	rows, failed, err := s.rows(ctx)
	if err != nil {
		return err
	}
	s.count(p, rows.Len(), failed)
	if rows.Len() > 0 && p.start >= s.before.Done {
		if err := s.sink.add(&rows, s.place, mark{end: p.end, sum: s.digest}, p.start < s.before.Read,
			s.maybeKnown()); err != nil {
			return err
		}
	}
	s.tell(s, p.start < s.before.Done)
	return nil
}

// maybeKnown reports whether rows of the current piece may be stored since another import, or tracking: because they
// have ids of their own, or because the source was imported before.
func (s *stream) maybeKnown() bool {
	return s.cfg.Again || s.journal.Undone || s.found.rows.Len() > 0 ||
		slices.ContainsFunc(s.found.records, func(r Record) bool { return r.ID != "" })
}

// count counts a piece, unless an earlier import has counted it.
func (s *stream) count(p piece, rows int, failed error) {
	if p.start < s.before.Since {
		return
	}
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

// rows returns the rows of the current piece, and the reason why it, or a record in it, has no row.
func (s *stream) rows(ctx context.Context) (rows store.Batch, failed, err error) {
	failed = s.failed
	for i := range s.found.records {
		r := &s.found.records[i]
		e, wrong := s.maker.event(s.format.name, r)
		if wrong == nil {
			e.ID = s.maker.ids.event(s.format.name, r, s.first, s.piece.start, s.identity(), i)
			rows.Events = append(rows.Events, e)
		} else if failed == nil {
			failed = wrong
		}
	}
	if s.found.rows.Len() > 0 {
		rows, failed, err = s.ownRows(ctx, &s.found.rows)
	}
	return rows, failed, err
}

// identity identifies the current piece: by the content up to its end, or by the name of a table and its number.
func (s *stream) identity() string {
	if s.window != nil {
		return s.digest
	}
	return tableDigest(s.source.Name, s.piece.number)
}
