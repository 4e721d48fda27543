package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
)

// An Identity identifies an item, so that it counts once: two items with the same Identity are one item
// received twice.
type Identity struct {
	Table TableID
	// Kind is PageEvents, or the kind of a custom event or click. It is 0 in other tables.
	Kind    uint8
	Keyed   bool   // as in store.Identity; false in tables of links and monitors
	Subject string // the id only
	ID      string
}

// CheckRows returns an error that wraps store.ErrInvalid unless d has a statement for each sealed table.
func CheckRows(d store.Derivation) error {
	if want := len(SealedTables()); len(d.Rows) != want {
		return fmt.Errorf("%w: the derivation has %d statements, want %d", store.ErrInvalid, len(d.Rows), want)
	}
	return nil
}

// PageEvents is the Identity.Kind of pageviews, exits and named page events, which share event ids.
const PageEvents = uint8(store.Pageview)

// IdentityKind returns the Identity.Kind of events with the given kind.
func IdentityKind(of store.EventKind) uint8 {
	if of <= store.PageEvent {
		return PageEvents
	}
	return uint8(of)
}

// An Item is an item of a batch that a store can store.
type Item struct {
	Identity

	Index   int    // position in the table's slice of the batch
	Millis  int64  // its time, since 1970 in UTC
	Imports string // see store.Batch
}

// Items calls visit for every item of b, by table and position, if a store can store all of them. Otherwise its
// error wraps store.ErrInvalid and lists each invalid item with the reason; visit may have been called for
// others.
func Items(b *store.Batch, visit func(Item)) error {
	var faults []error
	for i := range tables {
		t := &tables[i]
		for index := range t.items(b) {
			r := Row{Batch: b, Item: index}
			if err := t.check(r); err != nil {
				faults = append(faults, fmt.Errorf("%w: %s[%d]: %w", store.ErrInvalid, t.name, index, err))
				continue
			}
			at := t.head(r)
			item := Item{Identity{Table: t.ID, Keyed: at.keyed, Subject: *at.subject, ID: *at.id}, index,
				at.time.UnixMilli(), *at.imports}
			if t.kind != nil {
				item.Kind = t.kind(r)
			}
			visit(item)
		}
	}
	return errors.Join(faults...)
}

// Of returns the subject that the item belongs to.
func (i Identity) Of() store.Subject { return store.Subject{Kind: i.Table.Of(), ID: i.Subject} }

// Arrange returns a row for every item of b, in the order of [Items], or the error of Items. row makes a store's own
// row of an item.
func Arrange[R any](b *store.Batch, row func(Item) R) ([]R, error) {
	rows := make([]R, 0, b.Len())
	if err := Items(b, func(it Item) { rows = append(rows, row(it)) }); err != nil {
		return nil, err
	}
	return rows, nil
}

// Written returns how many of a store's rows were stored, and how many were repeats.
func Written[R any](rows []R, repeated func(*R) bool) (sum store.Written) {
	for i := range rows {
		if repeated(&rows[i]) {
			sum.Repeated++
		} else {
			sum.Stored++
		}
	}
	return sum
}

var (
	errNotUTF8 = errors.New("not valid UTF-8")
	errNUL     = errors.New("it must not contain NUL")
)

// checkText returns the reason why a text cannot be stored, or nil. Not every database can hold the character NUL.
// Package track removes it, and filters cannot contain it.
func checkText(text string) error {
	switch {
	case !utf8.ValidString(text):
		return errNotUTF8
	case strings.ContainsRune(text, 0):
		return errNUL
	}
	return nil
}

// checkJSON is checkText for JSON: it also returns the reason why a string in it cannot be stored once its escapes are
// replaced by the characters that they stand for.
func checkJSON(text string) error {
	if err := checkText(text); err != nil {
		return err
	}
	for {
		_, after, found := strings.Cut(text, `\`)
		if !found || after == "" {
			return nil
		}
		text = after[1:]
		if after[0] != 'u' {
			continue
		}
		switch r := unit(text); {
		case r == 0:
			return errNUL
		case utf16.IsSurrogate(r):
			low, paired := strings.CutPrefix(text[4:], `\u`)
			if !paired || utf16.DecodeRune(r, unit(low)) == utf8.RuneError {
				return errNotUTF8
			}
			text = low[4:]
		}
	}
}

// unit returns the number that the first four hexadecimal digits of text are, or -1.
func unit(text string) rune {
	n, err := strconv.ParseUint(text[:min(4, len(text))], 16, 32)
	if err != nil || len(text) < 4 {
		return -1
	}
	return rune(n)
}

// check returns the reason why an item cannot be stored, or nil.
func (t *Table) check(r Row) error {
	at := t.head(r)
	switch year := at.time.UTC().Year(); {
	case *at.subject == "":
		return fmt.Errorf("no %s", t.of)
	case *at.id == "":
		return errors.New("no id")
	case at.time.IsZero():
		return errors.New("no time")
	case year < 1 || year > 9999:
		return fmt.Errorf("the year must be between 1 and 9999, not %d", year)
	}
	if err := checkText(*at.subject); err != nil {
		return fmt.Errorf("%s: %w", t.of, err)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		rows := 1
		if c.ofSample {
			rows = t.rows(r)
		}
		for r.Sample = range rows {
			switch {
			case c.text != nil:
				check := checkText
				if c.json {
					check = checkJSON
				}
				if err := check(*c.text(r)); err != nil {
					return fmt.Errorf("%s: %w", c.Name, err)
				}
			case c.Kind == Small:
				if n := c.number(r).V; n > c.most {
					return fmt.Errorf("%s must be at most %d, not %d", c.Name, c.most, n)
				}
			}
		}
	}
	return nil
}
