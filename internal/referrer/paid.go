package referrer

import (
	"regexp"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
)

// paidMedium matches the texts of utm_medium, in lower case, that say that visits are paid for: a price per action,
// click, view and the like as a word, or a text that begins with paid.
var paidMedium = regexp.MustCompile(`(^|[^\p{L}\p{N}])(cp[aceilmpv]|ppc)($|[^\p{L}\p{N}])` +
	`|^paid|^(retargeting|remarketing)$`)

// PaidMedium reports whether the text of utm_medium says that visits are paid for, in any case.
func PaidMedium(medium string) bool {
	return paidMedium.MatchString(strings.ToLower(address.Clean(medium)))
}

// PaidClickIDs returns the parameters that advertising services add to the addresses of their ads, and nowhere else.
// Facebook adds fbclid to all links, and dclid also stands for ads that were only seen, so these are not among them.
func PaidClickIDs() []string {
	return []string{"gclid", "gbraid", "wbraid", "msclkid", "yclid", "ttclid", "twclid", "li_fat_id", "rdt_cid",
		"ScCid"}
}
