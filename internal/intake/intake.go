// Package intake has the rules by which the values of senders become the values of rows, for events that arrive over
// HTTP and for events that are imported:
//
//	title, whole := intake.Text(" a long title ", intake.MaxTitle)
//	page, domain, whole := intake.Referrer("https://www.google.com/search?q=x", "shop.example")
//	domain, kind := intake.Campaign(intake.Parameters("/?ref=newsletter"), intake.Tags{})
//	browser := agents.Read("Mozilla/5.0 …") // of intake.NewAgents
//
// It does not know where values come from. Lengths are in UTF-16 units, as senders count.
package intake

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
)

// The maximum lengths of texts.
const (
	MaxText     = 2048 // paths, referrers, addresses and messages
	MaxTitle    = 512
	MaxPageName = 128 // names of page events
	MaxName     = 255 // names of custom events
	MaxID       = 128 // ids of visitors, profiles and sessions
	MaxTimezone = 64
	MaxUTM      = 128
)

// MaxLoad is the maximum of times of loading in milliseconds; MaxOnPage is the maximum time on a page in seconds.
const (
	MaxLoad   = 600_000
	MaxOnPage = 604_800 // 7 days
)

// Units returns the length of s in UTF-16 units.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// Cut returns the longest prefix of s with at most n UTF-16 units.
func Cut(s string, n int) string {
	for i, r := range s {
		if n--; r > 0xffff {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}

// Text returns s cleaned and cut to limit, and whether nothing was cut.
func Text(s string, limit int) (text string, whole bool) { return Bound(address.Clean(s), limit) }

// Bound returns s cut to limit between characters, and whether nothing was cut.
func Bound(s string, limit int) (text string, whole bool) {
	if len(s) <= limit || Units(s) <= limit {
		return s, true
	}
	return strings.TrimSpace(Cut(s, limit)), false
}

// Referrer returns the page that a visitor came from, and its domain, for a website with this domain. The page has no
// user, query or fragment, because these may contain secrets. Both are empty if s is not an address.
func Referrer(s, website string) (page, from string, whole bool) {
	ref := address.Clean(s)
	from = referrer.Domain(ref, website)
	if from == "" && referrer.Host(ref) == "" {
		return "", "", true
	}
	page, whole = Bound(address.Page(ref), MaxText)
	return page, from, whole
}

// tag matches language tags, such as en or pt-BR.
var tag = regexp.MustCompile(`^[A-Za-z]{1,8}([-_][A-Za-z0-9]{1,8}){0,7}$`)

// Language returns s if it looks like a language tag, and otherwise an empty text.
func Language(s string) string {
	if !tag.MatchString(s) {
		return ""
	}
	return s
}

// Size returns s if it has the form WxH, with sides from 240 to 10 000, and otherwise an empty text.
func Size(s string) string {
	w, h, ok := strings.Cut(strings.ToLower(s), "x")
	if !ok || !side(w) || !side(h) {
		return ""
	}
	return w + "x" + h
}

func side(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 240 && n <= 10_000
}

// Placeholder reports whether programs typically send id if they have no id. Such ids would merge all visitors into
// one.
func Placeholder(id string) bool {
	if len(id) > len("[object object]") {
		return false
	}
	switch strings.ToLower(id) {
	case "undefined", "null", "nan", "none", "nil", "0", "-1", "true", "false", "[object object]", "anonymous", "guest",
		"unknown":
		return true
	}
	return false
}

// Country returns the ISO 3166-1 alpha-2 code s in upper case, and whether s is the code of a country.
func Country(s string) (code string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) != 2 {
		return "", false
	}
	code, ok = country.Code(s)
	return code, ok && strings.EqualFold(code, s)
}
