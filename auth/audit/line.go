package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

const (
	// maxLine is longer than any line that a File writes: 13 texts of maxText bytes, of
	// which JSON makes six each at worst.
	maxLine = 128 << 10
	// stamp is the form of an entry's time.
	stamp = "2006-01-02T15:04:05.000Z"
)

// line is a Record in JSON.
type line struct {
	Writer        string `json:"writer"`
	Seq           int64  `json:"seq"`
	Time          string `json:"time"`
	RequestID     string `json:"requestId"`
	KeyID         string `json:"keyId"`
	Start         string `json:"start"`
	Owner         string `json:"owner"`
	Method        string `json:"method"`
	Route         string `json:"route"`
	ResourceKind  string `json:"resourceKind"`
	ResourceID    string `json:"resourceId"`
	ResourceOwner string `json:"resourceOwner"`
	Scope         string `json:"scope"`
	Outcome       string `json:"outcome"`
	Status        int    `json:"status"`
	IP            string `json:"ip"`
	UserAgent     string `json:"userAgent"`
	MAC           MAC    `json:"mac"`
}

// cutLine is the line of a cut. Such lines stand before all others.
type cutLine struct {
	Cut Mark `json:"cut"`
}

var cutStart = []byte(`{"cut":`)

func lineOf(r Record) line {
	e := r.Entry
	return line{
		Writer: r.Writer, Seq: r.Seq, Time: e.Time.UTC().Format(stamp), RequestID: e.RequestID, KeyID: e.KeyID, Start: e.Start,
		Owner: e.Owner, Method: e.Method, Route: e.Route, ResourceKind: e.Resource.Kind, ResourceID: e.Resource.ID,
		ResourceOwner: e.Resource.Owner, Scope: string(e.Scope), Outcome: e.Outcome, Status: e.Status, IP: e.IP,
		UserAgent: e.UserAgent, MAC: r.MAC,
	}
}

func (l line) record() (Record, error) {
	at, err := time.Parse(stamp, l.Time)
	return Record{Writer: l.Writer, Seq: l.Seq, MAC: l.MAC, Entry: auth.Entry{
		Time: at, RequestID: l.RequestID, KeyID: l.KeyID, Start: l.Start, Owner: l.Owner, Method: l.Method, Route: l.Route,
		Resource: auth.Resource{Kind: l.ResourceKind, ID: l.ResourceID, Owner: l.ResourceOwner}, Scope: auth.Scope(l.Scope),
		Outcome: l.Outcome, Status: l.Status, IP: l.IP, UserAgent: l.UserAgent,
	}}, err
}

// appendLine appends v in JSON, with the end of the line.
func appendLine(to []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(to)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// parse reads text, a whole line, into v. Nothing but what appendLine makes of v is
// taken: JSON has many spellings of one value, and a changed byte must show.
func parse(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return err
	}
	again, err := appendLine(nil, v)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, text) {
		return errors.New("not spelled as it was written")
	}
	return nil
}

// item is what a line holds: a cut, or a record.
type item struct {
	cut    *Mark
	record Record
}

// readLines yields what the lines of r hold, with the error of [Log.Scan]. What stands
// after the last end of a line was not written whole, and is left out.
func readLines(ctx context.Context, r io.Reader) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		in := bufio.NewReaderSize(r, maxLine)
		for n := 1; ; n++ {
			text, err := in.ReadSlice('\n')
			tooLong := errors.Is(err, bufio.ErrBufferFull)
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(item{}, err)
				return
			}
			var it item
			if tooLong {
				err = errors.New("longer than any that was written")
			} else {
				it, err = parseItem(text)
			}
			if err != nil {
				err = &UnreadableError{Where: fmt.Sprintf("line %d", n), Err: err}
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

func parseItem(text []byte) (it item, err error) {
	if bytes.HasPrefix(text, cutStart) {
		var c cutLine
		err = parse(text, &c)
		return item{cut: &c.Cut}, err
	}
	var l line
	if err := parse(text, &l); err != nil {
		return item{}, err
	}
	it.record, err = l.record()
	return it, err
}
