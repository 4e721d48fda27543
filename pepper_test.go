package sightline_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// A host that opens its records without the pepper, and gives another one to New, gets an error.
func TestNewRefusesThePepperOfOtherRecords(t *testing.T) {
	right, rightErr := auth.NewPepper([]byte("the pepper of the records"))
	other, otherErr := auth.NewPepper([]byte("the pepper of other records"))
	path := filepath.Join(t.TempDir(), "meta.sqlite")
	first, firstErr := meta.Open(t.Context(), meta.Config{Path: path, Pepper: right})
	if err := errors.Join(rightErr, otherErr, firstErr); err != nil {
		t.Fatal(err)
	}
	records, recordsErr := meta.Open(t.Context(), meta.Config{Path: path})
	events, eventsErr := sqlite.Open(t.Context(), ":memory:")
	if err := errors.Join(first.Close(t.Context()), recordsErr, eventsErr); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(records.Close(t.Context()), events.Close(t.Context())) }()
	for pepper, refused := range map[*auth.Pepper]bool{&right: false, &other: true} {
		s, err := sightline.New(sightline.Config{Events: events, Records: records, Pepper: *pepper})
		if errors.Is(err, meta.ErrOtherPepper) != refused || err != nil && !refused {
			t.Errorf("refused %v: %v", refused, err)
		}
		if s != nil {
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}
