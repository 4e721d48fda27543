package same

import (
	"fmt"
	"regexp"
	"strings"
)

// word matches what may be a random text.
var word = regexp.MustCompile(`[A-Za-z0-9_-]+`)

// Random texts have one of these forms.
var (
	secret = regexp.MustCompile(`^slt?_[A-Za-z0-9_-]{5,}$`)          // or its start
	chain  = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[a-z0-9]{12}$`) // of the audit trail
	hex    = regexp.MustCompile(`^[0-9a-f]{12,}$`)
	load   = regexp.MustCompile(`^imp_[a-z0-9]{10}$`) // an import
	uuid   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	random = regexp.MustCompile(`^[A-Za-z0-9_-]{16,}$`)
	letter = regexp.MustCompile(`[A-Za-z]`)
)

// isRandom reports whether s looks like a random text. Times and numbers do not.
func isRandom(s string) bool {
	return secret.MatchString(s) || chain.MatchString(s) || load.MatchString(s) || hex.MatchString(s) ||
		uuid.MatchString(s) || random.MatchString(s) && len(letter.FindAllString(s, -1)) >= len(s)/3
}

// pairs has the random texts of the old program, each with its partner of the new program.
type pairs struct{ after, before map[string]string }

func newPairs() *pairs { return &pairs{map[string]string{}, map[string]string{}} }

// translated returns a text for the old program as a text for the new one.
func (p *pairs) translated(text string) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if partner, ok := p.after[w]; ok {
			return partner
		}
		return w
	})
}

// differ says where two texts differ first, or "" if they do not. It pairs random texts that have no partner.
func (p *pairs) differ(before, after string) string {
	olds, news := word.FindAllStringIndex(before, -1), word.FindAllStringIndex(after, -1)
	was, is := 0, 0
	for i := 0; i < len(olds) && i < len(news); i++ {
		if before[was:olds[i][0]] != after[is:news[i][0]] {
			return around(before, after, was, is)
		}
		was, is = olds[i][0], news[i][0]
		if a, b := before[was:olds[i][1]], after[is:news[i][1]]; !p.paired(a, b) {
			return around(before, after, was, is)
		}
		was, is = olds[i][1], news[i][1]
	}
	if before[was:] != after[is:] {
		return around(before, after, was, is)
	}
	return ""
}

// paired reports whether two words are equal or partners.
func (p *pairs) paired(a, b string) bool {
	partner, knownA := p.after[a]
	_, knownB := p.before[b]
	switch {
	case a == b && !knownA:
		return true
	case knownA || knownB:
		return partner == b
	case !isRandom(a) || !isRandom(b):
		return false
	}
	p.after[a], p.before[b] = b, a
	return true
}

// tagsDiffer says how two entity tags differ, or "" if they do not. A tag names the versions of rows, and refused
// events are counted by real time: so the partner of a tag is the one it came with last.
func (p *pairs) tagsDiffer(before, after string) string {
	a, b := word.FindString(before), word.FindString(after)
	if isRandom(a) && isRandom(b) {
		p.after[a], p.before[b] = b, a
	}
	return p.differ(before, after)
}

// around returns both texts from a little before two places that differ.
func around(before, after string, was, is int) string {
	cut := func(s string, at int) string { return s[max(0, at-60):min(len(s), at+100)] }
	return fmt.Sprintf("%q became %q", cut(before, was), cut(strings.ToValidUTF8(after, "?"), min(is, len(after))))
}
