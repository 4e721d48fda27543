package schema

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
)

// An Identity is what makes an item count once: two items with the same Identity are one item that was
// received twice.
type Identity struct {
	Table TableID
	// Kind is PageEvents, or the kind of a custom event or click. In other tables it is 0.
	Kind    uint8
	Keyed   bool   // as store.Identity.Keyed; false in tables of links and monitors
	Subject string // the id alone
	ID      string
}

// PageEvents is the Identity.Kind of pageviews, exits and named page events, which share
// their ids.
const PageEvents = uint8(store.Pageview)

// IdentityKind returns the Identity.Kind of events of that kind.
func IdentityKind(of store.EventKind) uint8 {
	if of <= store.PageEvent {
		return PageEvents
	}
	return uint8(of)
}

// An Item is an item of a batch that can be stored.
type Item struct {
	Identity

	Index  int   // in the table's slice of the batch
	Millis int64 // its time, since 1970 in UTC
}

// Items calls visit with every item of b, by table and place, if all can be stored. Its
// error wraps store.ErrInvalid and names each item that cannot, and why; visit may have
// been called with others.
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
			item := Item{Identity{Table: t.ID, Keyed: at.keyed, Subject: *at.subject, ID: *at.id}, index, at.time.UnixMilli()}
			if t.kind != nil {
				item.Kind = t.kind(r)
			}
			visit(item)
		}
	}
	return errors.Join(faults...)
}

// check finds what makes an item impossible to store.
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
		return fmt.Errorf("the year %d", year)
	case !utf8.ValidString(*at.subject):
		return fmt.Errorf("a %s that is not valid UTF-8", t.of)
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
				if !utf8.ValidString(*c.text(r)) {
					return fmt.Errorf("%s: not valid UTF-8", c.Name)
				}
			case c.Kind == Small:
				if n := c.number(r).V; n > c.most {
					return fmt.Errorf("%s: %d, where %d is the greatest", c.Name, n, c.most)
				}
			}
		}
	}
	return nil
}
