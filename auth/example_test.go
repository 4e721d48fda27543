package auth_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// user is a person who signed in to the host's own panel.
type user struct {
	id, organisation string
	websites         []string
	until            time.Time
}

// sessions checks the host's own sessions first, and API keys after that. A host with JSON web tokens
// instead of sessions verifies the token here and reads the same fields from its claims.
type sessions struct {
	users map[string]user // by the value of the cookie; in production a database
	now   func() time.Time
	next  auth.Authenticator // for requests without a session
}

func (s sessions) Authenticate(ctx context.Context, r *http.Request) (*auth.Principal, error) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return s.next.Authenticate(ctx, r)
	}
	u, known := s.users[cookie.Value]
	if !known || !s.now().Before(u.until) {
		return nil, auth.ErrInvalid
	}
	// The host fills in the key. Limits and the audit trail use its id, so callers must not be able to
	// choose it. Resources limit the key to a list. Without All, an empty list grants nothing.
	key := &auth.Key{ID: "user_" + u.id, Owner: u.organisation, Scopes: []auth.Scope{auth.ReadData}}
	for _, id := range u.websites {
		key.Resources = append(key.Resources, auth.Resource{Kind: auth.KindWebsite, ID: id})
	}
	return &auth.Principal{Key: key}, nil
}

// A host has users who signed in, and programs with API keys. The handlers only see a Principal. Browsers send
// cookies with every request, so use SameSite cookies to stop other sites from using them.
func ExampleAuthenticator() {
	pepper, err := auth.NewPepper(bytes.Repeat([]byte("pepper"), 4)) // from the host's secrets
	if err != nil {
		fmt.Println(err)
		return
	}
	keys, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, secret, err := keys.CreateKey(context.Background(),
		auth.Key{ID: "key_nightly", Owner: "acme", Scopes: []auth.Scope{auth.ReadData}, All: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	byKey, err := auth.New(auth.Config{Store: keys, Pepper: pepper})
	if err != nil {
		fmt.Println(err)
		return
	}
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	callers := sessions{
		users: map[string]user{
			"s3ss10n": {id: "ada", organisation: "acme", websites: []string{"shop"}, until: noon.Add(time.Hour)},
			"over":    {id: "bob", organisation: "acme", websites: []string{"shop"}, until: noon},
		},
		now:  func() time.Time { return noon },
		next: byKey,
	}
	for _, header := range []http.Header{
		{"Cookie": {"session=s3ss10n"}},
		{"Cookie": {"session=over"}},
		{"Authorization": {"Bearer " + secret.Reveal()}},
		{},
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/query/websites", nil)
		r.Header = header
		p, err := callers.Authenticate(r.Context(), r)
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, id := range []string{"shop", "blog"} {
			ok := p.Allows(auth.ToRead(), auth.Resource{Kind: auth.KindWebsite, ID: id, Owner: "acme"})
			fmt.Println(p.Key.ID, "may read", id, ok)
		}
	}
	// Output:
	// user_ada may read shop true
	// user_ada may read blog false
	// auth: authentication required: credentials not accepted
	// key_nightly may read shop true
	// key_nightly may read blog true
	// auth: authentication required: no credentials
}
