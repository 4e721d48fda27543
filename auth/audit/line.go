package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
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

// line is a Record in JSON, to be read.
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

// AppendLine appends r as a line of JSON, with its end: for logs that keep text.
func AppendLine(to []byte, r Record) []byte {
	e := &r.Entry
	to = appendText(append(to, `{"writer":`...), r.Writer)
	to = strconv.AppendInt(append(to, `,"seq":`...), r.Seq, 10)
	to = e.Time.UTC().AppendFormat(append(to, `,"time":"`...), stamp)
	to = append(to, '"')
	for i, t := range texts(e) {
		if i == statusAt {
			to = strconv.AppendInt(append(to, `,"status":`...), int64(e.Status), 10)
		}
		to = appendText(append(to, textNames[i]...), *t)
	}
	to = base64.RawURLEncoding.AppendEncode(append(to, `,"mac":"`...), r.MAC[:])
	return append(to, "\"}\n"...)
}

// textNames are the names of the texts of an entry.
var textNames = [...]string{
	`,"requestId":`, `,"keyId":`, `,"start":`, `,"owner":`, `,"method":`, `,"route":`, `,"resourceKind":`,
	`,"resourceId":`, `,"resourceOwner":`, `,"scope":`, `,"outcome":`, `,"ip":`, `,"userAgent":`,
}

// appendText appends t in JSON as encoding/json spells it. Most texts need no escapes.
func appendText(to []byte, t string) []byte {
	for i := range len(t) {
		if c := t[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			line, err := appendLine(to, t)
			if err != nil { // texts always encode
				return append(to, `""`...)
			}
			return line[:len(line)-1]
		}
	}
	return append(append(append(to, '"'), t...), '"')
}

// ParseLine reads what [AppendLine] wrote, and nothing else: JSON has many spellings of
// one value, and a changed byte must show.
func ParseLine(text []byte) (Record, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Record{}, err
	}
	r, err := l.record()
	if err == nil && !bytes.Equal(AppendLine(nil, r), text) {
		err = errSpelling
	}
	if err != nil {
		return Record{}, err
	}
	return r, nil
}

var errSpelling = errors.New("not spelled as it was written")

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

// parse reads text, a whole line, into v: what appendLine makes of v and nothing else.
func parse(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return err
	}
	again, err := appendLine(nil, v)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, text) {
		return errSpelling
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
	it.record, err = ParseLine(text)
	return it, err
}
