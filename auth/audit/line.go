package audit

import (
	"bytes"
	"encoding/json"
	"errors"
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
	// statusAt is the index of the status among the texts of an entry.
	statusAt = 11
	// laterAt is the index of the first text that most entries lack. These texts are signed only if one of them or
	// Count is set.
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

// AppendLine appends r as a line of JSON, including the line end, for logs that store text.
func AppendLine(to []byte, r Record) []byte {
	e := &r.Entry
	return appendJSON(to, line{
		Writer: r.Writer, Seq: r.Seq, Time: e.Time.UTC().Format(jsontext.Instant), RequestID: e.RequestID,
		KeyID: e.KeyID, Start: e.Start,
		Owner: e.Owner, Method: e.Method, Route: e.Route, ResourceKind: e.Resource.Kind, ResourceID: e.Resource.ID,
		ResourceOwner: e.Resource.Owner, Scope: string(e.Scope), Outcome: e.Outcome, Status: e.Status, IP: e.IP,
		UserAgent: e.UserAgent,
		Token:     e.Token, Subject: e.Subject, Count: e.Count, MAC: r.MAC,
	})
}

var errSpelling = errors.New("not spelled as it was written")

// ParseLine parses a line of [AppendLine]. It rejects other JSON with the same meaning, so that any changed byte
// is detected.
func ParseLine(text []byte) (Record, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Record{}, err
	}
	at, err := time.Parse(jsontext.Instant, l.Time)
	if err != nil {
		return Record{}, err
	}
	if at.Format(jsontext.Instant) != l.Time || !bytes.Equal(appendJSON(nil, l), text) {
		return Record{}, errSpelling
	}
	return Record{Writer: l.Writer, Seq: l.Seq, MAC: l.MAC, Entry: auth.Entry{
		Time: at, RequestID: l.RequestID, KeyID: l.KeyID, Start: l.Start, Owner: l.Owner, Method: l.Method,
		Route:    l.Route,
		Resource: auth.Resource{Kind: l.ResourceKind, ID: l.ResourceID, Owner: l.ResourceOwner},
		Scope:    auth.Scope(l.Scope),
		Outcome:  l.Outcome, Status: l.Status, IP: l.IP, UserAgent: l.UserAgent, Token: l.Token, Subject: l.Subject,
		Count: l.Count,
	}}, nil
}

// appendJSON appends l with its line end. A line always encodes without an error.
func appendJSON(to []byte, l line) []byte {
	text, err := jsontext.AppendLine(to, l)
	if err != nil {
		return to
	}
	return text
}
