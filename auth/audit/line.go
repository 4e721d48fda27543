package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/jsontext"
)

const (
	// maxText is the maximum size of an entry's text in bytes; longer texts are cut. Ids and owners are
	// always shorter, but texts that callers choose may be longer.
	maxText = 1024
	// maxUserAgent is the maximum size of a user agent in bytes. Browsers send shorter ones.
	maxUserAgent = 256
	// maxLine is more than the longest line: 15 texts, which JSON escapes may make six times as long.
	maxLine = 128 << 10
	// statusAt is the index of the status among the texts of an entry.
	statusAt = 11
	// laterAt is the index of the first text that was added later. These texts are signed and written only if
	// one of them or Count is set, so that the MACs of older trails stay valid.
	laterAt = 13
)

// texts returns pointers to the text fields of e in the order of signing. The status belongs before index
// statusAt. Texts from laterAt on are signed separately.
func texts(e *auth.Entry) [15]*string {
	return [...]*string{
		&e.RequestID, &e.KeyID, &e.Start, &e.Owner, &e.Method, &e.Route, &e.Resource.Kind, &e.Resource.ID,
		&e.Resource.Owner, (*string)(&e.Scope), &e.Outcome, &e.IP, &e.UserAgent,
		&e.Token, &e.Subject,
	}
}

// shorten cuts long texts. It copies the rest, so that the long text can be freed.
func shorten(e *auth.Entry) {
	for _, t := range texts(e) {
		most := maxText
		if t == &e.UserAgent {
			most = maxUserAgent
		}
		if len(*t) > most {
			*t = strings.Clone(strings.ToValidUTF8((*t)[:most], ""))
		}
	}
}

// clean changes e to a form that every log can store unchanged: times in whole milliseconds and UTC, texts
// in valid UTF-8 without NUL.
func clean(e *auth.Entry) {
	e.Network = ""
	e.Time = time.UnixMilli(e.Time.UnixMilli()).UTC()
	if year := e.Time.Year(); year < 0 || year > 9999 {
		e.Time = time.UnixMilli(0).UTC() // other years have no text that can be parsed
	}
	for _, t := range texts(e) {
		if utf8.ValidString(*t) && strings.IndexByte(*t, 0) < 0 {
			continue
		}
		*t = strings.ToValidUTF8(strings.ReplaceAll(*t, "\x00", "\uFFFD"), "\uFFFD")
		shorten(e) // a replacement may be longer than the invalid bytes
	}
}

// line is the JSON form of a Record.
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
	Token         string `json:"token,omitempty"`
	Subject       string `json:"subject,omitempty"`
	Count         int    `json:"count,omitempty"`
	MAC           MAC    `json:"mac"`
}

// AppendLine appends r as a line of JSON, including the line end, for logs that store text. The result
// equals the output of encoding/json, but AppendLine is faster.
func AppendLine(to []byte, r Record) []byte {
	e := &r.Entry
	to = appendText(append(to, `{"writer":`...), r.Writer)
	to = strconv.AppendInt(append(to, `,"seq":`...), r.Seq, 10)
	to = e.Time.UTC().AppendFormat(append(to, `,"time":"`...), jsontext.Instant)
	to = append(to, '"')
	all := texts(e)
	for i, t := range all[:laterAt] {
		if i == statusAt {
			to = strconv.AppendInt(append(to, `,"status":`...), int64(e.Status), 10)
		}
		to = appendText(append(to, textNames[i]...), *t)
	}
	for i, t := range all[laterAt:] {
		if *t != "" {
			to = appendText(append(to, textNames[laterAt+i]...), *t)
		}
	}
	if e.Count != 0 {
		to = strconv.AppendInt(append(to, `,"count":`...), int64(e.Count), 10)
	}
	to = base64.RawURLEncoding.AppendEncode(append(to, `,"mac":"`...), r.MAC[:])
	return append(to, '"', '}', '\n')
}

// textNames are the JSON names of the texts of an entry.
var textNames = [15]string{
	`,"requestId":`, `,"keyId":`, `,"start":`, `,"owner":`, `,"method":`, `,"route":`, `,"resourceKind":`, `,"resourceId":`,
	`,"resourceOwner":`, `,"scope":`, `,"outcome":`, `,"ip":`, `,"userAgent":`, `,"token":`, `,"subject":`,
}

// appendText appends s as a JSON string.
func appendText(to []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return bytes.TrimSuffix(appendJSON(to, s), []byte("\n")) // s needs escapes
		}
	}
	return append(append(append(to, '"'), s...), '"')
}

// ParseLine parses a line of [AppendLine]. It rejects other JSON with the same meaning, so that any changed byte
// is detected.
func ParseLine(text []byte) (Record, error) {
	var l line
	if err := parseJSON(text, &l); err != nil {
		return Record{}, err
	}
	at, err := time.Parse(jsontext.Instant, l.Time)
	if err == nil && at.Format(jsontext.Instant) != l.Time {
		err = errSpelling
	}
	if err != nil {
		return Record{}, err
	}
	return Record{Writer: l.Writer, Seq: l.Seq, MAC: l.MAC, Entry: auth.Entry{
		Time: at, RequestID: l.RequestID, KeyID: l.KeyID, Start: l.Start, Owner: l.Owner, Method: l.Method, Route: l.Route,
		Resource: auth.Resource{Kind: l.ResourceKind, ID: l.ResourceID, Owner: l.ResourceOwner}, Scope: auth.Scope(l.Scope),
		Outcome: l.Outcome, Status: l.Status, IP: l.IP, UserAgent: l.UserAgent, Token: l.Token, Subject: l.Subject, Count: l.Count,
	}}, nil
}

// appendJSON appends v as a line of JSON. Its callers only pass values that encode without an error.
func appendJSON(to []byte, v any) []byte {
	line, err := jsontext.AppendLine(to, v)
	if err != nil {
		return to
	}
	return line
}

var errSpelling = errors.New("not spelled as it was written")

// parseJSON parses a line into v. It rejects lines that appendJSON would write differently.
func parseJSON(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return err
	}
	if !bytes.Equal(appendJSON(nil, v), text) {
		return errSpelling
	}
	return nil
}
