package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

// A moment is a time in JSON: seconds, milliseconds, microseconds or nanoseconds since 1970, or text.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(text []byte) error {
	s := strings.Trim(string(text), `"`)
	at, ok := anyTime(s)
	if !ok {
		return malformed("the time " + s + " is not known")
	}
	m.Time = at
	return nil
}

// anyTime reads a time in a usual form. Whole and decimal numbers are seconds, milliseconds, microseconds or
// nanoseconds since 1970, by their size. A text without a zone is in UTC.
func anyTime(s string) (time.Time, bool) {
	whole, part, _ := strings.Cut(s, ".")
	n, err := json.Number(whole).Int64()
	if err != nil || len(whole) == len("20060102") && part == "" {
		return textTime(s)
	}
	if strings.Trim(part, "0123456789") != "" {
		return time.Time{}, false // such as 20.11.2026
	}
	var at time.Time
	switch {
	case n < intake.MaxSeconds:
		nanos, _ := json.Number((part + "000000000")[:9]).Int64()
		at = time.Unix(n, nanos)
	case n < intake.MaxSeconds*1000:
		at = time.UnixMilli(n)
	case n < intake.MaxSeconds*1000*1000:
		at = time.UnixMicro(n)
	default:
		at = time.Unix(n/1e9, n%1e9)
	}
	return at.UTC(), intake.Sane(at)
}

// textTime reads a time in text, also as web servers write it.
func textTime(s string) (time.Time, bool) {
	if at, ok := intake.Instant(s); ok {
		return at, true
	}
	if at, ok := logTime(s); ok {
		return at, true
	}
	at, err := time.Parse("2006/01/02 15:04:05.999999999", s)
	return at, err == nil && intake.Sane(at)
}

// caddyLine is a line of Caddy's access log.
type caddyLine struct {
	Time    *moment `json:"ts"`
	Request *struct {
		ClientIP   string              `json:"client_ip"`
		RemoteIP   string              `json:"remote_ip"`
		RemoteAddr string              `json:"remote_addr"` // before version 2.5, with the port
		Method     string              `json:"method"`
		Host       string              `json:"host"`
		URI        string              `json:"uri"`
		Headers    map[string][]string `json:"headers"`
	} `json:"request"`
	Status  int                 `json:"status"`
	Headers map[string][]string `json:"resp_headers"`
}

// isObject reports whether a line begins an object, or a list of objects.
func isObject(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, "[ \t"), []byte("{")) }

func isCaddy(line []byte) bool {
	return isObject(line) && bytes.Contains(line, []byte(`"request"`)) && bytes.Contains(line, []byte(`"uri"`)) &&
		bytes.Contains(line, []byte(`"ts"`))
}

func parseCaddy(text []byte, out *found) error {
	var l caddyLine
	if err := json.Unmarshal(text, &l); err != nil {
		return malformed(err.Error())
	}
	if l.Request == nil || l.Time == nil {
		return skip(OtherKind) // another message of the server
	}
	q := l.Request
	address := cmp.Or(q.ClientIP, q.RemoteIP, q.RemoteAddr)
	out.records = append(out.records, Record{
		Time: l.Time.Time, Method: q.Method, Status: l.Status, URL: q.URI, Host: q.Host,
		Address:     cmp.Or(address, unknownAddress),
		ContentType: header(l.Headers, "Content-Type"), Referrer: header(q.Headers, "Referer"),
		UserAgent: header(q.Headers, "User-Agent"),
	})
	return nil
}

func header(all map[string][]string, name string) string {
	if v := all[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// cloudflareLine is a line of the dataset http_requests of Logpush.
type cloudflareLine struct {
	Start     *moment `json:"EdgeStartTimestamp"`
	End       *moment `json:"EdgeEndTimestamp"`
	ID        string  `json:"RayID"`
	Address   string  `json:"ClientIP"`
	Country   string  `json:"ClientCountry"`
	Host      string  `json:"ClientRequestHost"`
	Method    string  `json:"ClientRequestMethod"`
	URI       string  `json:"ClientRequestURI"`
	Path      string  `json:"ClientRequestPath"`
	Referrer  string  `json:"ClientRequestReferer"`
	UserAgent string  `json:"ClientRequestUserAgent"`
	Status    int     `json:"EdgeResponseStatus"`
	Type      string  `json:"EdgeResponseContentType"`
	Source    string  `json:"ClientRequestSource"`
	Worker    bool    `json:"WorkerSubrequest"`
}

func isCloudflare(line []byte) bool {
	return isObject(line) && bytes.Contains(line, []byte(`"ClientRequest`)) && bytes.Contains(line, []byte(`"Edge`))
}

func parseCloudflare(text []byte, out *found) error {
	var l cloudflareLine
	if err := json.Unmarshal(text, &l); err != nil {
		return malformed(err.Error())
	}
	at := l.Start
	if at == nil {
		at = l.End
	}
	if at == nil {
		return malformed("no EdgeStartTimestamp")
	}
	if l.URI == "" {
		l.URI = l.Path
	}
	if l.Worker || l.Source != "" && l.Source != "eyeball" {
		return &skipError{NoVisitor, l.Source}
	}
	if l.Method == "" || l.URI == "" {
		return malformed("no ClientRequestMethod, or no ClientRequestURI")
	}
	out.records = append(out.records, Record{
		ID: l.ID, Time: at.Time, Method: l.Method, Status: l.Status, ContentType: l.Type, URL: l.URI, Host: l.Host,
		Address:  cmp.Or(l.Address, unknownAddress),
		Referrer: l.Referrer, UserAgent: l.UserAgent, Agent: store.Agent{Country: l.Country},
	})
	return nil
}
