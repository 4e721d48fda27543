package store

import (
	"errors"
	"time"
)

// Limits on profiles.
const (
	MaxTraits     = 50        // of one profile
	MaxTraitsText = 2048      // bytes of its traits as JSON
	MaxProfiles   = 1_000_000 // of one website
	// MaxAnonymousProfiles bounds the profiles of one website that senders without a key can create. The
	// rest of MaxProfiles is left for senders with a key.
	MaxAnonymousProfiles = 500_000
)

// ErrManyProfiles says that a website has as many profiles as it may.
var ErrManyProfiles = errors.New("store: more profiles than a website may have")

// ErrManyTraits says that a profile would have more traits than it may.
var ErrManyTraits = errors.New("store: more traits than a profile may have")

// An Identification sets traits of a person, whose events have Profile as their ProfileID.
type Identification struct {
	Website string
	Profile string
	Traits  map[string]any // a string, number or bool is set; nil removes; other traits stay
	Keyed   bool           // sent with an API key; a sender without one cannot change what was set with one
}

// A Profile is what senders set of a person with an Identification.
type Profile struct {
	Website   string
	ID        string
	Name      string         // for people: the trait username, else name, else empty
	Traits    map[string]any // strings, json.Number and bool
	Keyed     bool           // it was set with an API key
	ChangedAt time.Time
}
