package failure_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/failure"
)

func TestAPanicIsAnError(t *testing.T) {
	err := failure.Try(func() error { panic("it failed") })
	if err == nil || !strings.Contains(err.Error(), "it failed") || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("the error of a panic is %v, want its text and stack", err)
	}
	own := failure.New(failure.NotFound, "own")
	err = failure.Try(func() error { panic(own) })
	if kind, _, _ := failure.Of(err); kind != failure.Internal || !errors.Is(err, own) {
		t.Errorf("the error of a panic with an error is of kind %v, or does not wrap it: %v", kind, err)
	}
	if err := failure.Try(func() error { return own }); !errors.Is(err, own) {
		t.Errorf("the error is %v, want that of the function", err)
	}
	if err := failure.Try(func() error { return nil }); err != nil {
		t.Errorf("the error is %v without a panic", err)
	}
}
