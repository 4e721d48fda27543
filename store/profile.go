package store

import (
	"errors"
	"time"
)

// Bounds of what is kept of people.
const (
	MaxTraits     = 50        // of one profile
	MaxTraitsText = 2048      // bytes of its traits as JSON
	MaxProfiles   = 1_000_000 // of one website
)

// ErrManyTraits says that a profile would have more traits than it may.
var ErrManyTraits = errors.New("store: more traits than a profile may have")

// An Identification is what a sender tells of a person, whom its events name by Profile.
type Identification struct {
	Website string
	Profile string
	Traits  map[string]any // a string, number or bool is set; nil removes; what is not named stays
	Keyed   bool           // told with a key; who has none changes nothing of what was told with one
}

// A Profile is what is known of a person.
type Profile struct {
	Website   string
	ID        string
	Name      string         // for people: the trait username, else name, else empty
	Traits    map[string]any // strings, json.Number and bool
	Keyed     bool           // it was told with a key
	ChangedAt time.Time
}
