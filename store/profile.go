package store

import (
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
)

// Limits of profiles.
const (
	MaxTraits     = 50        // of one profile
	MaxTraitsText = 2048      // bytes of its traits as JSON
	MaxProfiles   = 1_000_000 // of one website
	// MaxAnonymousProfiles limits the profiles of one website that senders without a key can create. The rest
	// of MaxProfiles is reserved for senders with a key.
	MaxAnonymousProfiles = 500_000
	// MaxOwnerProfiles and MaxOwnerAnonymousProfiles are the same limits for all websites of an owner. Concurrent
	// identifications for several of them may exceed these by their number.
	MaxOwnerProfiles          = 5_000_000
	MaxOwnerAnonymousProfiles = 2_500_000
)

// ErrManyProfiles is returned when a website, or its owner, already has as many profiles as it may have.
var ErrManyProfiles = failure.New(failure.Conflict, "store: more profiles than a website may have",
	"The website has as many profiles as it may have")

// ErrManyTraits is returned when a profile would exceed MaxTraits or MaxTraitsText.
var ErrManyTraits = failure.New(failure.Conflict, "store: more traits than a profile may have",
	"The profile has as many traits as it may have")

// An Identification sets traits of a person. The person's events have Profile as their ProfileID.
type Identification struct {
	Website string
	Profile string
	Traits  map[string]any // a string, number or bool sets a trait; nil removes it; other traits do not change
	Keyed   bool           // sent with an API key; only such a sender can change traits that were set with a key
}

// A Profile has the traits of a person that senders set with Identifications.
type Profile struct {
	Website   string
	ID        string
	Name      string         // for people: the trait username, else name, else empty
	Traits    map[string]any // strings, json.Number and bool
	Keyed     bool           // set with an API key
	ChangedAt time.Time
}
