package panel

import "net/url"

// Link returns the address that opens the page for a reader whom the host has signed in, such as the target of a
// redirect. base is the address of the page, with a slash at the end. token is a panel token, see POST /v1/tokens and
// [github.com/sightline-analytics/sightline/auth.Tokens]. website is the id of the website to show; empty means the
// first one that the token grants access to.
//
// The token is in the part after #, which browsers do not send to servers. The page removes it from the address at
// once. Whoever has the address can read the numbers until the token ends, so do not store it or write it to a log.
func Link(base, token, website string) string {
	view := url.Values{"token": {token}}
	if website != "" {
		view.Set("website", website)
	}
	return base + "#" + view.Encode()
}
