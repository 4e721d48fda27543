package same

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
)

// An answer is what a program did with a request or a command. A command has an exit status and no header.
type answer struct {
	status int
	header http.Header
	body   string
}

// mayDiffer lists what may always differ: a header by its name, or what a pattern matches in a body, and then also the
// length and the tag of the body. what is the start of a request or command, or "" for all.
var mayDiffer = []struct {
	what, header string
	body         *regexp.Regexp
	why          string
}{
	{header: "X-Ratelimit-Remaining", why: "limits fill up again with the real time"},
	{header: "X-Ratelimit-Reset", why: "limits fill up again with the real time"},
	{header: "Ratelimit", why: "limits fill up again with the real time"},
	{what: "GET /v1/audit", body: regexp.MustCompile(`"entries":\[.*`),
		why: "entries are stored within a real second; the whole trail is compared at the end"},
	{what: "GET /v1/audit", header: "Content-Encoding", why: "few entries are not compressed"},
	{what: "GET /v1/audit", header: "Vary", why: "few entries are not compressed"},
	{what: "HEAD /v1/audit", header: "Content-Length", why: "as for GET"},
	{what: "HEAD /v1/keys", header: "Content-Length", why: "lastUsed is stored by real time"},
	{what: "HEAD /v1/keys", header: "Etag", why: "lastUsed is stored by real time"},
	{body: regexp.MustCompile(`"lastUsed":(?:"[^"]*"|null)|LAST USED .*`), why: "stored by real time"},
	{what: "GET /health", body: regexp.MustCompile(`"timestamp":"[^"]*"`), why: "a report may be a second old"},
	{what: "audit verify", body: regexp.MustCompile(`(?m)^[0-9]{8}T.*$`),
		why: "chains that begin in one second are listed by their random names; all entries are compared afterwards"},
	{what: "GET /v1/export", body: regexp.MustCompile(`\{"table":"blocked".*\n`),
		why: "refused events are counted, and the counts stored by real time"},
	{what: "derived rebuild", body: regexp.MustCompile(`[0-9]+ days`), why: "the background may have sealed some"},
	{what: "derived verify", body: regexp.MustCompile(`[0-9]+ days`), why: "the background may have sealed some"},
	{what: "POST /v1/query/compile", body: regexp.MustCompile(`"source":"[a-z]+","why":"[^"]*"`),
		why: "the background computes partials in its own time"},
	{what: "POST /v1/query/compile", body: regexp.MustCompile(`"sql":"(?:[^"\\]|\\.)*"(?:,"args":\[.*?\}\])?`),
		why: "statements read what the background has sealed until then; tests of package query compare their SQL"},
}

// compared says how two answers to a request or command differ. It pairs their random texts.
func (p *pairs) compared(what string, before, after answer) (all []string) {
	if before.status != after.status {
		all = append(all, fmt.Sprintf("status %d became %d", before.status, after.status))
	}
	for _, m := range mayDiffer {
		if !strings.HasPrefix(what, m.what) {
			continue
		}
		if m.header != "" {
			before, after = before.without(m.header), after.without(m.header)
		} else if m.body.MatchString(before.body) || m.body.MatchString(after.body) {
			before, after = before.without("Content-Length", "Etag"), after.without("Content-Length", "Etag")
			before.body = m.body.ReplaceAllString(before.body, "…")
			after.body = m.body.ReplaceAllString(after.body, "…")
		}
	}
	names := maps.Clone(before.header)
	maps.Copy(names, after.header)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		differ := p.differ
		if name == "Etag" {
			differ = p.tagsDiffer
		}
		if d := differ(strings.Join(before.header[name], "\n"), strings.Join(after.header[name], "\n")); d != "" {
			all = append(all, "header "+name+": "+d)
		}
	}
	if d := p.differ(before.body, after.body); d != "" {
		all = append(all, "body: "+d)
	}
	return all
}

// without returns a without some headers.
func (a answer) without(headers ...string) answer {
	a.header = a.header.Clone()
	for _, name := range headers {
		a.header.Del(name)
	}
	return a
}

// An expectation is a line of the file of expected differences: a pattern of differences, a tab, and the reason.
type expectation struct {
	pattern *regexp.Regexp
	met     atomic.Bool
}

// expectations reads the file of expected differences. Lines that begin with # are comments.
func expectations(file string) (all []*expectation, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, why, _ := strings.Cut(line, "\t")
		if strings.TrimSpace(why) == "" {
			return nil, fmt.Errorf("%s: %q has no tab and reason", file, line)
		}
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, &expectation{pattern: compiled})
	}
	return all, nil
}

// expected reports whether a difference is expected.
func expected(all []*expectation, difference string) bool {
	for _, e := range all {
		if e.pattern.MatchString(difference) {
			e.met.Store(true)
			return true
		}
	}
	return false
}

// trailMayDiffer lists the members of audit entries that may always differ.
var trailMayDiffer = map[string]string{
	"requestId": "equal uses of a second are merged into the first, if it was not stored before",
	"chain":     "names the process", "number": "counts the entries of a chain",
}

// trailsDiffer says how the entries of two audit trails differ. It counts merged uses one by one.
func (p *pairs) trailsDiffer(before, after []json.RawMessage) (all []string, err error) {
	uses := map[string]int{}
	count := func(entries []json.RawMessage, sign int, of func(string) string) error {
		for _, text := range entries {
			var entry map[string]any
			if err := json.Unmarshal(text, &entry); err != nil {
				return err
			}
			requests, _ := entry["requests"].(float64)
			delete(entry, "requests")
			for name := range trailMayDiffer {
				delete(entry, name)
			}
			js, err := json.Marshal(entry)
			if err != nil {
				return err
			}
			uses[of(string(js))] += sign * int(requests)
		}
		return nil
	}
	if err := count(before, -1, p.translated); err != nil {
		return nil, err
	}
	if err := count(after, 1, func(s string) string { return s }); err != nil {
		return nil, err
	}
	for _, entry := range slices.Sorted(maps.Keys(uses)) {
		if n := uses[entry]; n != 0 {
			all = append(all, fmt.Sprintf("audit: %+d of the entry %s", n, entry))
		}
	}
	return all, nil
}
