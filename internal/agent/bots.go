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

// gram is the length of the texts by which plain patterns are indexed.
const gram = 3

// maxTexts is the maximum number of plain texts for one pattern.
const maxTexts = 64

// The headings of bots.txt.
const (
	anywhere = "[anywhere]"         // the following patterns identify robots in any user agent
	outside  = "[outside browsers]" // the following patterns are ignored in user agents of browsers
)

// The names of bots that match no pattern.
const (
	unnamedProgram = "program"
	unnamedRobot   = "robot"
	// officeLink names the request that Word, Excel and PowerPoint send for a link before the browser opens it. Outlook
	// has the same text in its user agent, but also loads the images of mails that people read.
	officeLink = "ms-office"
)

// A Detector tells robots and programs from browsers of people. It is immutable and safe for concurrent
// use.
//
// Nearly all patterns are equivalent to one or a few plain texts. One pass over the user agent finds them by their
// first bytes. One regular expression with 1 500 branches would take a few hundred times as long. The other
// patterns are tried one by one, so that each can use its anchor or literal prefix.
type Detector struct {
	plain map[string][]mark // by their first bytes
	rest  []expression
}

// A mark is a text in user agents of robots.
type mark struct {
	text    string
	outside bool // ignored in user agents of browsers
}

// An expression is a pattern that is not equivalent to a few plain texts.
type expression struct {
	*regexp.Regexp
	outside bool
}

// NewDetector parses the built-in list of patterns. Its error joins all mistakes in the list.
func NewDetector() (*Detector, error) { return newDetector(patterns) }

func newDetector(list string) (*Detector, error) {
	d := &Detector{plain: map[string][]mark{}}
	var faults []error
	only := false
	for line := range strings.Lines(list) {
		p := strings.TrimRight(line, "\r\n") // leading spaces are part of a pattern
		switch {
		case p == "" || strings.HasPrefix(p, "#"):
			continue
		case p == anywhere || p == outside:
			only = p == outside
			continue
		}
		if err := d.add(p, only); err != nil {
			faults = append(faults, fmt.Errorf("agent: bot pattern %q: %w", p, err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Detector) add(pattern string, outside bool) error {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return err
	}
	all := texts(tree)
	short := func(s string) bool { return len(s) < gram }
	if len(all) > 0 && !slices.ContainsFunc(all, short) {
		for _, s := range all {
			d.plain[s[:gram]] = append(d.plain[s[:gram]], mark{s, outside})
		}
		return nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	d.rest = append(d.rest, expression{re, outside})
	return nil
}

// texts returns all texts that re matches, or none if there are too many.
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
	default: // anchors, repetitions and others
	}
	if len(all) > maxTexts {
		return nil
	}
	return all
}

// cases returns r, and if fold is set, all runes that equal r without regard to case.
func cases(r rune, fold bool) []string {
	all := []string{string(r)}
	for x := unicode.SimpleFold(r); fold && x != r; x = unicode.SimpleFold(x) {
		all = append(all, string(x))
	}
	return all
}

// product returns every text of a followed by every text of b.
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

// Bot reports whether ua belongs to a robot or a program. It returns false for an empty ua; the caller decides
// about that.
func (d *Detector) Bot(ua string) bool {
	_, ok := d.find(ua)
	return ok
}

// Name returns the part of ua that identifies a bot, such as Googlebot. For a bot that matches no pattern it
// returns program or robot, and for a browser of a person an empty text.
func (d *Detector) Name(ua string) string {
	name, _ := d.find(ua)
	return strings.Trim(name, " /;()[]")
}

func (d *Detector) find(ua string) (name string, ok bool) {
	if ua == "" {
		return "", false
	}
	browser := browserForm(ua)
	web := browser && engine(ua) && !contact(ua)
	for i := 0; i+gram <= len(ua); i++ {
		for _, p := range d.plain[ua[i:i+gram]] {
			if (!p.outside || !web) && strings.HasPrefix(ua[i:], p.text) {
				return p.text, true
			}
		}
	}
	for _, re := range d.rest {
		if re.outside && web {
			continue
		}
		if at := re.FindStringIndex(ua); at != nil {
			return ua[at[0]:at[1]], true
		}
	}
	switch {
	case !browser:
		return unnamedProgram, true
	case strings.Contains(ua, officeLink) && !strings.Contains(ua, "Microsoft Outlook"):
		return officeLink, true
	case strings.Contains(ua, "+http") || strings.Contains(ua, "+mailto:") || compatible(ua):
		return unnamedRobot, true
	}
	return "", false
}

// browserForms are texts of which every browser's user agent contains at least one. Web views keep the
// browser's text; libraries and native programs have none.
var browserForms = [...]string{
	"Mozilla/", "Opera/", "AppleWebKit",
	"[FBAN/", "[FB_IAB/", // web views of Facebook's apps may omit the browser's text
	"MIDP", "UCWEB/", "UCBrowser/", "Dolfin/", // older phones
}

// browserForm reports whether ua has the form of a browser's user agent. A browser also names its system, in
// parentheses or, in Facebook's apps, in brackets.
func browserForm(ua string) bool {
	for _, form := range browserForms {
		if strings.Contains(ua, form) {
			return strings.ContainsAny(ua, "([") || form != "Mozilla/"
		}
	}
	return false
}

// engine reports whether ua names a browser engine.
func engine(ua string) bool {
	for _, name := range [...]string{"AppleWebKit", "Gecko", "Trident", "MSIE", "Presto", "KHTML", "Goanna", "Opera"} {
		if strings.Contains(ua, name) {
			return true
		}
	}
	return false
}

// contact reports whether ua names the operator of a robot, as in "(compatible; name; address)".
func contact(ua string) bool {
	marks := []string{"http", "www.", "mailto:"}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(ua, mark) }) || compatible(ua)
}

// compatible reports whether ua has the form "(compatible; name)" of robots, which Internet Explorer and Konqueror
// have, too.
func compatible(ua string) bool {
	_, after, ok := strings.Cut(ua, "compatible;")
	after = strings.TrimLeft(after, " ")
	return ok && !strings.HasPrefix(after, "MSIE") && !strings.HasPrefix(after, "Konqueror")
}
