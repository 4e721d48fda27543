package httpapi

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// readPage decodes the URL of a list without other parameters. Without a limit, a page has usual records.
func readPage(r *front.Request, usual int) (listing.Page, error) {
	page := listing.Page{Limit: usual}
	values, ok := r.Query()
	if !ok {
		return page, errMalformed
	}
	bad := append(unknown(values, "limit", "after"), readLimit(values, &page.Limit, listing.MaxLimit)...)
	bad = append(bad, each(values, "after", func(text string) (err error) {
		page.After, err = listing.Parse(text)
		return err
	})...)
	return page, bad.Err()
}

// readLimit reads how many records a page may have. Without the parameter it leaves limit as it is.
func readLimit(values url.Values, limit *int, most int) mistake.List {
	return each(values, "limit", func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("must be a whole number from 1 to %d, not %s", most, shortened(text))
		}
		*limit = n
		return nil
	})
}

// pageOfAll returns a page of the records that may be shown, their number on all pages, and the position of the next
// page, which is nil on the last one.
func pageOfAll[T any](page listing.Page, all []T, position func(T) listing.Position,
	show func(T) bool) (found []T, total int, next *string) {
	shown := make([]T, 0, len(all))
	for _, one := range all {
		if show(one) {
			shown = append(shown, one)
		}
	}
	found = listing.Of(shown, listing.Page{After: page.After, Limit: page.Limit + 1}, position)
	if len(found) > page.Limit {
		found = found[:page.Limit]
		next = new(position(found[page.Limit-1]).String())
	}
	return found, len(shown), next
}

// pageOf reads records until it has a page of those that may be shown, and the position of the next page, which is nil
// on the last one. It holds one page in memory, however many records there are.
func pageOf[T any](page listing.Page, read func(listing.Page) ([]T, error), position func(T) listing.Position,
	show func(T) bool) (found []T, next *string, err error) {
	for want := page.Limit; ; {
		chunk, err := read(listing.Page{After: page.After, Limit: want + 1})
		if err != nil {
			return nil, nil, err
		}
		for _, one := range chunk {
			switch {
			case !show(one):
			case len(found) == want:
				return found, new(position(found[want-1]).String()), nil
			default:
				found = append(found, one)
			}
			page.After = position(one)
		}
		if len(chunk) <= want {
			return found, nil, nil
		}
	}
}
