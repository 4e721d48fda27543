package flags

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a [Client].
type Kind string

// The kinds of clients.
const (
	Website      Kind = "website"
	Organization Kind = "organization"
)

// A Client is the website or the organisation that flags belong to. A website and an organisation with the
// same id are two clients. A Client without a kind or an id is invalid: editors and evaluators return an error that
// wraps [ErrInvalid].
//
// In JSON a client is its id alone. A decoded client has no kind; the program that decoded it sets the
// kind.
type Client struct {
	Kind Kind
	ID   string
}

// OfWebsite returns the client of a website's flags.
func OfWebsite(id string) Client { return Client{Website, id} }

// OfOrganization returns the client of an organisation's flags.
func OfOrganization(id string) Client { return Client{Organization, id} }

// String returns the kind and the id, as in "website:web_shop". The text of the zero Client is empty.
func (c Client) String() string {
	if c == (Client{}) {
		return ""
	}
	return string(c.Kind) + ":" + c.ID
}

// ParseClient parses the text of [Client.String], and reports whether the text is valid.
func ParseClient(text string) (Client, bool) {
	kind, id, _ := strings.Cut(text, ":")
	c := Client{Kind(kind), id}
	return c, c.valid()
}

// MarshalText implements [encoding.TextMarshaler].
func (c Client) MarshalText() ([]byte, error) { return []byte(c.ID), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It sets the id and does not change the kind.
func (c *Client) UnmarshalText(text []byte) error {
	c.ID = string(text)
	return nil
}

// check returns [FieldErrors] if c cannot have flags, for example without an id.
func (c Client) check() error {
	if !c.valid() {
		return FieldErrors{{Field: "clientId",
			Message: fmt.Sprintf("is required, with at most %d characters", MaxClient)}}
	}
	return nil
}

// valid reports whether c can have flags.
func (c Client) valid() bool {
	return (c.Kind == Website || c.Kind == Organization) && c.ID != "" && utf8.RuneCountInString(c.ID) <= MaxClient
}
