package address

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// hosts converts names of hosts as browsers do, by UTS 46 (not transitional). It does not apply the rules of DNS on
// length and characters, so that unusual names stay unchanged.
var hosts = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false),
	idna.VerifyDNSLength(false))

// ASCII returns a host in lower case and ASCII form: xn--mller-kva.example for müller.example. It returns invalid names
// unchanged.
func ASCII(host string) string {
	if isASCII(host) || hasLongLabel(host) {
		return host
	}
	if ascii, err := hosts.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

// Unicode returns a host in readable form: müller.example for xn--mller-kva.example. If [ASCII] would not convert the
// result back to host, it returns host unchanged.
func Unicode(host string) string {
	if !strings.Contains(host, "xn--") || hasLongLabel(host) {
		return host
	}
	if shown, err := hosts.ToUnicode(host); err == nil && ASCII(shown) == host {
		return shown
	}
	return host
}

// Shown returns a host, or a host after https://, in the form of [Unicode].
func Shown(text string) string {
	host := strings.TrimPrefix(text, "https://")
	return text[:len(text)-len(host)] + Unicode(host)
}

// maxLabel is the maximum number of characters between the dots of a DNS name. A label never has more characters in
// Unicode than in ASCII.
const maxLabel = 63

// hasLongLabel reports whether a label of host exceeds maxLabel. The time to convert a label
// grows with the square of its length, so longer labels are not converted.
func hasLongLabel(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if utf8.RuneCountInString(label) > maxLabel {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// translated is the domain from which Google Translate serves the pages of other hosts.
const translated = ".translate.goog"

// Untranslated returns the host whose pages Google Translate serves from host:
// shop.example for shop-example.translate.goog. It returns every other host unchanged. Google
// Translate writes a hyphen for a dot and two for a hyphen, as AMP caches do.
func Untranslated(host string) string {
	label, ok := strings.CutSuffix(host, translated)
	if !ok || label == "" || strings.Contains(label, ".") {
		return host
	}
	label = Unicode(label)
	if inner, ok := strings.CutPrefix(label, "0-"); ok && strings.HasSuffix(inner, "-0") {
		label = strings.TrimSuffix(inner, "-0")
	}
	label = strings.NewReplacer("--", "-", "-", ".").Replace(label)
	return strings.TrimPrefix(ASCII(label), "www.")
}
