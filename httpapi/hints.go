package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
)

// howToAuthenticate ends what callers without credentials are told.
const howToAuthenticate = `send "Authorization: Bearer KEY" or "x-api-key: KEY"`

// hint adds to p, the problem of err, what callers of r may have meant.
func (p *problem) hint(r *http.Request, err error) {
	if p.Status == http.StatusUnauthorized {
		p.details = append(p.details, credentialHints(r, err)...)
	}
}

// credentialHints say what became of the key that a caller may have meant to send. They are for
// requests that carry no credentials at all, or more than a key where a key belongs: all others are refused alike.
func credentialHints(r *http.Request, err error) []detail {
	if !errors.Is(err, auth.ErrMissing) {
		return wrappedKeys(r)
	}
	var hints []detail
	if sent := strings.TrimSpace(r.Header.Get("Authorization")); sent != "" {
		scheme, rest, _ := strings.Cut(sent, " ")
		message := "has no key behind Bearer; "
		switch {
		case !strings.EqualFold(scheme, "Bearer") && rest == "":
			message = "has no scheme: the word Bearer must stand before the key; "
		case !strings.EqualFold(scheme, "Bearer"):
			message = "uses a scheme other than Bearer; "
		}
		hints = append(hints, detail{Field: "Authorization", Message: message + howToAuthenticate})
	}
	for name := range r.URL.Query() {
		if slices.Contains([]string{"api_key", "apikey", "api-key", "key", "token", "access_token"}, strings.ToLower(name)) {
			hints = append(hints, detail{Field: name,
				Message: "is ignored: URLs end up in logs, so keys are not accepted there; " + howToAuthenticate})
		}
	}
	if len(hints) == 0 {
		hints = []detail{{Field: "Authorization", Message: "is missing; " + howToAuthenticate}}
	}
	slices.SortFunc(hints, func(a, b detail) int { return strings.Compare(a.Field, b.Field) })
	return hints
}

// wrappedKeys returns a hint for text around a key, such as a second Bearer or quotation marks. No key contains
// a blank or such marks, so the hint reveals nothing about existing keys.
func wrappedKeys(r *http.Request) (hints []detail) {
	scheme, bearer, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		bearer = ""
	}
	for _, sent := range []struct{ header, text, form string }{
		{"Authorization", bearer, "Authorization: Bearer KEY"}, {"x-api-key", r.Header.Get("X-Api-Key"), "x-api-key: KEY"},
	} {
		if text := strings.TrimSpace(sent.text); strings.ContainsAny(text, " \"'<>{}") || strings.EqualFold(text, "Bearer") {
			hints = append(hints, detail{Field: sent.header, Message: "must hold the key alone, without quotation marks or a second word; send \"" + sent.form + "\""})
		}
	}
	return hints
}
