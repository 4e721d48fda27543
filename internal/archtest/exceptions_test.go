package archtest

import "strings"

// An exception allows files to break one rule, for a reason.
type exception struct {
	rule   string // name of the rule, as in findings
	path   string // a file, or a folder with all files below it if it ends in /
	reason string
}

var exceptions = []exception{
	{"time.Now", "internal/front/body.go", "deadlines of connections are by the clock of the system"},
	{"time.Now", "internal/front/write.go", "deadlines of connections are by the clock of the system"},
	{"time.Now", "internal/front/stream.go", "deadlines of connections are by the clock of the system"},
	{"panic", "internal/front/stream.go", "net/http has no other way to break a connection whose response has begun"},
	{"time.Until", "query/engine.go", "deadlines of contexts are by the clock of the system"},
	{"time.Until", "client/send.go", "deadlines of contexts are by the clock of the system"},
	{"time.Since", "store/storetest/", "it measures how soon a store returns when its context ends"},
}

func (e exception) excuses(f finding) bool {
	name, _, _ := strings.Cut(f.at, ":")
	return e.rule == f.rule &&
		(name == e.path || strings.HasSuffix(e.path, "/") && strings.HasPrefix(name, e.path))
}

// excuse returns the findings without an exception, and a finding for every unused exception.
func excuse(findings []finding, exceptions []exception) (out []finding) {
	used := make([]bool, len(exceptions))
	for _, f := range findings {
		excused := false
		for i, e := range exceptions {
			if e.excuses(f) {
				excused, used[i] = true, true
			}
		}
		if !excused {
			out = append(out, f)
		}
	}
	for i, e := range exceptions {
		if !used[i] {
			out = append(out, finding{"exceptions", e.path, "is excused from " + e.rule + " and does not break it"})
		}
	}
	return out
}
