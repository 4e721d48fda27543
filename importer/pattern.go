package importer

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file reads lines of text by a pattern in the notation of nginx's log_format or Apache's LogFormat.

// A pattern is the form of the lines of a log: values, and the texts between them.
type pattern struct {
	slots []slot
	end   string // the text after the last value
}

// A slot has one value.
type slot struct {
	before string // the text before the value
	name   string // the column: a variable of nginx without $, or a directive of Apache with %
	layout string // of a time that Apache writes in a form of its own; empty for other values
}

var (
	nginxVariable = regexp.MustCompile(`\$(?:\{(\w+)\}|(\w+))`)
	// An Apache directive may have conditions, such as !200,304, and < or >, which says which request is meant.
	apacheDirective = regexp.MustCompile(`%(?:!?[0-9,]*)([<>]?(?:\{[^}]*\})?(?:\^[a-zA-Z]{2}|[a-zA-Z%]))`)
	apacheHeader    = regexp.MustCompile(`^%\{([^}]*)\}([io])$`)
)

// parseLogFormat returns the pattern with this notation: nginx's, if it has a variable such as $status, or else
// Apache's.
func parseLogFormat(text string) (*pattern, error) {
	text = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\t`, "\t", `\\`, `\`).Replace(text)
	p := &pattern{}
	var err error
	if nginxVariable.MatchString(text) {
		p.scan(text, nginxVariable, func(m []string) { p.add(m[1] + m[2]) })
	} else {
		p.scan(text, apacheDirective, func(m []string) {
			if e := p.directive(m[1]); e != nil && err == nil {
				err = e
			}
		})
	}
	switch {
	case err != nil:
		return nil, err
	case len(p.slots) == 0:
		return nil, errors.New("it has no variable such as $status, and no directive such as %>s")
	}
	return p, nil
}

// scan calls add with each match of variable in text, with the text before it in p.end.
func (p *pattern) scan(text string, variable *regexp.Regexp, add func(match []string)) {
	from := 0
	for _, at := range variable.FindAllStringSubmatchIndex(text, -1) {
		p.end += text[from:at[0]]
		from = at[1]
		var match []string
		for i := 0; i < len(at); i += 2 {
			group := ""
			if at[i] >= 0 {
				group = text[at[i]:at[i+1]]
			}
			match = append(match, group)
		}
		add(match)
	}
	p.end += text[from:]
}

// add adds a value after the text in p.end. Values without a text between them are one value, such as %U%q.
func (p *pattern) add(name string) {
	if last := len(p.slots) - 1; last >= 0 && p.end == "" {
		if name[0] != '%' {
			name = "$" + name
		}
		p.slots[last].name += name
		return
	}
	p.slots = append(p.slots, slot{before: p.end, name: name})
	p.end = ""
}

// directive adds the value of a directive of Apache, which is given without % and conditions.
func (p *pattern) directive(d string) error {
	if d == "%" {
		p.end += "%"
		return nil
	}
	p.add(canonicalColumn("%" + d))
	if d == "t" {
		last := &p.slots[len(p.slots)-1]
		last.before += "["
		p.end = "]"
		return nil
	}
	format, isTime := strings.CutSuffix(strings.TrimPrefix(d, "{"), "}t")
	if !isTime {
		return nil
	}
	layout, err := layoutOf(strings.TrimPrefix(strings.TrimPrefix(format, "begin:"), "end:"))
	p.slots[len(p.slots)-1].layout = layout
	return err
}

// canonicalColumn returns the name of a column with the names of headers in lower case.
func canonicalColumn(name string) string {
	if m := apacheHeader.FindStringSubmatch(name); m != nil {
		return "%{" + strings.ToLower(m[1]) + "}" + m[2]
	}
	return strings.TrimPrefix(name, "$")
}

// epoch is the layout of a number since 1970.
const epoch = "epoch"

// layoutOf returns the layout of package time for a format of strftime, or epoch.
func layoutOf(format string) (string, error) {
	switch format {
	case "sec", "msec", "usec", "%s":
		return epoch, nil
	}
	var layout strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			layout.WriteByte(format[i])
			continue
		}
		if i++; i == len(format) {
			return "", errors.New("%{" + format + "}t ends with %")
		}
		part, ok := strftime[format[i]]
		if !ok {
			return "", fmt.Errorf("%%%c in %%{%s}t is not supported; use %%t", format[i], format)
		}
		layout.WriteString(part)
	}
	return layout.String(), nil
}

var strftime = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'b': "Jan", 'h': "Jan", 'B': "January", 'a': "Mon",
	'A': "Monday", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'z': "-0700", 'F': "2006-01-02",
	'T': "15:04:05", 'R': "15:04", 'D': "01/02/06", '%': "%",
}

// values returns the values of a line, in the order of the slots.
func (p *pattern) values(line string) ([]string, error) {
	rest, ok := strings.CutPrefix(line, p.slots[0].before)
	if !ok {
		return nil, malformed("it does not begin with " + strconv.Quote(p.slots[0].before))
	}
	all := make([]string, len(p.slots))
	for i := range p.slots {
		after := p.end
		if i+1 < len(p.slots) {
			after = p.slots[i+1].before
		}
		n := valueEnd(rest, after)
		if n < 0 {
			return nil, malformed("no " + strconv.Quote(after) + " after " + p.slots[i].name)
		}
		all[i], rest = rest[:n], rest[n+len(after):]
	}
	if rest != "" {
		return nil, malformed("more text follows after the last value")
	}
	return all, nil
}

// valueEnd returns the length of the value at the beginning of s that the text after follows; -1 if there is none. A
// value in quotes may have escaped quotes.
func valueEnd(s, after string) int {
	switch {
	case after == "":
		return len(s)
	case after[0] != '"':
		return strings.Index(s, after)
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if strings.HasPrefix(s[i:], after) {
			return i
		}
	}
	return -1
}

// read returns a reader of lines. Times in a form of their own become RFC 3339; without a zone they are in zone. The
// columns in given may be written in any way that canonicalColumn knows.
func (p *pattern) read(zone *time.Location, given map[string]string) reader {
	columns := map[string]int{}
	for i, s := range p.slots {
		columns[s.name] = i
	}
	for _, name := range given {
		if i, ok := columns[canonicalColumn(name)]; ok {
			columns[name] = i
		}
	}
	return func(line []byte) (getter, error) {
		values, err := p.values(string(line))
		if err != nil {
			return nil, err
		}
		return func(column string) string {
			i, ok := columns[column]
			if !ok {
				return ""
			}
			value := absent(values[i])
			if strings.Contains(value, `\`) {
				value = unescaped(value)
			}
			if layout := p.slots[i].layout; layout != "" && layout != epoch {
				if at, err := time.ParseInLocation(layout, value, zone); err == nil {
					return at.Format(time.RFC3339Nano)
				}
			}
			return value
		}, nil
	}
}

// has reports whether the pattern has one of these columns.
func (p *pattern) has(columns []string) bool {
	return slices.ContainsFunc(p.slots, func(s slot) bool { return slices.Contains(columns, s.name) })
}

// requestColumns have a method, an address and a protocol.
var requestColumns = []string{"request", "%r", "%>r", "%<r"}

// patternColumns are the columns of the fields of own patterns.
var patternColumns = columns{
	timeField:   {"time_iso8601", "time_local", "msec", "%t"},
	statusField: {"status", "%>s", "%s", "%<s"},
	"address":   {"remote_addr", "%h", "%a", "%{c}a", "http_x_forwarded_for", "%{x-forwarded-for}i"},
	"method":    {"request_method", "%m"},
	"url":       {"request_uri", "uri$is_args$args", "uri", "%U%q", "%U"},
	"host":      {"http_host", "host", "%{host}i", "server_name", "%v", "%V"},
	"referrer":  {"http_referer", "%{referer}i"}, "user_agent": {"http_user_agent", "%{user-agent}i"},
	"content_type": {"sent_http_content_type", "%{content-type}o"},
	"country":      {"geoip_country_code", "geoip2_data_country_code"},
	"id":           {"request_id", "%{UNIQUE_ID}e"},
}

// ownPattern returns the format of lines in Config.LogFormat.
func ownPattern(cfg *Config) (*format, error) {
	p, err := parseLogFormat(cfg.LogFormat)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(patternColumns)
	for _, s := range p.slots {
		if s.layout != "" {
			all[timeField] = append(slices.Clone(all[timeField]), s.name)
		}
	}
	for field, column := range cfg.Map {
		all[field] = []string{canonicalColumn(column)}
	}
	request := p.has(requestColumns) && cfg.Map["url"] == ""
	for _, one := range []struct{ field, what string }{
		{timeField, "time, such as $time_local or %t"},
		{"address", "address of the client, such as $remote_addr or %h"},
		{"url", "address of the page, such as $request or %r"}, {statusField, "status, such as $status or %>s"},
		{"user_agent", `user agent, such as $http_user_agent or %{User-Agent}i; a request without one does not count`},
	} {
		if !p.has(all[one.field]) && (one.field != "url" || !request) {
			return nil, errors.New("it has no " + one.what)
		}
	}
	return &format{
		name: "pattern", split: byLine, columns: all, requests: true, local: true,
		read: func() reader { return p.read(cfg.zone(), cfg.Map) },
		finish: func(r *Record, get getter) error {
			finishRequest(r, get, request)
			return nil
		},
	}, nil
}

// finishRequest sets the method and the address of r.
func finishRequest(r *Record, get getter, request bool) {
	if request {
		r.Method, r.URL = requestLine(get.first(requestColumns))
	}
	if r.Method == "" {
		r.Method = "GET" // a log that does not have the method
	}
	if r.Host == "_" { // as nginx names a server without a name
		r.Host = ""
	}
}
