package agent

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

//go:embed bots.txt
var patterns string

// gram is the length of the texts that index plain patterns.
const gram = 3

// A Detector knows the user agents of crawlers, monitors and tools. It is immutable
// and safe for concurrent use.
//
// Nearly all patterns are plain texts. They are found by their first bytes in one walk
// over the user agent, since an alternation of 1 500 branches takes a regular
// expression some hundred times as long. What is left is one regular expression.
type Detector struct {
	plain map[string][]string // by their first bytes
	rest  *regexp.Regexp
}

// NewDetector reads the list of patterns that is built in. Its error joins all faults
// of the list.
func NewDetector() (*Detector, error) { return newDetector(patterns) }

func newDetector(list string) (*Detector, error) {
	d := &Detector{plain: map[string][]string{}}
	var rest []string
	var faults []error
	for line := range strings.Lines(list) {
		p := strings.TrimRight(line, "\r\n") // blanks are part of a pattern
		if p == "" || strings.HasPrefix(p, "# ") || p == "#" {
			continue
		}
		re, err := syntax.Parse(p, syntax.Perl)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("agent: bot pattern %q: %w", p, err))
		case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0 && len(string(re.Rune)) >= gram:
			text := string(re.Rune)
			d.plain[text[:gram]] = append(d.plain[text[:gram]], text)
		default:
			rest = append(rest, "(?:"+p+")")
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		re, err := regexp.Compile(strings.Join(rest, "|"))
		if err != nil {
			return nil, fmt.Errorf("agent: bot patterns: %w", err)
		}
		d.rest = re
	}
	return d, nil
}

// Bot reports whether ua is a crawler, a monitor or a tool. An empty ua matches
// nothing: whether that is a person is the caller's to say.
func (d *Detector) Bot(ua string) bool {
	for i := 0; i+gram <= len(ua); i++ {
		for _, p := range d.plain[ua[i:i+gram]] {
			if strings.HasPrefix(ua[i:], p) {
				return true
			}
		}
	}
	return d.rest != nil && d.rest.MatchString(ua)
}
