package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// howToAuthenticate is the end of messages for callers without credentials.
const howToAuthenticate = `send "Authorization: Bearer KEY" or "x-api-key: KEY"`

// hint adds suggestions to p, the problem of err, for the caller of r.
func (p *problem) hint(r *http.Request, err error) {
	// a host with its own credentials, such as cookies, says how to send them in its challenge
	_, isOwn := errors.AsType[*auth.ChallengeError](err)
	if p.Status == http.StatusUnauthorized && !isOwn {
		p.details = append(p.details, credentialHints(r, err)...)
	}
}

// credentialHints explain why no key was found in a request. They are only for requests without credentials, or with
// extra text around a key. All other requests get the same answer.
func credentialHints(r *http.Request, err error) []mistake.FieldError {
	if !errors.Is(err, auth.ErrMissing) {
		return wrappedKeys(r)
	}
	var hints []mistake.FieldError
	if sent := strings.TrimSpace(r.Header.Get("Authorization")); sent != "" {
		scheme, rest, _ := strings.Cut(sent, " ")
		message := "has no key behind Bearer; "
		switch {
		case !strings.EqualFold(scheme, "Bearer") && rest == "":
			message = "has no scheme: the word Bearer must stand before the key; "
		case !strings.EqualFold(scheme, "Bearer"):
			message = "uses a scheme other than Bearer; "
		}
		hints = append(hints, about("Authorization", message+howToAuthenticate))
	}
	for name := range r.URL.Query() {
		if slices.Contains([]string{"api_key", "apikey", "api-key", "key", "token", "access_token"},
			strings.ToLower(name)) {
			hints = append(hints, about(name, "is ignored: URLs end up in logs, so keys are not accepted there; "+
				howToAuthenticate))
		}
	}
	if len(hints) == 0 {
		hints = []mistake.FieldError{about("Authorization", "is missing; "+howToAuthenticate)}
	}
	slices.SortFunc(hints, func(a, b mistake.FieldError) int { return strings.Compare(a.Field, b.Field) })
	return hints
}

// wrappedKeys returns a hint about text around a key, such as a second Bearer or quotation marks. No key contains
// spaces or quotation marks, so the hint reveals nothing about existing keys.
func wrappedKeys(r *http.Request) (hints []mistake.FieldError) {
	scheme, bearer, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		bearer = ""
	}
	for _, sent := range []struct{ header, text, form string }{
		{"Authorization", bearer, "Authorization: Bearer KEY"},
		{"x-api-key", r.Header.Get("X-Api-Key"), "x-api-key: KEY"},
	} {
		if text := strings.TrimSpace(sent.text); strings.ContainsAny(text, " \"'<>{}") ||
			strings.EqualFold(text, "Bearer") {
			hints = append(hints, about(sent.header,
				"must contain only the key, without quotation marks or a second word; send \""+sent.form+"\""))
		}
	}
	return hints
}
