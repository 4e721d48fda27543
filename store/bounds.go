package store

import (
	"encoding/json"
	"errors"

	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// Bounds of websites. Stores count the websites of an owner in the transaction that adds or changes one.
const (
	MaxWebsites        = 1000     // of an owner
	MaxRemovedWebsites = 10_000   // of an owner, whose ids stay reserved
	MaxWebsitesBytes   = 16 << 20 // [Website.Size] of all websites of an owner
)

// ErrBound: an owner or a website would have more records, or larger ones, than it may have. The error is a
// [BoundError].
var ErrBound = mistake.ErrBound

// A BoundError says which bound a new or changed record would exceed. It wraps [ErrBound].
type BoundError = mistake.BoundError

// A Page is a part of a list of records, by creation time, then id.
type Page = listing.Page

// Position returns the place of w in the list of its owner's websites.
func (w Website) Position() listing.Position { return listing.At(w.CreatedAt, w.ID) }

// Position returns the place of l in the list of its owner's links.
func (l Link) Position() listing.Position { return listing.At(l.CreatedAt, l.ID) }

// Position returns the place of m in the list of its owner's monitors.
func (m Monitor) Position() listing.Position { return listing.At(m.CreatedAt, m.ID) }

// Size returns the bytes of the texts of w and of the JSON of its rules.
func (w *Website) Size() int64 {
	rules, _ := json.Marshal(w.Rules) // texts, networks and numbers
	return int64(len(w.Name) + len(w.Domain) + len(rules))
}

// CheckWebsites returns a [BoundError] if an owner cannot have so many websites of this size and so many removed
// websites. A store calls it before it commits a new website, or a changed one that became larger.
func CheckWebsites(number, removed, size int64) error {
	return errors.Join(mistake.Within("an owner", "websites", number, MaxWebsites),
		mistake.Within("an owner", "removed websites, whose ids stay reserved,", removed, MaxRemovedWebsites),
		mistake.Within("an owner", "bytes of websites", size, MaxWebsitesBytes))
}
