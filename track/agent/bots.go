package agent

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

//go:embed bots.txt
var patterns string

// gram is the length of the texts that index plain patterns.
const gram = 3

// maxTexts is how many plain texts one pattern may stand for.
const maxTexts = 64

// A Detector knows the user agents of crawlers, monitors and tools. It is immutable
// and safe for concurrent use.
//
// Nearly all patterns are one or a few plain texts, which are found by their first bytes in one pass
// over the user agent: one regular expression of 1 500 branches takes some hundred times as long. The
// other patterns are tried one by one, so that each can use its anchor or literal prefix.
type Detector struct {
	plain map[string][]string // by their first bytes
	rest  []*regexp.Regexp
}

// NewDetector parses the built-in list of patterns. Its error joins all faults of the list.
func NewDetector() (*Detector, error) { return newDetector(patterns) }

func newDetector(list string) (*Detector, error) {
	d := &Detector{plain: map[string][]string{}}
	var faults []error
	for line := range strings.Lines(list) {
		p := strings.TrimRight(line, "\r\n") // blanks are part of a pattern
		if p == "" || strings.HasPrefix(p, "#") {
			continue
		}
		if err := d.add(p); err != nil {
			faults = append(faults, fmt.Errorf("agent: bot pattern %q: %w", p, err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Detector) add(pattern string) error {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return err
	}
	all := texts(tree)
	short := func(s string) bool { return len(s) < gram }
	if len(all) > 0 && !slices.ContainsFunc(all, short) {
		for _, s := range all {
			d.plain[s[:gram]] = append(d.plain[s[:gram]], s)
		}
		return nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	d.rest = append(d.rest, re)
	return nil
}

// texts returns all texts that re matches; none when they are not few.
func texts(re *syntax.Regexp) []string {
	var all []string
	switch re.Op {
	case syntax.OpLiteral:
		all = []string{""}
		for _, r := range re.Rune {
			all = product(all, cases(r, re.Flags&syntax.FoldCase != 0))
		}
	case syntax.OpCapture:
		all = texts(re.Sub[0])
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && len(all) <= maxTexts; r++ {
				all = append(all, string(r))
			}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			some := texts(sub)
			if some == nil {
				return nil
			}
			all = append(all, some...)
		}
	case syntax.OpConcat:
		all = []string{""}
		for _, sub := range re.Sub {
			all = product(all, texts(sub))
		}
	default: // anchors, repetitions and the like
	}
	if len(all) > maxTexts {
		return nil
	}
	return all
}

// cases returns r, and what equals it when case is ignored.
func cases(r rune, fold bool) []string {
	all := []string{string(r)}
	for x := unicode.SimpleFold(r); fold && x != r; x = unicode.SimpleFold(x) {
		all = append(all, string(x))
	}
	return all
}

// product joins every text of a with every one of b.
func product(a, b []string) []string {
	if len(a)*len(b) > maxTexts {
		return nil
	}
	var all []string
	for _, x := range a {
		for _, y := range b {
			all = append(all, x+y)
		}
	}
	return all
}

// Bot reports whether ua is a crawler, a monitor or a tool. An empty ua matches nothing: the caller
// decides what it is.
func (d *Detector) Bot(ua string) bool {
	_, ok := d.find(ua)
	return ok
}

// Name returns the part of ua that identifies a bot, such as Googlebot; empty when it is none.
func (d *Detector) Name(ua string) string {
	name, _ := d.find(ua)
	return strings.Trim(name, " /;()[]")
}

func (d *Detector) find(ua string) (name string, ok bool) {
	for i := 0; i+gram <= len(ua); i++ {
		for _, p := range d.plain[ua[i:i+gram]] {
			if strings.HasPrefix(ua[i:], p) {
				return p, true
			}
		}
	}
	for _, re := range d.rest {
		if at := re.FindStringIndex(ua); at != nil {
			return ua[at[0]:at[1]], true
		}
	}
	return "", false
}
