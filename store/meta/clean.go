package meta

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
)

const maxURL = 2048 // bytes

// faults cleans the fields of a record, and collects the problems with them.
type faults []error

func (f *faults) addf(format string, args ...any) {
	*f = append(*f, fmt.Errorf(format, args...))
}

// err returns the problems of a record as one error, or nil if none exists. sort is the kind of the record.
func (f faults) err(sort string) error {
	if len(f) == 0 {
		return nil
	}
	return &recordError{sort, errors.Join(f...)}
}

// A recordError has the problems with a record. It wraps [store.ErrInvalid].
type recordError struct {
	sort     string // of the record
	problems error
}

// Error implements error.
func (e *recordError) Error() string {
	return fmt.Sprintf("store/meta: %s: %v: %v", e.sort, store.ErrInvalid, e.problems)
}

// Plain returns the problems for people, one per line.
func (e *recordError) Plain() string { return e.problems.Error() }

// Unwrap returns ErrInvalid and the problems.
func (e *recordError) Unwrap() []error { return []error{store.ErrInvalid, e.problems} }

// id checks a given id: see [store.IDFault]. It generates an id if given is empty.
func (f *faults) id(prefix, given string) string {
	if given == "" {
		return prefix + "_" + strings.ToLower(rand.Text())
	}
	if fault := store.IDFault(given); fault != "" {
		f.addf("id %s", fault)
	}
	return given
}

func (f *faults) required(field, given string) string {
	if given == "" {
		f.addf("%s is required", field)
	}
	f.text(field, given)
	return given
}

// label trims and checks a text that people read.
func (f *faults) label(field, given string) string {
	given = strings.TrimSpace(given)
	f.text(field, given)
	return given
}

func (f *faults) text(field, given string) {
	if fault := store.LabelFault(given); fault != "" {
		f.addf("%s %s", field, fault)
	}
}

// address checks that given is an absolute URL, with one of schemes if any are given.
func (f *faults) address(field, given string, schemes ...string) string {
	given = strings.TrimSpace(given)
	u, err := url.Parse(given)
	switch {
	case given == "":
		f.addf("%s is required", field)
	case len(given) > maxURL:
		f.addf("%s may have at most %d bytes", field, maxURL)
	case err != nil || u.Host == "" || !utf8.ValidString(given):
		f.addf("%s must be an absolute URL, not %q", field, given)
	case len(schemes) > 0 && !slices.Contains(schemes, u.Scheme):
		f.addf("%s must begin with %s, not %s", field, strings.Join(schemes, " or "), u.Scheme)
	}
	return given
}

// created returns at, or the current time if at is zero, as the database stores it: in UTC, in whole milliseconds.
func (s *Store) created(at time.Time) time.Time {
	if at.IsZero() {
		at = s.cfg.Now()
	}
	return instant(at.UnixMilli())
}

func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
