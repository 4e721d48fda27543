// Package listing has pages of lists of records, which are ordered by creation, then id:
//
//	page := listing.Page{Limit: 100}
//	keys, err := store.KeyPage(ctx, owner, page)
//	page.After = listing.Position{At: keys[99].CreatedAt, ID: keys[99].ID}
package listing

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of the limit of a list.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// A Page is a part of a list.
type Page struct {
	After Position // the records after this one; the zero Position begins with the first
	Limit int      // the most records; 0 means all
}

// A Position is the place of a record in a list.
type Position struct {
	At time.Time // when the record was created, in whole milliseconds
	ID string
}

// At returns the position of a record with an id that was created at a time, which it cuts to whole milliseconds.
func At(created time.Time, id string) Position {
	return Position{created.Truncate(time.Millisecond), id}
}

// Compare orders positions as lists do.
func (p Position) Compare(o Position) int {
	return cmp.Or(p.At.Compare(o.At), strings.Compare(p.ID, o.ID))
}

// String returns p as text for [Parse].
func (p Position) String() string { return strconv.FormatInt(p.At.UnixMilli(), 10) + ":" + p.ID }

// Parse returns the position in the text of [Position.String].
func Parse(text string) (Position, error) {
	at, id, ok := strings.Cut(text, ":")
	ms, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || id == "" {
		return Position{}, errors.New("must be the value of next of the page before")
	}
	return Position{time.UnixMilli(ms).UTC(), id}, nil
}

// Of returns the page of all, which are records in any order, and sorts all.
func Of[T any](all []T, page Page, position func(T) Position) []T {
	slices.SortFunc(all, func(a, b T) int { return position(a).Compare(position(b)) })
	if page.After != (Position{}) {
		from, found := slices.BinarySearchFunc(all, page.After,
			func(one T, at Position) int { return position(one).Compare(at) })
		if found {
			from++
		}
		all = all[from:]
	}
	if page.Limit > 0 {
		all = all[:min(len(all), page.Limit)]
	}
	return all
}
